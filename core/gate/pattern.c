/*
 * PCRE2 in the dialect nearest to ECMA-262: \uXXXX, \u{X}, [^], a $ that means the very end.
 *
 * PCRE2's own match limit counts anew at each place where a match may begin, so it does not bound a
 * search through a long text.  A callout before every item of the pattern does: it is charged with
 * the characters that the item before it passed.
 */
#include "config.h"

#include "core/gate/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/mem.h"

#define MATCH_LIMIT 10000000
#define DEPTH_LIMIT 1000000
#define HEAP_LIMIT_KIB 8192
#define CHARS_A_STEP 16

struct pattern {
	pcre2_code *code;
	pcre2_match_context *limits;
	uint32_t options;
};

struct meter {
	uint64_t left;
	size_t at; /* where the last callout was */
};

/* Skip a class: at "[", give the index of its "]"; the end of the text for a class that holds what
 * POSIX means by [:x:], where PCRE2 and ECMA-262 see its "]" at different places. */
static size_t
class_end(const char *text, size_t len, size_t at)
{
	at++;
	if (at < len && text[at] == '^')
		at++;
	while (at < len && text[at] != ']') {
		if (text[at] == '[' && at + 1 < len && strchr(":.=", text[at + 1]))
			return len;
		at += text[at] == '\\' ? 2 : 1;
	}
	return at;
}

/* No flags, no comments, no quoting: nothing that could change what the anchors mean. */
static bool
is_plain_group(const char *text, size_t len, size_t at)
{
	if (at + 1 < len && text[at + 1] == '*')
		return false;
	if (at + 1 >= len || text[at + 1] != '?')
		return true;
	return at + 2 < len && strchr(":=!<", text[at + 2]);
}

static bool
is_anchored(const char *text, size_t len)
{
	size_t depth = 0;

	if (len < 2 || text[0] != '^' || text[len - 1] != '$')
		return false;
	for (size_t i = 1; i < len; i++) {
		if (text[i] == '\\') {
			i++;
			if (i >= len - 1 || text[i] == 'Q' || text[i] == 'E')
				return false;
		} else if (text[i] == '[') {
			i = class_end(text, len, i);
			if (i >= len - 1)
				return false;
		} else if (text[i] == '(') {
			if (!is_plain_group(text, len, i))
				return false;
			depth++;
		} else if (text[i] == ')') {
			depth -= depth > 0;
		} else if (text[i] == '|' && depth == 0) {
			return false;
		}
	}
	return true;
}

static pcre2_match_context *
make_limits(void)
{
	pcre2_match_context *limits = pcre2_match_context_create(NULL);

	if (!limits)
		abort();
	pcre2_set_match_limit(limits, MATCH_LIMIT);
	pcre2_set_depth_limit(limits, DEPTH_LIMIT);
	pcre2_set_heap_limit(limits, HEAP_LIMIT_KIB);
	return limits;
}

static int
on_item(pcre2_callout_block *block, void *arg)
{
	struct meter *meter = arg;
	size_t passed =
		block->current_position > meter->at ? block->current_position - meter->at : 0;
	uint64_t cost = 1 + passed / CHARS_A_STEP;

	meter->at = block->current_position;
	if (cost > meter->left)
		return PCRE2_ERROR_MATCHLIMIT;
	meter->left -= cost;
	return 0;
}

static pcre2_code *
compile(const char *text, size_t len, struct err *err)
{
	const uint32_t options = PCRE2_UTF | PCRE2_ALT_BSUX | PCRE2_ALLOW_EMPTY_CLASS |
				 PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C |
				 PCRE2_NO_AUTO_CAPTURE | PCRE2_AUTO_CALLOUT;
	pcre2_compile_context *dialect = pcre2_compile_context_create(NULL);
	PCRE2_SIZE offset;
	PCRE2_UCHAR why[128];
	pcre2_code *code;
	int number;

	if (!dialect)
		abort();
	pcre2_set_compile_extra_options(dialect, PCRE2_EXTRA_ALT_BSUX);
	code = pcre2_compile((PCRE2_SPTR)text, len, options, &number, &offset, dialect);
	pcre2_compile_context_free(dialect);
	if (code)
		return code;
	pcre2_get_error_message(number, why, sizeof(why));
	err_set(err, ERR_FORMAT, "not a regular expression, at byte %zu: %s", (size_t)offset + 1,
		(const char *)why);
	return NULL;
}

struct pattern *
pattern_new(const char *text, size_t len, bool whole, struct err *err)
{
	struct pattern *pattern;
	pcre2_code *code;

	if (whole && !is_anchored(text, len)) {
		err_set(err, ERR_FORMAT,
			"a pattern of an allow rule must be anchored at both ends: \"^...$\", "
			"alternatives in brackets, no flags");
		return NULL;
	}
	code = compile(text, len, err);
	if (!code)
		return NULL;
	pattern = mem_zero(1, sizeof(*pattern));
	pattern->code = code;
	pattern->limits = make_limits();
	pattern->options = whole ? PCRE2_ANCHORED | PCRE2_ENDANCHORED : 0;
	return pattern;
}

void
pattern_free(struct pattern *pattern)
{
	if (!pattern)
		return;
	pcre2_code_free(pattern->code);
	pcre2_match_context_free(pattern->limits);
	free(pattern);
}

/* What the match grows into goes with its match data: kept, it would be kept for every pattern. */
int
pattern_match(const struct pattern *pattern, const char *text, size_t len, uint64_t *steps)
{
	struct meter meter = { .left = *steps };
	pcre2_match_data *data = pcre2_match_data_create(1, NULL);
	int got;

	if (!data)
		abort();
	pcre2_set_callout(pattern->limits, on_item, &meter);
	got = pcre2_match(
		pattern->code, (PCRE2_SPTR)text, len, 0, pattern->options, data, pattern->limits);
	pcre2_match_data_free(data);
	*steps = meter.left;
	if (got == PCRE2_ERROR_NOMATCH)
		return 0;
	return got < 0 ? -1 : 1;
}
