/*
 * One pass with a stack of open containers instead of recursion.  What is found goes onto the tape
 * in document order; a container's count and next are filled in when it closes, and an object's
 * member names are compared then too.
 */
#include "config.h"

#include "core/base/strict.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/decimal.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/names.h"
#include "core/base/utf8.h"

#define TEXT_MAX ((size_t)1 << 31)
#define FEW_NAMES 16
#define A_VALUE "null, true, false, a number, a string, \"[\" or \"{\""

struct reading {
	const char *text;
	size_t len;
	size_t at;
	struct strict_tape *tape;
	struct err *err;
	uint32_t open[STRICT_DEPTH]; /* nodes of the open containers */
	unsigned depth;
	bool wants_value;
};

static int
fail_at(struct reading *reading, enum err_kind kind, size_t offset, const char *what)
{
	unsigned line;
	unsigned column;

	strict_position(reading->text, offset, &line, &column);
	return err_set(reading->err, kind, "%u:%u: %s", line, column, what);
}

static int
fail(struct reading *reading, const char *what)
{
	return fail_at(reading, ERR_FORMAT, reading->at, what);
}

static bool
is_space(char byte)
{
	return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

static bool
is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

/* The byte at hand, or NUL at the end: a NUL in the text is never what anybody expects either. */
static char
peek(const struct reading *reading)
{
	return reading->at < reading->len ? reading->text[reading->at] : '\0';
}

static char
peek_past_space(struct reading *reading)
{
	while (reading->at < reading->len && is_space(reading->text[reading->at]))
		reading->at++;
	return peek(reading);
}

static struct strict_node *
add_node(struct reading *reading, enum json_kind kind, size_t start)
{
	struct strict_tape *tape = reading->tape;
	struct strict_node *node;

	if (tape->count == tape->room) {
		tape->room = tape->room ? 2 * tape->room : 16;
		tape->nodes = mem_grow(tape->nodes, tape->room, sizeof(*tape->nodes));
	}
	node = &tape->nodes[tape->count++];
	*node = (struct strict_node){ .kind = (uint8_t)kind,
		.start = (uint32_t)start,
		.len = (uint32_t)(reading->at - start),
		.next = tape->count };
	return node;
}

static int
hex_value(char digit)
{
	if (is_digit(digit))
		return digit - '0';
	if (digit >= 'a' && digit <= 'f')
		return digit - 'a' + 10;
	return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

/* The four digits at text, or -1. */
static int32_t
hex_unit(const char *text, size_t len)
{
	int32_t unit = 0;

	if (len < 4)
		return -1;
	for (size_t i = 0; i < 4; i++) {
		int value = hex_value(text[i]);

		if (value < 0)
			return -1;
		unit = unit << 4 | value;
	}
	return unit;
}

/*
 * The escape at text, which begins with a backslash: gives its length and the character it stands
 * for; 0 when it is none, with *why.
 */
static size_t
read_escape(const char *text, size_t len, uint32_t *code, const char **why)
{
	static const char named[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
	int32_t high;
	int32_t low;

	for (const char *at = named; *at && len > 1; at += 2) {
		if (text[1] == at[0]) {
			*code = (uint32_t)at[1];
			return 2;
		}
	}
	*why = "no such escape; \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four hex digits are";
	if (len < 2 || text[1] != 'u' || (high = hex_unit(text + 2, len - 2)) < 0)
		return 0;
	*code = (uint32_t)high;
	if (high < 0xD800 || high > 0xDFFF)
		return 6;
	*why = "half of a surrogate pair; both halves must be there";
	if (high > 0xDBFF || len < 12 || text[6] != '\\' || text[7] != 'u')
		return 0;
	low = hex_unit(text + 8, len - 8);
	if (low < 0xDC00 || low > 0xDFFF)
		return 0;
	*code = 0x10000 + ((uint32_t)(high - 0xD800) << 10) + (uint32_t)(low - 0xDC00);
	return 12;
}

/* A string's characters that are not plain ASCII: gives the source length, 0 when refused. */
static size_t
read_special(struct reading *reading, struct strict_node *node)
{
	const char *text = reading->text + reading->at;
	size_t left = reading->len - reading->at;
	const char *why = "bytes that are not UTF-8";
	char encoded[4];
	uint32_t code;
	size_t size;

	if ((unsigned char)*text < 0x20) {
		fail(reading, "a control character in a string; it must be escaped");
		return 0;
	}
	if (*text == '\\') {
		size = read_escape(text, left, &code, &why);
		node->escaped = 1;
		if (size)
			node->count += utf8_encode(code, encoded);
	} else {
		size = utf8_decode(text, left, &code);
		node->non_ascii = 1;
		node->count += (uint32_t)size;
	}
	if (!size)
		fail(reading, why);
	return size;
}

static size_t
plain_run(const char *text, size_t len)
{
	size_t at = 0;

	for (; at < len; at++) {
		unsigned char byte = (unsigned char)text[at];

		if (byte < 0x20 || byte > 0x7F || byte == '"' || byte == '\\')
			break;
	}
	return at;
}

/* At the opening quote. */
static int
read_string(struct reading *reading)
{
	size_t start = reading->at++;
	struct strict_node found = { 0 };
	struct strict_node *node;

	for (;;) {
		size_t run = plain_run(reading->text + reading->at, reading->len - reading->at);

		found.count += (uint32_t)run;
		reading->at += run;
		if (reading->at == reading->len)
			return fail_at(reading, ERR_FORMAT, start,
				"the string that begins here does not end");
		if (reading->text[reading->at] == '"')
			break;
		run = read_special(reading, &found);
		if (!run)
			return -1;
		reading->at += run;
	}
	reading->at++;
	node = add_node(reading, JSON_STRING, start);
	node->escaped = found.escaped;
	node->non_ascii = found.non_ascii;
	node->count = found.count;
	return 0;
}

static int
read_digits(struct reading *reading)
{
	if (!is_digit(peek(reading)))
		return fail(reading, "expected a digit");
	while (is_digit(peek(reading)))
		reading->at++;
	return 0;
}

/* Whether a double can hold the number at all. */
static int
check_range(struct reading *reading, size_t start)
{
	struct decimal decimal;
	double value;

	decimal_read(reading->text + start, reading->at - start, &decimal);
	if (decimal_is_zero(&decimal) || (decimal.exponent < 308 && decimal.exponent > -300))
		return 0;
	value = decimal_double(&decimal);
	if (isinf(value))
		return fail_at(reading, ERR_FORMAT, start, "a number beyond the range of a double");
	if (value == 0)
		return fail_at(reading, ERR_FORMAT, start, "a number too close to 0 for a double");
	return 0;
}

static int
read_number(struct reading *reading)
{
	size_t start = reading->at;
	bool whole = true;

	if (peek(reading) == '-')
		reading->at++;
	if (peek(reading) == '0')
		reading->at++;
	else if (read_digits(reading) < 0)
		return -1;
	if (is_digit(peek(reading)))
		return fail(reading, "a digit after a leading 0");
	if (peek(reading) == '.') {
		whole = false;
		reading->at++;
		if (read_digits(reading) < 0)
			return -1;
	}
	if (peek(reading) == 'e' || peek(reading) == 'E') {
		whole = false;
		reading->at++;
		if (peek(reading) == '+' || peek(reading) == '-')
			reading->at++;
		if (read_digits(reading) < 0)
			return -1;
	}
	if (!whole && check_range(reading, start) < 0)
		return -1;
	add_node(reading, JSON_NUMBER, start);
	return 0;
}

static int
read_word(struct reading *reading, const char *word, enum json_kind kind)
{
	size_t start = reading->at;
	size_t len = strlen(word);

	if (reading->len - start < len || memcmp(reading->text + start, word, len) != 0)
		return fail(reading, "expected " A_VALUE);
	reading->at += len;
	add_node(reading, kind, start);
	return 0;
}

static int
open_container(struct reading *reading, enum json_kind kind)
{
	if (reading->depth == STRICT_DEPTH)
		return fail_at(reading, ERR_LIMIT, reading->at, "nested deeper than 64");
	reading->at++;
	reading->open[reading->depth++] = reading->tape->count;
	add_node(reading, kind, reading->at - 1);
	return 0;
}

static bool
has_escaped_name(const struct strict_tape *tape, uint32_t object)
{
	uint32_t at = object + 1;

	for (uint32_t i = 0; i < tape->nodes[object].count; i++) {
		if (tape->nodes[at].escaped)
			return true;
		at = tape->nodes[at + 1].next;
	}
	return false;
}

/* The member names of an object, unescaped where they have to be: those lie in arena. */
static void
collect_names(struct reading *reading, uint32_t object, struct name *names, char *arena)
{
	const struct strict_node *nodes = reading->tape->nodes;
	uint32_t at = object + 1;

	for (uint32_t i = 0; i < nodes[object].count; i++) {
		const struct strict_node *node = &nodes[at];

		names[i] = (struct name){ reading->text + node->start + 1, node->count, at, true };
		if (node->escaped) {
			names[i].bytes = arena;
			arena += strict_unescape(reading->text + node->start, node->len, arena);
		}
		names[i].ascii = !node->escaped && !node->non_ascii;
		at = nodes[at + 1].next;
	}
}

/* No two names of the object may be the same after unescaping and NFC. */
static int
check_names(struct reading *reading, uint32_t object)
{
	const struct strict_node *node = &reading->tape->nodes[object];
	struct name few[FEW_NAMES];
	AUTO_FREE struct name *many = NULL;
	AUTO_FREE char *arena = NULL;
	struct name *names = few;
	uint32_t twice;

	if (node->count < 2)
		return 0;
	if (node->count > FEW_NAMES)
		names = many = mem_zero(node->count, sizeof(*many));
	if (has_escaped_name(reading->tape, object))
		arena = mem_zero(node->len, 1);
	collect_names(reading, object, names, arena);
	twice = names_repeated(names, node->count);
	if (!twice)
		return 0;
	return fail_at(reading, ERR_FORMAT, reading->tape->nodes[twice].start,
		"a member name that stands earlier in the same object");
}

/* At the closing bracket. */
static int
close_container(struct reading *reading)
{
	uint32_t index = reading->open[--reading->depth];
	struct strict_node *node = &reading->tape->nodes[index];

	reading->at++;
	reading->wants_value = false;
	node->len = (uint32_t)(reading->at - node->start);
	node->next = reading->tape->count;
	return node->kind == JSON_OBJECT ? check_names(reading, index) : 0;
}

/* A member's name and colon, up to where its value begins. */
static int
read_name(struct reading *reading)
{
	if (peek_past_space(reading) != '"')
		return fail(reading, "expected a member name in double quotes");
	if (read_string(reading) < 0)
		return -1;
	if (peek_past_space(reading) != ':')
		return fail(reading, "expected \":\" after a member name");
	reading->at++;
	return 0;
}

/* Before an element or member of the innermost container. */
static int
next_element(struct reading *reading)
{
	struct strict_node *node = &reading->tape->nodes[reading->open[reading->depth - 1]];

	node->count++;
	reading->wants_value = true;
	return node->kind == JSON_OBJECT ? read_name(reading) : 0;
}

static int
read_container(struct reading *reading, enum json_kind kind)
{
	char close = kind == JSON_OBJECT ? '}' : ']';

	if (open_container(reading, kind) < 0)
		return -1;
	if (peek_past_space(reading) == close)
		return close_container(reading);
	return next_element(reading);
}

/* A whole scalar, or a container up to where its first value begins. */
static int
begin_value(struct reading *reading)
{
	char byte = peek_past_space(reading);

	reading->wants_value = false;
	switch (byte) {
	case '{':
		return read_container(reading, JSON_OBJECT);
	case '[':
		return read_container(reading, JSON_ARRAY);
	case '"':
		return read_string(reading);
	case 'n':
		return read_word(reading, "null", JSON_NULL);
	case 't':
		return read_word(reading, "true", JSON_TRUE);
	case 'f':
		return read_word(reading, "false", JSON_FALSE);
	default:
		if (byte == '-' || is_digit(byte))
			return read_number(reading);
		return fail(reading, "expected " A_VALUE);
	}
}

static int
after_value(struct reading *reading)
{
	bool object = reading->tape->nodes[reading->open[reading->depth - 1]].kind == JSON_OBJECT;
	char byte = peek_past_space(reading);

	if (byte == (object ? '}' : ']'))
		return close_container(reading);
	if (byte != ',')
		return fail(reading, object ? "expected \",\" or \"}\" after a member"
					    : "expected \",\" or \"]\" after an element");
	reading->at++;
	return next_element(reading);
}

static int
read_all(struct reading *reading)
{
	do {
		if (begin_value(reading) < 0)
			return -1;
		while (!reading->wants_value && reading->depth > 0) {
			if (after_value(reading) < 0)
				return -1;
		}
	} while (reading->wants_value);
	peek_past_space(reading);
	if (reading->at < reading->len)
		return fail(reading, "more text after the one value that is expected");
	return 0;
}

int
strict_read(const char *text, size_t len, struct strict_tape *tape, struct err *err)
{
	struct reading reading = { .text = len ? text : "", .len = len, .tape = tape, .err = err };

	tape->count = 0;
	if (len > TEXT_MAX)
		return err_set(err, ERR_LIMIT, "a text of more than 2147483648 bytes");
	if (len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
		return fail(&reading, "a byte order mark; the text must begin without one");
	return read_all(&reading);
}

void
strict_tape_release(struct strict_tape *tape)
{
	free(tape->nodes);
	*tape = (struct strict_tape){ 0 };
}

size_t
strict_unescape(const char *span, size_t len, char *out)
{
	const char *at = span + 1;
	const char *end = span + len - 1;
	char *to = out;

	while (at < end) {
		const char *stop = memchr(at, '\\', (size_t)(end - at));
		size_t run = (size_t)((stop ? stop : end) - at);
		const char *why;
		uint32_t code;

		memcpy(to, at, run);
		to += run;
		at += run;
		if (at < end) {
			at += read_escape(at, (size_t)(end - at), &code, &why);
			to += utf8_encode(code, to);
		}
	}
	return (size_t)(to - out);
}

/* The end of the string that begins at text[at], past its closing quote. */
static size_t
string_end(const char *text, size_t len, size_t at)
{
	for (at++; at < len && text[at] != '"'; at++) {
		if (text[at] == '\\')
			at++;
	}
	return at + 1;
}

void
strict_compact(const char *text, size_t len, struct buf *out)
{
	for (size_t at = 0; at < len;) {
		size_t from = at;

		while (at < len && !is_space(text[at]))
			at = text[at] == '"' ? string_end(text, len, at) : at + 1;
		buf_put(out, text + from, at - from);
		while (at < len && is_space(text[at]))
			at++;
	}
}

void
strict_position(const char *text, size_t offset, unsigned *line, unsigned *column)
{
	size_t line_start = 0;
	const char *found;

	*line = 1;
	while ((found = memchr(text + line_start, '\n', offset - line_start))) {
		(*line)++;
		line_start = (size_t)(found - text) + 1;
	}
	*column = (unsigned)(offset - line_start) + 1;
}
