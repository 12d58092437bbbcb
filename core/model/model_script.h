/*
 * model_script.h - a file that plays the model: for demonstrations, offline use and tests.
 *
 * The file holds the replies one after the other, each but the last followed by a line that says
 * "=== next reply ===".  What stands in <think>...</think> at the beginning of one is its
 * reasoning.  A reply comes in pieces of a line's words, as a model's does.
 *
 * Knows:      loop, model, io.
 * Unaware of: what it is asked.
 * Calls back: as model.h says.
 */
#ifndef CORE_MODEL_MODEL_SCRIPT_H
#define CORE_MODEL_MODEL_SCRIPT_H

#include <stdint.h>

#include "core/base/attr.h"

struct err;
struct loop;
struct model;

/* piece_ms: between two pieces; 0: a whole reply at once.  Gives a model; NULL with ERR_USAGE when
 * the file cannot be read or is no UTF-8 text.  Borrows the loop. */
struct model *model_script_new(
	struct loop *loop, const char *path, int64_t piece_ms, struct err *err) ATTR_CHECKED;

#endif
