/*
 * trail.h - the record of a session that goes on, folded as its file grows.
 *
 * What the program printed and what the model said is passed over: who follows many sessions shows
 * neither.
 *
 * Knows:      record/reader, session, io.
 * Unaware of: the loop; when to look again.
 */
#ifndef TUI_TRAIL_H
#define TUI_TRAIL_H

#include <stdbool.h>

#include "core/base/attr.h"

struct err;
struct session;
struct trail;

struct trail *trail_new(const char *record_path, struct err *err) ATTR_CHECKED;
void trail_free(struct trail *trail); /* NULL is fine */

/* Read on, a bounded piece: 1 there is more, 0 that was all for now, -1 a bad line. */
int trail_step(struct trail *trail, struct err *err) ATTR_CHECKED;
const struct session *trail_session(const struct trail *trail);

#endif
