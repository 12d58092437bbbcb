/*
 * code.c - one walk over the source, a style a byte.
 *
 * Colour is a help for the eye only: what this takes for a string or a keyword decides nothing, so
 * it never fails and needs no grammar.  F-strings are strings as a whole.
 */
#include "config.h"

#include "tui/code.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

struct code {
	code_tool_fn is_tool;
	void *arg;
	uint8_t *styles;
	size_t len;
};

struct walk {
	struct code *code;
	const char *bytes;
	size_t len, at;
	bool line_begins; /* nothing but blanks since the line break: for decorators */
	bool defines;     /* the word before was def or class */
	bool after_dot;
};

static const char *const keywords[] = { "False", "None", "True", "and", "as", "assert", "async",
	"await", "break", "class", "continue", "def", "del", "elif", "else", "except", "finally",
	"for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or",
	"pass", "raise", "return", "try", "while", "with", "yield" };

static const char *const builtins[] = { "BaseException", "BudgetExceeded", "Exception",
	"IndexError", "KeyError", "OSError", "RuntimeError", "StopIteration", "ToolDenied",
	"ToolError", "TypeError", "ValueError", "abs", "all", "any", "bin", "bool", "bytearray",
	"bytes", "callable", "chr", "dict", "dir", "divmod", "enumerate", "eval", "exec", "filter",
	"float", "format", "frozenset", "getattr", "hasattr", "hash", "hex", "id", "input", "int",
	"isinstance", "issubclass", "iter", "len", "list", "map", "max", "min", "next", "object",
	"oct", "open", "ord", "pow", "print", "property", "range", "repr", "reversed", "round",
	"set", "setattr", "slice", "sorted", "str", "sum", "super", "tuple", "type", "vars",
	"zip" };

struct code *
code_new(code_tool_fn is_tool, void *arg)
{
	struct code *code = mem_zero(1, sizeof(*code));

	code->is_tool = is_tool;
	code->arg = arg;
	return code;
}

void
code_free(struct code *code)
{
	if (code)
		free(code->styles);
	free(code);
}

enum style
code_style_at(const struct code *code, size_t source_at)
{
	return source_at < code->len ? code->styles[source_at] : STYLE_TEXT;
}

static void
paint(struct walk *walk, size_t from, size_t to, enum style style)
{
	memset(walk->code->styles + from, (int)style, to - from);
}

static bool
is_letter(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' ||
	       (unsigned char)byte >= 0x80;
}

static bool
is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

static size_t
word_end(const struct walk *walk, size_t at)
{
	while (at < walk->len && (is_letter(walk->bytes[at]) || is_digit(walk->bytes[at])))
		at++;
	return at;
}

static int
compare_word(const char *word, size_t len, const char *listed)
{
	int order = strncmp(word, listed, len);

	return order ? order : -(listed[len] != '\0');
}

static bool
is_listed(const char *word, size_t len, const char *const *list, size_t count)
{
	size_t low = 0;

	while (low < count) {
		size_t middle = low + (count - low) / 2;
		int order = compare_word(word, len, list[middle]);

		if (order == 0)
			return true;
		if (order < 0)
			count = middle;
		else
			low = middle + 1;
	}
	return false;
}

/* To the end of a string that opens at `open` (its quotes), or of the source or line. */
static size_t
string_end(const struct walk *walk, size_t open, bool raw)
{
	const char *bytes = walk->bytes;
	char quote = bytes[open];
	bool triple = open + 2 < walk->len && bytes[open + 1] == quote && bytes[open + 2] == quote;
	size_t at = open + (triple ? 3 : 1);

	for (; at < walk->len; at++) {
		/* A raw string's backslash still keeps a quote from ending it. */
		if (bytes[at] == '\\' && at + 1 < walk->len &&
			(!raw || bytes[at + 1] == quote || bytes[at + 1] == '\\'))
			at++;
		else if (!triple && bytes[at] == '\n')
			return at;
		else if (bytes[at] == quote && !triple)
			return at + 1;
		else if (bytes[at] == quote && at + 2 < walk->len && bytes[at + 1] == quote &&
			 bytes[at + 2] == quote)
			return at + 3;
	}
	return walk->len;
}

/* Is this word the prefix of a string ("rb", "F")?  Then where its quote is. */
static bool
is_prefix(const struct walk *walk, size_t from, size_t to, bool *raw)
{
	*raw = false;
	if (to - from > 2 || to >= walk->len || (walk->bytes[to] != '"' && walk->bytes[to] != '\''))
		return false;
	for (size_t i = from; i < to; i++) {
		char letter = (char)(walk->bytes[i] | 0x20);

		if (!strchr("rbfu", letter))
			return false;
		*raw |= letter == 'r';
	}
	return true;
}

