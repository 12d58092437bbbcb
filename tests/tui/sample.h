/*
 * sample.h - sessions and pictures for the tests of what is drawn.
 *
 * Pictures are files in tests/tui/pictures; a test run with UPDATE_PICTURES=1 writes them anew.
 *
 * Knows:      make_record, session, canvas.
 * Unaware of: which view is drawn.
 */
#ifndef TESTS_TUI_SAMPLE_H
#define TESTS_TUI_SAMPLE_H

#include <stdbool.h>

struct canvas;
struct make;
struct session;

/* The session that fill writes, folded, an event each 250 ms.  Initialises it. */
void sample_session(struct session *session, void (*fill)(struct make *make));
/* A session in which one call of apply_raise with these arguments waits, from line 8. */
void sample_waiting(struct session *session, const char *args);

/* Is the canvas as in pictures/NAME.txt?  Says on standard error where it is not. */
bool picture_is(const struct canvas *canvas, const char *name);
bool picture_text_is(const char *text, const char *name);

#endif
