/*
 * meanwhile.h - what happened in a session while nobody looked: a page that any key closes.
 *
 * Knows:      view_page, rows, session.
 * Unaware of: how it is known that nobody looked.
 */
#ifndef TUI_MEANWHILE_H
#define TUI_MEANWHILE_H

#include <stdbool.h>
#include <stdint.h>

struct session;
struct view;

struct meanwhile {
	int64_t from, until;          /* the session's clock, ns */
	uint64_t from_seq, until_seq; /* events after the first, before the second */
	bool away;                    /* the person had said so; false: no console was attached */
};

/* Is there anything to tell? */
bool meanwhile_happened(const struct session *session, const struct meanwhile *meanwhile);
struct view *meanwhile_view(const struct meanwhile *meanwhile); /* its map is MAP_MEANWHILE */

#endif
