/*
 * talk.h - one request to a supervisor and its answer.
 *
 * Knows:      client, record/store, loop.
 * Unaware of: what is asked.
 */
#ifndef TUI_CMD_TALK_H
#define TUI_CMD_TALK_H

#include <stdint.h>

#include "core/base/attr.h"

struct client;
struct err;
struct store_entry;

/* A socket to the supervisor of this session.  Gives the descriptor, or -1. */
int talk_connect(const struct store_entry *entry, struct err *err) ATTR_CHECKED;

/*
 * Connect, send, wait for the answer (at most 10 s).  send is called once, when the supervisor has
 * said hello, and gives the request's id.  from: first seq wanted, so that nothing old is sent.
 * Fails with the supervisor's own words: ERR_STATE, ERR_MISMATCH, or ERR_USAGE.
 */
typedef uint64_t (*talk_send_fn)(struct client *client, void *arg);
int talk_ask(const struct store_entry *entry, uint64_t from, talk_send_fn send, void *arg,
	struct err *err) ATTR_CHECKED;

#endif
