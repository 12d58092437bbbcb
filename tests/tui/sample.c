#include "config.h"

#include "tests/tui/sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/mem.h"
#include "core/record/reader.h"
#include "core/session/session.h"
#include "tests/record/make_record.h"

#define STEP (250 * NS_PER_MS)

static void
must(bool good, const struct err *err)
{
	if (good)
		return;
	fprintf(stderr, "sample: %s\n", err->text);
	abort();
}

static void
fold(struct session *session, const char *bytes, size_t len)
{
	struct reader *reader = reader_new(READER_CHAIN);
	struct err err = { 0 };
	struct event_view view;
	int got;

	must(reader_feed(reader, bytes, len, &err) >= 0, &err);
	while ((got = reader_next(reader, &view, &err)) > 0) {
		view.mono = (int64_t)(view.seq + 1) * STEP;
		session_apply(session, &view);
	}
	must(got == 0, &err);
	reader_free(reader);
}

void
sample_session(struct session *session, void (*fill)(struct make *make))
{
	struct make make;
	struct err err = { 0 };
	AUTO_BUF struct buf record;
	int fd = make_file();

	make_open(&make, dup(fd));
	fill(&make);
	make_close(&make);
	buf_init(&record, BUF_UNBOUNDED);
	must(lseek(fd, 0, SEEK_SET) == 0, &err);
	must(io_read_all(fd, &record, &err) >= 0, &err);
	close(fd);
	session_init(session);
	fold(session, record.data, record.len);
}

static const char *waiting_args;

static void
fill_waiting(struct make *make)
{
	uint64_t call;

	make_start(make, "payroll-1");
	call = make_request(make, "payroll.apply_raise", waiting_args, 8);
	make_ruled(make, call, "ask", NULL);
	make_held(make, call, 300);
}

void
sample_waiting(struct session *session, const char *args)
{
	waiting_args = args;
	sample_session(session, fill_waiting);
}
