/*
 * supervisor.h - a session's server: its record, its run, and the consoles that watch and decide.
 *
 * Knows:      store, writer, journal, run, console, spawn, config, loop.
 * Unaware of: terminals.
 */
#ifndef CORE_RUN_SUPERVISOR_H
#define CORE_RUN_SUPERVISOR_H

#include "core/base/attr.h"

struct err;

/*
 * Serve one session.  fd is the launcher's end (taken): one JSON text to
 * its end of file says what to start: {"mode","base","config","task","program"|"call","record",
 * "no_ask","fail_on_denied"} (tui/cmd/launch.c writes it); one JSON line answers
 * {"ready":1,"id","name","record"} or
 * {"error","exit"}.  Returns the session's exit code when all is over.
 */
int supervisor_main(int fd);

#endif
