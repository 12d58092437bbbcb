/* PCRE2 in the dialect nearest to ECMA-262: \uXXXX, [^], a $ that means the very end. */
#include "config.h"

#include "core/gate/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/mem.h"

#define MATCH_LIMIT 200000
#define DEPTH_LIMIT 2000
#define HEAP_LIMIT_KIB 4096

struct pattern {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *limits;
	uint32_t options;
};

/* Skip a class: at "[", give the index of its "]". */
static size_t
class_end(const char *text, size_t len, size_t at)
{
	at++;
	if (at < len && text[at] == '^')
		at++;
	while (at < len && text[at] != ']')
		at += text[at] == '\\' ? 2 : 1;
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

struct pattern *
pattern_new(const char *text, size_t len, bool whole, struct err *err)
{
	const uint32_t options = PCRE2_UTF | PCRE2_ALT_BSUX | PCRE2_ALLOW_EMPTY_CLASS |
				 PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C |
				 PCRE2_NO_AUTO_CAPTURE;
	struct pattern *pattern;
	pcre2_code *code;
	PCRE2_SIZE offset;
	PCRE2_UCHAR why[128];
	int number;

	if (whole && !is_anchored(text, len)) {
		err_set(err, ERR_FORMAT,
			"a pattern of an allow rule must be anchored at both ends: \"^...$\", "
			"alternatives in brackets, no flags");
		return NULL;
	}
	code = pcre2_compile((PCRE2_SPTR)text, len, options, &number, &offset, NULL);
	if (!code) {
		pcre2_get_error_message(number, why, sizeof(why));
		err_set(err, ERR_FORMAT, "not a regular expression, at character %zu: %s",
			(size_t)offset + 1, (const char *)why);
		return NULL;
	}
	pattern = mem_zero(1, sizeof(*pattern));
	pattern->code = code;
	pattern->data = pcre2_match_data_create(1, NULL);
	pattern->limits = make_limits();
	pattern->options = whole ? PCRE2_ANCHORED | PCRE2_ENDANCHORED : 0;
	if (!pattern->data)
		abort();
	return pattern;
}

void
pattern_free(struct pattern *pattern)
{
	if (!pattern)
		return;
	pcre2_code_free(pattern->code);
	pcre2_match_data_free(pattern->data);
	pcre2_match_context_free(pattern->limits);
	free(pattern);
}

int
pattern_match(const struct pattern *pattern, const char *text, size_t len)
{
	int got = pcre2_match(pattern->code, (PCRE2_SPTR)text, len, 0, pattern->options,
		pattern->data, pattern->limits);

	if (got == PCRE2_ERROR_NOMATCH)
		return 0;
	return got < 0 ? -1 : 1;
}