/* "name.name.name" from here. */
static size_t
chain_end(const struct walk *walk, size_t at)
{
	size_t end = word_end(walk, at);

	while (end + 1 < walk->len && walk->bytes[end] == '.' && is_letter(walk->bytes[end + 1]))
		end = word_end(walk, end + 1);
	return end;
}

static bool
is_tool(const struct walk *walk, size_t from, size_t to)
{
	return walk->code->is_tool && to > from &&
	       walk->code->is_tool(walk->bytes + from, to - from, walk->code->arg);
}

static enum style
word_style(struct walk *walk, size_t from, size_t to)
{
	const char *word = walk->bytes + from;

	if (is_listed(word, to - from, keywords, ARRAY_SIZE(keywords)))
		return STYLE_CODE_KEYWORD;
	if (walk->defines)
		return STYLE_CODE_DEF;
	if (walk->after_dot)
		return STYLE_TEXT;
	if (is_tool(walk, from, to))
		return STYLE_CODE_TOOL;
	if (is_listed(word, to - from, builtins, ARRAY_SIZE(builtins)))
		return STYLE_CODE_BUILTIN;
	return STYLE_TEXT;
}

static bool
is_word(const struct walk *walk, size_t from, size_t to, const char *word)
{
	return to - from == strlen(word) && memcmp(walk->bytes + from, word, to - from) == 0;
}

static size_t
on_word(struct walk *walk)
{
	size_t from = walk->at, to = word_end(walk, from), chain = chain_end(walk, from);
	bool raw;

	if (is_prefix(walk, from, to, &raw)) {
		size_t end = string_end(walk, to, raw);

		paint(walk, from, end, STYLE_CODE_STRING);
		return end;
	}
	if (chain > to && !walk->after_dot && is_tool(walk, from, chain)) {
		paint(walk, from, chain, STYLE_CODE_TOOL);
		return chain;
	}
	paint(walk, from, to, word_style(walk, from, to));
	walk->defines = is_word(walk, from, to, "def") || is_word(walk, from, to, "class");
	return to;
}

static size_t
on_number(struct walk *walk)
{
	size_t at = walk->at;

	while (at < walk->len && (is_letter(walk->bytes[at]) || is_digit(walk->bytes[at]) ||
					 walk->bytes[at] == '.' ||
					 ((walk->bytes[at] == '-' || walk->bytes[at] == '+') &&
						 (walk->bytes[at - 1] | 0x20) == 'e' &&
						 walk->bytes[walk->at] != '0')))
		at++;
	paint(walk, walk->at, at, STYLE_CODE_NUMBER);
	return at;
}

static size_t
on_comment(struct walk *walk)
{
	const char *end = memchr(walk->bytes + walk->at, '\n', walk->len - walk->at);
	size_t to = end ? (size_t)(end - walk->bytes) : walk->len;

	paint(walk, walk->at, to, STYLE_CODE_COMMENT);
	return to;
}

/* The piece at walk->at; gives where the next one begins. */
static size_t
piece(struct walk *walk)
{
	char byte = walk->bytes[walk->at];
	bool after_dot = walk->after_dot;
	size_t to;

	if (is_letter(byte)) {
		to = on_word(walk);
	} else if (is_digit(byte) || (byte == '.' && walk->at + 1 < walk->len && !after_dot &&
					     is_digit(walk->bytes[walk->at + 1]))) {
		to = on_number(walk);
	} else if (byte == '#') {
		to = on_comment(walk);
	} else if (byte == '"' || byte == '\'') {
		to = string_end(walk, walk->at, false);
		paint(walk, walk->at, to, STYLE_CODE_STRING);
	} else if (byte == '@' && walk->line_begins) {
		to = chain_end(walk, walk->at + 1);
		paint(walk, walk->at, to, STYLE_CODE_DEF);
	} else {
		to = walk->at + 1;
	}
	walk->after_dot = byte == '.' && to == walk->at + 1;
	if (byte != ' ' && byte != '\t')
		walk->line_begins = byte == '\n';
	if (!is_letter(byte) && byte != ' ')
		walk->defines = false;
	return to;
}

void
code_set(struct code *code, struct untrusted source)
{
	struct walk walk = { code, source.bytes, source.len, 0, true, false, false };

	free(code->styles);
	code->styles = mem_zero(source.len + 1, 1);
	code->len = source.len;
	memset(code->styles, STYLE_TEXT, source.len);
	while (walk.at < walk.len)
		walk.at = piece(&walk);
}
