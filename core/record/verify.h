/*
 * verify.h - is a record whole, unchanged, complete and in order (formats.md 1).
 *
 * Constant memory but for the open calls.  Signatures are not checked yet: a record that carries
 * one is reported as "not checked".
 *
 * Knows:      reader, event.
 * Unaware of: what the calls did.
 */
#ifndef CORE_RECORD_VERIFY_H
#define CORE_RECORD_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"
#include "core/base/hash.h"

struct err;

enum verify_code { /* the exit codes of `tollbridge verify` */
	VERIFY_SIGNED = 0,
	VERIFY_WHOLE = 1,
	VERIFY_INCOMPLETE = 2,
	VERIFY_BROKEN = 3,
	VERIFY_SIGNATURE = 4,
	VERIFY_ANCHOR = 5,
	VERIFY_ORDER = 6,
	VERIFY_FORMAT = 7,
	VERIFY_IO = 8,
	VERIFY_CONTENT = 9,
	VERIFY_USAGE = 64,
};

struct verify_result {
	enum verify_code code;
	char text[512]; /* one line for people: what is wrong first and where, what could not be
			   checked */
	uint64_t events, contents, redacted;
	uint64_t bad_seq; /* of the first fault; valid when code is 3..9 */
	int64_t bad_offset;
	struct digest head; /* of the last good event line */
	uint64_t undecided; /* calls requested and never decided */
	uint64_t unknown;   /* calls started and never ended */
	bool torn;
};

/* anchor: a head that must occur, or NULL.  fd is read from its start; it stays the caller's. */
void verify_fd(int fd, const struct digest *anchor, struct verify_result *result);

#endif
