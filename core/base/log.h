/*
 * log.h - diagnostics of the project itself, never to a terminal that shows the screen.
 *
 * Lines go to standard error by default; a supervisor sends them to its log file.  Foreign text in
 * a line is escaped first (text_escape).  Nothing secret, no arguments, no results.
 *
 * Knows:      attr, clock.
 * Unaware of: the record: what matters to the user is an event, not a log line.
 */
#ifndef CORE_BASE_LOG_H
#define CORE_BASE_LOG_H

#include "core/base/attr.h"

void log_to(int fd); /* borrowed; -1 drops every line */
void log_line(const char *fmt, ...) ATTR_PRINTF(1, 2);

#endif
