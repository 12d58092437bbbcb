/*
 * sample.h - sessions for the tests of what is drawn.
 *
 * Knows:      make_record, session.
 * Unaware of: which view is drawn.
 */
#ifndef TESTS_TUI_SAMPLE_H
#define TESTS_TUI_SAMPLE_H

struct make;
struct session;

/* The session that fill writes, folded, an event each 250 ms.  Initialises it. */
void sample_session(struct session *session, void (*fill)(struct make *make));
/* A session in which one call of apply_raise with these arguments waits, from line 8. */
void sample_waiting(struct session *session, const char *args);

#endif
