/*
 * console.h - one connected console: what it is sent and what it asks (formats.md 2).
 *
 * A console follows the record's own file from the seq it named, so that a slow one is simply
 * behind and holds nobody back.  Replies and notices go between whole record lines.
 *
 * Knows:      loop, json, jsonout, record/writer, calls.
 * Unaware of: who listens, when the session ends.
 * Calls back: on_request for every whole request line, on_gone once; on_gone may free the console.
 */
#ifndef CORE_RUN_CONSOLE_H
#define CORE_RUN_CONSOLE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/json.h"

struct console;
struct loop;
struct record;

#define CONSOLE_ID_SIZE 17 /* 16 hex digits and a NUL */

struct console_hooks {
	/* id and op are checked; request is the whole object. */
	void (*on_request)(struct console *console, uint64_t id, const char *op,
		struct json_value request, void *arg);
	void (*on_hello)(struct console *console, void *arg);
	void (*on_gone)(struct console *console, void *arg);
	void *arg;
};

struct console_session { /* what hello is answered with; borrowed */
	const char *id, *name;
	struct record *record;
};

/* Takes fd (a checked peer).  who: "uid 1000 pid 4711", copied. */
struct console *console_new(struct loop *loop, int fd, const char *who,
	const struct console_session *session, const struct console_hooks *hooks);
void console_free(struct console *console);

const char *console_id(const struct console *console); /* "" before hello */
const char *console_who(const struct console *console);

/* Send what the record has grown by, as far as the socket takes it. */
void console_follow(struct console *console);
bool console_caught_up(const struct console *console);

void console_ok(struct console *console, uint64_t id);
/* kind: "state", "mismatch", "missing", "refused", "usage". */
void console_refuse(struct console *console, uint64_t id, const char *kind, const char *error);
/* A notice: members as JSON text without braces, or "". */
void console_notice(struct console *console, const char *what, const char *members);

#endif
