/*
 * summary.h - what the two ends of a record tell: enough for a row in a list, without its middle.
 *
 * The first events name the session and its task, the last ones how it ended.  Nothing is verified;
 * what does not read is said in fault.  A record that no end closes is gone through line by line,
 * by the first bytes of each, to count its calls.
 *
 * Knows:      record/reader, io, json, mem.
 * Unaware of: folds, who writes the record.
 */
#ifndef CORE_SESSION_SUMMARY_H
#define CORE_SESSION_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"

struct err;

/* Text is foreign, and NULL where the record gave none. */
struct summary {
	char *name, *mode, *task;
	int64_t began;  /* UTC ns since 1970; 0: unknown */
	int64_t length; /* ns from the first event to the last one that was found; -1: unknown */
	bool ended;     /* session.end is there */
	bool torn;      /* bytes after the last whole line */
	char *outcome, *closed_by;
	int exit_code;         /* once ended */
	int64_t calls, denied; /* -1: unknown */
	char *fault;           /* why it cannot be told; our words; NULL: it can */
};

/* Always fills *summary; the caller's to release. */
void summary_read(const char *path, struct summary *summary);
void summary_release(struct summary *summary);

/* The effective configuration as session.start keeps it, JSON.  Gives it, or NULL. */
char *summary_config(const char *path, size_t *len, struct err *err) ATTR_CHECKED;

/* "payroll-1 was cut off" in one word: the outcome, or "cut off", "torn", "unreadable".  Foreign.
 */
const char *summary_state(const struct summary *summary);

#endif
