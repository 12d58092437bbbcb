/* calls_filter.c - a filter is a list of terms, read once; a call is held against each. */
#include "config.h"

#include "tui/calls_filter.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/session/session.h"
#include "tui/call_words.h"
#include "tui/find.h"

#define TERMS_MAX 32

enum term_kind { TERM_TEXT, TERM_STATE, TERM_TOOL, TERM_LINE, TERM_ATTEMPT, TERM_BY };

struct term {
	enum term_kind kind;
	bool turned;      /* "-" stood before it */
	const char *word; /* in the filter's own copy */
	long number;
};

struct calls_filter {
	char *words;
	struct term terms[TERMS_MAX];
	size_t count;
};

static struct term
term_of(char *word)
{
	static const struct {
		const char *prefix;
		enum term_kind kind;
	} kinds[] = {
		{ "tool:", TERM_TOOL },
		{ "line:", TERM_LINE },
		{ "attempt:", TERM_ATTEMPT },
		{ "by:", TERM_BY },
	};
	struct term term = { .kind = TERM_TEXT };

	if (word[0] == '-' && word[1]) {
		term.turned = true;
		word++;
	}
	term.word = word;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		size_t len = strlen(kinds[i].prefix);

		if (strncmp(word, kinds[i].prefix, len) != 0)
			continue;
		term.kind = kinds[i].kind;
		term.word = word + len;
		term.number = strtol(term.word, NULL, 10);
	}
	if (term.kind == TERM_TEXT && call_state_known(word))
		term.kind = TERM_STATE;
	return term;
}

struct calls_filter *
calls_filter_new(const char *words)
{
	struct calls_filter *filter = mem_zero(1, sizeof(*filter));
	char *save = NULL;

	filter->words = mem_str(words);
	for (char *word = strtok_r(filter->words, " ", &save); word && filter->count < TERMS_MAX;
		word = strtok_r(NULL, " ", &save))
		filter->terms[filter->count++] = term_of(word);
	return filter;
}

void
calls_filter_free(struct calls_filter *filter)
{
	if (filter)
		free(filter->words);
	free(filter);
}

bool
calls_filter_all(const struct calls_filter *filter)
{
	return filter->count == 0;
}

static bool
in(const char *text, const struct find *find)
{
	return text && find_holds(find, text, strlen(text));
}

static bool
term_holds(const struct term *term, const struct session_call *call)
{
	struct find find = { .needle = term->word, .len = strlen(term->word) };

	switch (term->kind) {
	case TERM_STATE:
		return strcmp(call_state_word(call), term->word) == 0;
	case TERM_TOOL:
		return find.len == 0 || in(call->tool, &find);
	case TERM_LINE:
		return call->line == term->number;
	case TERM_ATTEMPT:
		return (long)call->attempt == term->number;
	case TERM_BY:
		return find.len == 0 || in(call->by, &find) || in(call->who, &find);
	case TERM_TEXT:
		break;
	}
	return in(call->tool, &find) || in(call->rule, &find) ||
	       find_holds(&find, call->args.bytes, call->args.len);
}

bool
calls_filter_holds(const struct calls_filter *filter, const struct session_call *call)
{
	for (size_t i = 0; i < filter->count; i++)
		if (term_holds(&filter->terms[i], call) == filter->terms[i].turned)
			return false;
	return true;
}
