/*
 * client.h - one connection to a supervisor's socket (formats.md 2), for the console and commands.
 *
 * Sends hello, turns the record's lines into events, replies into call backs.  The wire:
 *   console:    {"hello":1,"console":"<16 hex>","from":N}
 *   supervisor: {"hello":1,"version":"0.1.0","id":"...","name":"...","next":M,"mono":ns}
 *               then record lines from seq N; {"reply":ID,"ok":true,...} or
 *               {"reply":ID,"ok":false,"kind":"state","error":"..."}; {"notice":"...",...}.
 *
 * Knows:      loop, io, json, record/reader, record/store.
 * Unaware of: the screen.
 * Calls back: from the loop; a hook may free the client.
 */
#ifndef TUI_CLIENT_H
#define TUI_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"
#include "core/base/hash.h"
#include "core/base/json.h"

struct client;
struct err;
struct event_view;
struct loop;

struct client_hooks { /* any may be NULL */
	void (*on_hello)(struct client *client, void *arg);
	/* The record's bytes as they are, whole lines; before on_event of the same lines. */
	void (*on_lines)(const char *bytes, size_t len, void *arg);
	void (*on_event)(const struct event_view *event, void *arg);
	/* Everything that was recorded when we connected has been delivered. */
	void (*on_live)(void *arg);
	void (*on_reply)(uint64_t id, struct json_value reply, void *arg);
	void (*on_notice)(struct json_value notice, void *arg);
	/* The connection is gone.  why: NULL when the supervisor closed it in order. */
	void (*on_closed)(const char *why, void *arg);
	void *arg;
};

/* Takes fd (connected).  from: first seq wanted. */
struct client *client_new(
	struct loop *loop, int fd, uint64_t from, const struct client_hooks *hooks);
void client_free(struct client *client); /* NULL is fine */

const char *client_console(const struct client *client); /* our console id, 16 hex digits */
/* The session's mono now, ns, by the supervisor's clock at hello. */
int64_t client_mono(const struct client *client);

/*
 * Send a request; gives its id.  members: the JSON members after "id" and "op", without braces and
 * without a leading comma ("\"call\":4,\"bind\":\"...\""), or "".
 */
uint64_t client_request(struct client *client, const char *op, const char *members, size_t len);

/* A decision with all it carries (approval-pane.md, "Decisions carry"). */
struct client_decision {
	uint64_t call;
	struct digest bind;
	bool approve;
	bool reuse; /* of a repeat: answer it with the earlier result; approve counts for nothing */
	uint64_t presentation;
	struct digest frame;
	size_t covered, total; /* argument bytes painted in drained frames, and all */
	int64_t dwell_ms;
	const char *reason;  /* UTF-8, may be NULL */
	const char *comment; /* may be NULL */
	const char *code;    /* what the person typed on a `code` call; else NULL */
	bool stop;           /* deny and stop the run */
	const char *via;     /* "console" or "decide" */
};
uint64_t client_decide(struct client *client, const struct client_decision *decision);

/* A held call as it was seen: what a request about it carries beside a decision's own words. */
struct client_seen {
	uint64_t call;
	struct digest bind;
	uint64_t presentation; /* 0: it was not shown */
	struct digest frame;
	size_t covered, total;
	int64_t dwell_ms;
};

struct client_presented {
	uint64_t call;
	struct digest bind;
	uint64_t presentation, seen_seq;
	unsigned cols, rows;
	bool strict;
	struct digest frame;
};
uint64_t client_presented(struct client *client, const struct client_presented *presented);

/* Other arguments for a held call (JSON text), and back to those that were asked. */
uint64_t client_edit(
	struct client *client, uint64_t call, const struct digest *bind, const char *args);
uint64_t client_unedit(struct client *client, uint64_t call, const struct digest *bind);
/* More time for a held call. */
uint64_t client_extend(struct client *client, uint64_t call, int64_t ms);
uint64_t client_away(struct client *client, bool away);

/* A verdict on the program as a whole (approval.program). */
struct client_program {
	unsigned attempt;
	uint64_t presentation, seen_seq; /* of the frame that was decided on */
	const char *verdict;             /* "run", "edit", "refuse", "try_again", "stop" */
	const char *reason;              /* UTF-8, may be NULL */
	const char *text;                /* with edit and try_again; else NULL */
	size_t text_len;
};
uint64_t client_program(struct client *client, const struct client_program *program);

/* --- client_ask.c: what people arrange around calls --- */

/* Approve the call as it was seen, and the next n of its tool from its line within bounds (JSON).
 */
uint64_t client_grant(struct client *client, const struct client_seen *seen, int64_t n,
	const char *bounds, const char *comment /* may be NULL */);
uint64_t client_revoke(struct client *client, uint64_t grant);
/* Raise a limit that a held call met. */
struct client_raise {
	uint64_t call, presentation; /* the latest presentation of that call */
	const char *counter;
	int64_t from, to; /* the limit as it was shown, and as it shall be */
};
uint64_t client_raise(struct client *client, const struct client_raise *raise);
/* action: "ask", "deny" or "allow"; rule: JSON of one rule. */
uint64_t client_rule(struct client *client, uint64_t call, const char *action, const char *rule);

#endif
