/*
 * key.h - the key of a model's provider: from a variable, or from what a command prints.
 *
 * It is kept in this process only: it reaches no argument list, no record, no tool and no screen,
 * and is wiped when it is dropped.
 *
 * Knows:      configuration, spawn, loop, io.
 * Unaware of: what the key opens.
 * Calls back: on_key once, from the loop, unless the key was dropped before.
 */
#ifndef CORE_RUN_KEY_H
#define CORE_RUN_KEY_H

#include "core/base/attr.h"

struct config;
struct err;
struct key;
struct loop;
struct spawner;

struct key_hooks {
	/* key: NULL where none is needed or there is none (why says so then, else NULL).  Borrowed
	 * until on_key returns. */
	void (*on_key)(const char *key, const char *why, void *arg);
	void *arg;
};

/* All borrowed; they outlive it. */
struct key *key_read(struct loop *loop, struct spawner *spawner, const struct config *config,
	const struct key_hooks *hooks);
void key_drop(struct key *key); /* NULL is fine; also from inside on_key */

/* Is the key there, or is a command to be asked for it, or is none needed?  ERR_USAGE that names
 * the variable: for who starts a run. */
int key_check(const struct config *config, struct err *err) ATTR_CHECKED;

#endif
