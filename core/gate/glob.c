/*
 * The matcher remembers one `*` to come back to: a later star makes an earlier one's other choices
 * irrelevant, so no recursion is needed.
 */
#include "config.h"

#include "core/gate/glob.h"

#include <string.h>

#include "core/base/err.h"

/* ASCII alone: a locale must not decide what a rule covers. */
static int
lower(int c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static int
upper(int c)
{
	return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c;
}

static int
folded(char c, bool fold)
{
	return fold ? lower((unsigned char)c) : (unsigned char)c;
}

static const char *
class_begin(const char *open)
{
	return open + (open[1] == '!' || open[1] == '^' ? 2 : 1);
}

/* The class that begins at "[": its closing bracket, or NULL. */
static const char *
class_end(const char *open)
{
	const char *at = class_begin(open);

	if (*at == ']')
		at++;
	return strchr(at, ']');
}

/* The elements of a class, past its negation: a character, or a range of them. */
struct span {
	int low, high;
	const char *next;
};

static struct span
span_at(const char *at, const char *close)
{
	bool range = at + 2 < close && at[1] == '-';

	return (struct span){ (unsigned char)at[0], (unsigned char)at[range ? 2 : 0],
		at + (range ? 3 : 1) };
}

static bool
span_has(const struct span *span, int c)
{
	return c >= span->low && c <= span->high;
}

/* Folding tries both cases of the text against the class as it is written: [Z-a] stays a range. */
static bool
class_has(const char *open, const char *close, char c, bool fold)
{
	const char *at = class_begin(open);
	bool negated = at != open + 1;
	bool found = false;
	int wanted = (unsigned char)c;

	while (at < close && !found) {
		struct span span = span_at(at, close);

		found = span_has(&span, wanted) ||
			(fold &&
				(span_has(&span, lower(wanted)) || span_has(&span, upper(wanted))));
		at = span.next;
	}
	return found != negated;
}

/* One element of the pattern against one character; *next gets what follows the element. */
static bool
element_matches(const char *pattern, char c, bool fold, const char **next)
{
	const char *close = *pattern == '[' ? class_end(pattern) : NULL;

	*next = close ? close + 1 : pattern + 1;
	if (close)
		return class_has(pattern, close, c, fold);
	return *pattern == '?' || folded(*pattern, fold) == folded(c, fold);
}

bool
glob_match(const char *pattern, const char *text, bool fold)
{
	const char *star = NULL;
	const char *resume = NULL;
	const char *next;

	while (*text) {
		if (*pattern == '*') {
			star = ++pattern;
			resume = text;
		} else if (*pattern && element_matches(pattern, *text, fold, &next)) {
			pattern = next;
			text++;
		} else if (star) {
			pattern = star;
			text = ++resume;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return *pattern == '\0';
}

bool
glob_is_bare(const char *pattern)
{
	return strchr(pattern, '.') == NULL;
}

bool
glob_match_tool(const char *pattern, const char *full, const char *name, bool fold)
{
	return glob_match(pattern, glob_is_bare(pattern) ? name : full, fold);
}

/* A class that can match something: a range that runs backwards would make a deny match nothing. */
static int
check_class(const char *pattern, const char *open, const char *close, struct err *err)
{
	const char *at = class_begin(open);

	while (at < close) {
		struct span span = span_at(at, close);

		if (span.low > span.high)
			return err_set(err, ERR_FORMAT,
				"the range \"%.3s\" in \"%s\" runs backwards; [a-z] is accepted",
				at, pattern);
		at = span.next;
	}
	return 0;
}

int
glob_check(const char *pattern, struct err *err)
{
	if (!*pattern)
		return err_set(
			err, ERR_FORMAT, "an empty pattern; a tool's name or a glob is accepted");
	for (const char *at = pattern; *at; at++) {
		const char *open = at;

		if ((unsigned char)*at < 0x21 || (unsigned char)*at > 0x7e)
			return err_set(err, ERR_FORMAT,
				"a pattern has only printable ASCII without spaces");
		if (*at != '[')
			continue;
		at = class_end(open);
		if (!at)
			return err_set(err, ERR_FORMAT,
				"\"[\" without its \"]\" in \"%s\"; * ? [ab] [a-z] are accepted",
				pattern);
		if (check_class(pattern, open, at, err) < 0)
			return -1;
	}
	return 0;
}
