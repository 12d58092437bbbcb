/*
 * stub.h - one tool as Python people read it: a typed function with a docstring.
 *
 * What a server wrote is cleaned (no control, hidden or bidi characters), capped, and cannot end
 * the docstring or the fence it stands in.  The same definition makes the same bytes.
 *
 * Knows:      json, text, utf8, facts.
 * Unaware of: who reads it; what is gated.
 */
#ifndef CORE_TOOLS_STUB_H
#define CORE_TOOLS_STUB_H

#include <stddef.h>

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/gate/facts.h"

struct buf;

struct stub {             /* borrowed */
	const char *call; /* as a program calls it: "apply_raise" or "payroll.apply_raise" */
	enum effect effect;
	struct json_value definition; /* description, inputSchema, outputSchema */
};

/* The whole stub, lines ended by LF. */
void stub_write(const struct stub *stub, struct buf *out);
/* "apply_raise(name, amount) - first sentence of the description", ended by LF. */
void stub_line(const struct stub *stub, struct buf *out);

/* At most `most` bytes of foreign text, cleaned; `lines`: line breaks stay, and each line begins
 * with indent (NULL: none). */
void stub_clean(struct untrusted text, size_t most, const char *indent, struct buf *out);

#endif
