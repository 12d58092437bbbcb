/* One write() a line, so that lines of several processes in one file do not mix. */
#include "config.h"

#include "core/base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "core/base/clock.h"

#define LINE_MAX_BYTES 2048

static int log_fd = STDERR_FILENO;

void
log_to(int fd)
{
	log_fd = fd;
}

/* A caller that forgot to escape must not reach a terminal with control bytes. */
static void
mask_controls(char *text)
{
	for (; *text; text++) {
		unsigned char byte = (unsigned char)*text;

		if (byte < 0x20 || byte == 0x7F)
			*text = '?';
	}
}

static size_t
line_begin(char *line, size_t room)
{
	char utc[CLOCK_UTC_SIZE];
	int len;

	if (log_fd == STDERR_FILENO) {
		len = snprintf(line, room, "%s: ", program_invocation_short_name);
	} else {
		clock_utc(utc);
		len = snprintf(line, room, "%s [%d] ", utc, (int)getpid());
	}
	return (size_t)len < room ? (size_t)len : room - 1;
}

void
log_line(const char *fmt, ...)
{
	char line[LINE_MAX_BYTES];
	size_t begun;
	size_t len;
	va_list args;
	int added;

	if (log_fd < 0)
		return;
	begun = line_begin(line, sizeof(line) - 1);
	va_start(args, fmt);
	added = vsnprintf(line + begun, sizeof(line) - 1 - begun, fmt, args);
	va_end(args);
	if (added < 0)
		return;
	len = begun + (size_t)added;
	if (len > sizeof(line) - 2)
		len = sizeof(line) - 2;
	mask_controls(line);
	line[len] = '\n';
	while (write(log_fd, line, len + 1) < 0 && errno == EINTR)
		;
}
