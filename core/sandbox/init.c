/*
 * init.c - tollbridge-init: the program that starts and ends processes for a supervisor.
 *
 * It has one mode.  --reap takes over descriptor 3, a socket to the supervisor, and is parent of
 * everything that is started until that socket closes.
 */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/sandbox/plan.h"
#include "core/sandbox/reap.h"

static int
usage(void)
{
	static const char text[] =
		"tollbridge-init: started by tollbridge-supervisor only (--reap, with a socket as "
		"descriptor 3)\n";

	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	return 2;
}

/* Descriptors 0 to 2 are open from here on, on nothing. */
static int
detach(void)
{
	int nothing = open("/dev/null", O_RDWR | O_NOCTTY);

	if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 || dup2(nothing, 2) < 0)
		return -1;
	/* Children get what they need by dup2; this one must never pass on. */
	if (fcntl(REAP_FD, F_SETFD, FD_CLOEXEC) < 0 || close_range(REAP_FD + 1, ~0u, 0) < 0)
		return -1;
	return chdir("/");
}

int
main(int argc, char **argv)
{
	socklen_t len = sizeof(int);
	int type;

	if (argc != 2 || strcmp(argv[1], "--reap") != 0)
		return usage();
	if (getsockopt(REAP_FD, SOL_SOCKET, SO_TYPE, &type, &len) < 0 || type != SOCK_SEQPACKET)
		return usage();
	(void)setsid();
	return detach() < 0 ? 1 : reap_serve(REAP_FD);
}
