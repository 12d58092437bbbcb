/*
 * err.h - one error value for every call that can fail.
 *
 * A caller keeps a struct err on its stack and passes its address last.  A callee that fails fills
 * it in and returns -1; one that succeeds returns 0 (or more) and leaves it alone.  NULL is
 * allowed: "only tell me whether".  The struct is flat, so it needs no free and can cross a pipe
 * as it stands.
 *
 * Knows:      attr.
 * Unaware of: who shows the text.
 */
#ifndef CORE_BASE_ERR_H
#define CORE_BASE_ERR_H

#include "core/base/attr.h"

/* For code; err.text is for people, and no code looks into it. */
enum err_kind {
	ERR_NONE,
	ERR_SYSTEM,   /* a system call failed; see errnum */
	ERR_LIMIT,    /* an input was larger than we accept */
	ERR_FORMAT,   /* an input was malformed */
	ERR_STATE,    /* the call does not fit the object's state */
	ERR_REFUSED,  /* policy or a person said no */
	ERR_MISMATCH, /* a digest or number is not the one expected */
	ERR_MISSING,  /* what was named does not exist */
	ERR_USAGE,    /* a word, option or setting is wrong */
	ERR_SANDBOX,  /* a promised protection is not there */
	ERR_RECORD,   /* the record could not be written */
};

#define ERR_TEXT_MAX 512

struct err {
	enum err_kind kind;
	int errnum;
	char text[ERR_TEXT_MAX]; /* one line, no final full stop; cut at the end when longer */
};

/* Both return -1, so that a failing path reads: return err_set(err, ...); */
int err_set(struct err *err, enum err_kind kind, const char *fmt, ...) ATTR_PRINTF(3, 4);
int err_sys(struct err *err, int errnum, const char *fmt, ...) ATTR_PRINTF(3, 4);

/* Put what the caller was doing in front of the text already there ("start init: ..."). */
int err_within(struct err *err, const char *fmt, ...) ATTR_PRINTF(2, 3);

#endif
