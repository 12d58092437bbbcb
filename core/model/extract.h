/*
 * extract.h - exactly one program from a whole reply, or the rule by which there is none.
 *
 * Takes the forms models use (```python, ```py, ~~~, prose around, <think>, a bare program) and
 * refuses what is ambiguous.  What is refused is explained in words that serve the person and the
 * model.  Only for a reply that ended with MODEL_COMPLETE.
 *
 * Knows:      text, mem.
 * Unaware of: where the reply came from; whether the program is valid Python.
 */
#ifndef CORE_MODEL_EXTRACT_H
#define CORE_MODEL_EXTRACT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/text.h"

enum extract_rule {
	EXTRACT_PROGRAM,   /* one was found */
	EXTRACT_NONE,      /* no fence and no program: prose only */
	EXTRACT_EMPTY,     /* the fence is empty, or the reply is */
	EXTRACT_OPEN,      /* a fence is not closed: the program may be cut */
	EXTRACT_SEVERAL,   /* more than one fenced program that differ */
	EXTRACT_TOOL_CALL, /* a tool call as JSON in place of code */
	EXTRACT_LANGUAGE,  /* the only fence is marked as another language */
	EXTRACT_CONTROL,   /* bytes that no Python source has (NUL) */
};

struct extract {
	enum extract_rule rule;
	size_t at, len; /* the program within the reply; 0, 0 when there is none */
};
void extract_program(struct untrusted reply, struct extract *out);
/* Why there is no program, and what would be accepted; a whole sentence.  Static. */
const char *extract_words(enum extract_rule rule);

/* While a reply streams: where the program begins and ends so far, by the same forms; len 0: not
 * yet. */
void extract_preview(struct untrusted reply, struct extract *out);

#endif
