/*
 * An escape begins with "_x" and two hexadecimal digits, and a plain "_" is never followed by that,
 * so reading from the left tells the two apart.
 */
#include "config.h"

#include "core/tools/python_name.h"

#include <stddef.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"

static const char *const keywords[] = {
#define KEYWORD(word) word,
#define BUILTIN(word)
#include "core/tools/python_words.def"
#undef KEYWORD
#undef BUILTIN
};

static const char *const builtins[] = {
#define KEYWORD(word)
#define BUILTIN(word) word,
#include "core/tools/python_words.def"
#undef KEYWORD
#undef BUILTIN
};

static bool
listed(const char *const *words, size_t count, const char *word, size_t len)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(words[i]) == len && memcmp(words[i], word, len) == 0)
			return true;
	return false;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f');
}

static bool
must_escape(const char *name, size_t at)
{
	const char *here = name + at;

	if (is_letter(*here))
		return false;
	if (is_digit(*here))
		return at == 0;
	if (*here != '_')
		return true;
	return (at == 0 && here[1] == '_') ||
	       (here[1] == 'x' && is_hex(here[2]) && is_hex(here[3]));
}

static char *
identifier(const char *name, bool beside_builtins)
{
	AUTO_BUF struct buf out;
	size_t stem;

	buf_init(&out, BUF_UNBOUNDED);
	for (size_t at = 0; name[at]; at++) {
		if (must_escape(name, at))
			buf_printf(&out, "_x%02x", (unsigned char)name[at]);
		else
			buf_byte(&out, name[at]);
	}
	if (out.len == 0)
		buf_str(&out, "_x");
	stem = out.len;
	while (stem > 0 && out.data[stem - 1] == '_')
		stem--;
	if (!listed(keywords, ARRAY_SIZE(keywords), out.data, stem) &&
		!(beside_builtins && listed(builtins, ARRAY_SIZE(builtins), out.data, stem)))
		return buf_give(&out);
	if (stem == out.len)
		buf_byte(&out, '_');
	else
		return mem_printf("%.*s_x5f", (int)(out.len - 1), out.data);
	return buf_give(&out);
}

char *
python_name(const char *name)
{
	return identifier(name, false);
}

char *
python_server_name(const char *name)
{
	return identifier(name, true);
}

bool
python_name_hides(const char *word)
{
	return listed(builtins, ARRAY_SIZE(builtins), word, strlen(word));
}
