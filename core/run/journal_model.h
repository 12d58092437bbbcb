/*
 * journal_model.h - the events of a model's turns (formats.md 1), through the journal.
 *
 * Knows:      journal, model.
 * Unaware of: why a model is asked.
 */
#ifndef CORE_RUN_JOURNAL_MODEL_H
#define CORE_RUN_JOURNAL_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/text.h"
#include "core/model/model.h"

struct journal;

struct journal_model_request {
	unsigned run, turn;                   /* turns are numbered through the session from 1 */
	const char *purpose;                  /* "program", "repair", "answer" */
	const char *host;                     /* where it goes; NULL: nowhere (a script) */
	int64_t bytes;                        /* of the body sent, or of all texts */
	struct untrusted instructions;        /* empty: as in the request before */
	const struct model_message *messages; /* those that are new since the request before */
	size_t count;
};
void journal_model_request(struct journal *journal, const struct journal_model_request *request);
void journal_model_delta(struct journal *journal, unsigned run, unsigned turn, enum model_part part,
	struct untrusted text);
void journal_model_retry(
	struct journal *journal, unsigned run, unsigned turn, const char *cause, int64_t wait_ms);
struct journal_model_end {
	unsigned run, turn;
	const struct model_end *end;
	const char *refused;  /* why its text is no program (extract_words()); NULL: it is, or
			       * none was wanted */
	int64_t cost_micro;   /* millionths of a US dollar; -1: no price is known */
	int64_t ms, first_ms; /* the whole turn; until the first delta, -1: none came */
};
void journal_model_end(struct journal *journal, const struct journal_model_end *end);

#endif
