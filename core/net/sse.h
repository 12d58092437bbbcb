/*
 * sse.h - server-sent events out of lines.
 *
 * Lenient where servers differ (a space after the colon or none, several data lines, unknown
 * fields, comments), and one thing more: some servers send an error as a field named "error", whose
 * value then stands for data.
 *
 * Knows:      buf.
 * Unaware of: what data holds.
 */
#ifndef CORE_NET_SSE_H
#define CORE_NET_SSE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/buf.h"

#define SSE_NAME_SIZE 64

struct sse {
	struct buf data;          /* several data lines are joined by LF */
	char name[SSE_NAME_SIZE]; /* of "event:"; "" for none; a longer one is cut */
	bool has_data;
	bool error; /* it came as a field "error" */
	bool given; /* internal */
};

enum sse_got {
	SSE_NOTHING, /* so far */
	SSE_EVENT,   /* data and name are one, until the next call */
	SSE_LONG,    /* it passes the ceiling */
};

/* most: bytes of the data of one event. */
void sse_init(struct sse *sse, size_t most);
void sse_release(struct sse *sse);
/* An event without data is none. */
enum sse_got sse_line(struct sse *sse, const char *line, size_t len);
/* At the end: is there an event that no blank line ended? */
bool sse_rest(const struct sse *sse);

#endif
