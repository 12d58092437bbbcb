/*
 * model.h - one reply of a model, whoever gives it: asked for, streamed, ended.
 *
 * A provider is a struct model with a table of operations.  One reply at a time: on_delta any
 * number of times, then on_end once.  Text that is not from a reply that ended with MODEL_COMPLETE
 * is never a program.
 *
 * Knows:      text.
 * Unaware of: wire formats, HTTP, what is asked and what follows a reply.
 * Calls back: the hooks of the reply, from the loop.
 */
#ifndef CORE_MODEL_MODEL_H
#define CORE_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"
#include "core/base/text.h"

struct err;

enum model_role {
	MODEL_USER,
	MODEL_ASSISTANT,
};

struct model_message {
	enum model_role role;
	struct untrusted text;
};

struct model_request { /* borrowed until on_end */
	struct untrusted instructions;
	const struct model_message *messages; /* begins and ends with the user's */
	size_t count;
};

enum model_part {
	MODEL_TEXT,
	MODEL_REASONING,
};

/* How a reply ended; kept apart because only the first one may run. */
enum model_stop {
	MODEL_COMPLETE,  /* the terminal marker came, with a clean reason */
	MODEL_LENGTH,    /* at a limit of tokens, or of the context */
	MODEL_REFUSAL,   /* the model, or who serves it, will not answer */
	MODEL_FILTERED,  /* a content filter */
	MODEL_CUT,       /* the stream ended without its terminal marker */
	MODEL_ERROR,     /* an error before or within the stream, or one of our limits */
	MODEL_CANCELLED, /* by model_cancel() */
};
const char *model_stop_name(enum model_stop stop); /* the words of model.end */

/* Tokens; -1: not said.  input includes what was read from a cache, output the reasoning. */
struct model_usage {
	int64_t input, output, cached, reasoning;
};
#define MODEL_USAGE_UNKNOWN ((struct model_usage){ -1, -1, -1, -1 })

struct model_end { /* borrowed during on_end; all text is foreign */
	enum model_stop stop;
	const char *reason;     /* the peer's own word for the end; NULL: none came */
	const char *error;      /* for people: what, and what to do; NULL: none */
	const char *request_id; /* NULL: none */
	int status;             /* HTTP; 0: no answer, or no HTTP */
	struct model_usage usage;
};

struct model_hooks {
	/* A stretch of whole characters (valid UTF-8), as it came. */
	void (*on_delta)(enum model_part part, const char *bytes, size_t len, void *arg);
	/* Nothing of the reply was shown yet: it is asked for again in wait_ms. */
	void (*on_retry)(const char *cause, int64_t wait_ms, void *arg);
	/* Last.  Another reply may be asked for from here, and the model be freed. */
	void (*on_end)(const struct model_end *end, void *arg);
	void *arg;
};

struct model;
struct model_ops {
	const char *provider; /* "openai" */
	void (*ask)(struct model *model, const struct model_request *request,
		const struct model_hooks *hooks);
	/* on_end follows from the loop, with MODEL_CANCELLED.  Nothing when no reply goes on. */
	void (*cancel)(struct model *model);
	void (*free)(struct model *model); /* also during a reply, whose hooks are dropped */
};
struct model {
	const struct model_ops *ops;
};

static inline void
model_ask(struct model *model, const struct model_request *request, const struct model_hooks *hooks)
{
	model->ops->ask(model, request, hooks);
}

static inline void
model_cancel(struct model *model)
{
	model->ops->cancel(model);
}

static inline void
model_free(struct model *model) /* NULL is fine */
{
	if (model)
		model->ops->free(model);
}

#endif
