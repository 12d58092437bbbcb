/*
 * tollbridge-supervisor: started by `tollbridge run`, never by hand.
 *
 * Descriptor 3 is the launcher's end of a socket pair.  The process is a session leader without a
 * terminal already (the launcher saw to that), and takes care of what must hold before any work:
 * signals that must not end it, and memory that nobody may read.
 */
#include "config.h"

#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/run/supervisor.h"

#define LAUNCHER_FD 3

int
main(void)
{
	static const int ignored[] = { SIGHUP, SIGPIPE, SIGXFSZ, SIGQUIT, SIGTSTP, SIGTTIN,
		SIGTTOU };
	struct stat launcher;

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	if (fstat(LAUNCHER_FD, &launcher) < 0 || !S_ISSOCK(launcher.st_mode)) {
		fprintf(stderr, "tollbridge-supervisor is started by `tollbridge run`\n");
		return 2;
	}
	umask(077);
	prctl(PR_SET_DUMPABLE, 0);
	return supervisor_main(LAUNCHER_FD);
}
