/*
 * worker_line.h - one line of a Python worker, taken apart (the protocol is in worker.py's head).
 *
 * Knows:      json, mem.
 * Unaware of: calls; whether the number is one of ours.
 */
#ifndef CORE_TOOLS_WORKER_LINE_H
#define CORE_TOOLS_WORKER_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum worker_kind {
	WORKER_NONE,
	WORKER_TOOLS,
	WORKER_FAILED,
	WORKER_OK,
	WORKER_ERROR,
};

struct worker_line {
	enum worker_kind kind;
	uint64_t number;  /* of OK and ERROR */
	const char *text; /* what follows, not looked into yet; borrowed from the line */
	size_t text_len;
};

/* A line without its line feed.  False, and kind WORKER_NONE, when it is none of these. */
bool worker_line_read(const char *bytes, size_t len, struct worker_line *line);
/* The words of FAILED and ERROR, a JSON string.  Gives memory; never NULL; foreign text. */
char *worker_line_words(const struct worker_line *line);

#endif
