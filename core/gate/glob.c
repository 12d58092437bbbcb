/*
 * The matcher remembers one `*` to come back to: a later star makes an earlier one's other choices
 * irrelevant, so no recursion is needed.
 */
#include "config.h"

#include "core/gate/glob.h"

#include <ctype.h>
#include <string.h>

#include "core/base/err.h"

static int
folded(char c, bool fold)
{
	return fold ? tolower((unsigned char)c) : (unsigned char)c;
}

/* The class that begins at "[": its closing bracket, or NULL. */
static const char *
class_end(const char *open)
{
	const char *at = open + 1;

	if (*at == '!' || *at == '^')
		at++;
	if (*at == ']')
		at++;
	return strchr(at, ']');
}

static bool
class_has(const char *open, const char *close, char c, bool fold)
{
	const char *at = open + 1;
	bool negated = *at == '!' || *at == '^';
	bool found = false;
	int wanted = folded(c, fold);

	if (negated)
		at++;
	while (at < close) {
		int low = folded(*at, fold);
		bool range = at + 2 < close && at[1] == '-';
		int high = range ? folded(at[2], fold) : low;

		found = found || (wanted >= low && wanted <= high);
		at += range ? 3 : 1;
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

int
glob_check(const char *pattern, struct err *err)
{
	if (!*pattern)
		return err_set(
			err, ERR_FORMAT, "an empty pattern; a tool's name or a glob is accepted");
	for (const char *at = pattern; *at; at++) {
		if ((unsigned char)*at < 0x21 || (unsigned char)*at > 0x7e)
			return err_set(err, ERR_FORMAT,
				"a pattern has only printable ASCII without spaces");
		if (*at != '[')
			continue;
		at = class_end(at);
		if (!at)
			return err_set(err, ERR_FORMAT,
				"\"[\" without its \"]\" in \"%s\"; * ? [ab] [a-z] are accepted",
				pattern);
	}
	return 0;
}
