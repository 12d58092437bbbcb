#include "config.h"

#include "core/model/model.h"

static const char *const stop_names[] = {
	[MODEL_COMPLETE] = "complete",
	[MODEL_LENGTH] = "length",
	[MODEL_REFUSAL] = "refusal",
	[MODEL_FILTERED] = "filtered",
	[MODEL_CUT] = "cut",
	[MODEL_ERROR] = "error",
	[MODEL_CANCELLED] = "cancelled",
};

const char *
model_stop_name(enum model_stop stop)
{
	return stop_names[stop];
}
