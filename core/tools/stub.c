/*
 * Types are a reading aid: what they cannot say (patterns, ranges, conditions) the schema still
 * holds at the bridge.
 */
#include "config.h"

#include "core/tools/stub.h"

#include <stdbool.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/base/utf8.h"

#define DESCRIPTION_MAX 2000 /* bytes; of a tool */
#define ARGUMENT_MAX 300     /* of one argument */
#define LINE_MAX_BYTES 120
#define NAME_MAX_BYTES 80
#define DEPTH_MAX 4
#define CHOICES_MAX 20
#define MEMBERS_MAX 30

/* --- foreign text --- */

struct cleaner {
	struct buf *out;
	size_t left;
	const char *indent; /* NULL: line breaks become spaces */
	bool space, begun;
	unsigned breaks; /* line ends that come before the next character */
	unsigned quotes; /* equal quote or fence characters in a row */
	char quote;
};

/* At most one line is left blank, and none at the end. */
static void
put_gap(struct cleaner *cleaner)
{
	if (cleaner->breaks > 0) {
		buf_str(cleaner->out, cleaner->breaks > 1 ? "\n\n" : "\n");
		buf_str(cleaner->out, cleaner->indent);
	} else if (cleaner->space) {
		buf_byte(cleaner->out, ' ');
	}
	cleaner->breaks = 0;
	cleaner->space = false;
}

/* The third of a row of quotes, backticks or tildes would end what the text stands in. */
static bool
breaks_out(struct cleaner *cleaner, uint32_t code)
{
	if (code != '"' && code != '\'' && code != '`' && code != '~') {
		cleaner->quotes = 0;
		return false;
	}
	cleaner->quotes = (char)code == cleaner->quote ? cleaner->quotes + 1 : 1;
	cleaner->quote = (char)code;
	return cleaner->quotes > 2;
}

static bool
put_char(struct cleaner *cleaner, const char *bytes, unsigned len, uint32_t code)
{
	if (code == '\n' && cleaner->indent && cleaner->begun) {
		cleaner->breaks++;
		return true;
	}
	if (code <= ' ' || (code >= 0x7f && code < 0xa0)) {
		cleaner->space = cleaner->begun;
		return true;
	}
	if (text_is_hidden(code) || breaks_out(cleaner, code))
		return true;
	if (len + 1 > cleaner->left)
		return false;
	cleaner->left -= len + (cleaner->space || cleaner->breaks > 0);
	put_gap(cleaner);
	/* A backslash would begin an escape of the docstring. */
	buf_put(cleaner->out, code == '\\' ? "/" : bytes, len);
	cleaner->begun = true;
	return true;
}

void
stub_clean(struct untrusted text, size_t most, const char *indent, struct buf *out)
{
	/* What stands before it may be the quotes that open a docstring. */
	struct cleaner cleaner = {
		.out = out, .left = most, .indent = indent, .quotes = 2, .quote = '"'
	};

	for (size_t at = 0; at < text.len;) {
		uint32_t code = 0xfffd;
		unsigned len = utf8_decode(text.bytes + at, text.len - at, &code);

		if (!put_char(&cleaner, len ? text.bytes + at : "?", len ? len : 1, code)) {
			buf_str(out, " [...]");
			return;
		}
		at += len ? len : 1;
	}
}

static struct untrusted
string_of(struct json_value value)
{
	size_t len = 0;
	const char *text = json_string(value, &len);

	return untrusted(text ? text : "", len);
}

/* --- types --- */

struct typing {
	struct buf *out;
	struct json_value root; /* of the schema: what "#/$defs/..." is found in */
};

static void put_type(struct typing *typing, struct json_value schema, unsigned depth);

static void
put_literal(struct buf *out, struct json_value value)
{
	size_t len;
	const char *source;

	if (json_string(value, NULL)) {
		buf_byte(out, '"');
		stub_clean(string_of(value), NAME_MAX_BYTES, NULL, out);
		buf_byte(out, '"');
		return;
	}
	source = json_source(value, &len);
	switch (json_kind(value)) {
	case JSON_TRUE:
		buf_str(out, "True");
		break;
	case JSON_FALSE:
		buf_str(out, "False");
		break;
	case JSON_NULL:
		buf_str(out, "None");
		break;
	case JSON_NUMBER:
		buf_put(out, source, len < NAME_MAX_BYTES ? len : NAME_MAX_BYTES);
		break;
	default:
		buf_str(out, "...");
	}
}

static void
put_choices(struct buf *out, struct json_value list)
{
	struct json_iter it = json_each(list);

	buf_str(out, "Literal[");
	while (json_next(&it) && it.index < CHOICES_MAX) {
		if (it.index > 0)
			buf_str(out, ", ");
		put_literal(out, it.value);
	}
	if (json_count(list) > CHOICES_MAX)
		buf_str(out, ", ...");
	buf_byte(out, ']');
}

static bool
is_needed(struct json_value schema, const char *name)
{
	struct json_iter it = json_each(json_get(schema, "required"));

	while (json_next(&it))
		if (json_is(it.value, name))
			return true;
	return false;
}

/* {"name": str, "amount"?: int} */
static void
put_object(struct typing *typing, struct json_value schema, unsigned depth)
{
	struct json_value members = json_get(schema, "properties");
	struct json_iter it = json_each(members);

	if (json_count(members) == 0 || depth >= DEPTH_MAX) {
		buf_str(typing->out, "dict");
		return;
	}
	buf_byte(typing->out, '{');
	while (json_next(&it) && it.index < MEMBERS_MAX) {
		if (it.index > 0)
			buf_str(typing->out, ", ");
		put_literal(typing->out, it.key);
		if (!is_needed(schema, json_string(it.key, NULL)))
			buf_byte(typing->out, '?');
		buf_str(typing->out, ": ");
		put_type(typing, it.value, depth + 1);
	}
	if (json_count(members) > MEMBERS_MAX)
		buf_str(typing->out, ", ...");
	buf_byte(typing->out, '}');
}

static void
put_array(struct typing *typing, struct json_value schema, unsigned depth)
{
	struct json_value items = json_get(schema, "items");

	buf_str(typing->out, "list");
	if (json_kind(items) != JSON_OBJECT || json_count(items) == 0 || depth >= DEPTH_MAX)
		return;
	buf_byte(typing->out, '[');
	put_type(typing, items, depth + 1);
	buf_byte(typing->out, ']');
}

static void
put_named(struct typing *typing, struct json_value schema, const char *type, unsigned depth)
{
	static const struct {
		const char *type, *python;
	} plain[] = {
		{ "string", "str" },
		{ "integer", "int" },
		{ "number", "float" },
		{ "boolean", "bool" },
		{ "null", "None" },
	};

	if (strcmp(type, "object") == 0) {
		put_object(typing, schema, depth);
		return;
	}
	if (strcmp(type, "array") == 0) {
		put_array(typing, schema, depth);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(plain); i++)
		if (strcmp(plain[i].type, type) == 0) {
			buf_str(typing->out, plain[i].python);
			return;
		}
	buf_str(typing->out, "Any");
}

static void
put_union(struct typing *typing, struct json_value list, unsigned depth)
{
	struct json_iter it = json_each(list);

	while (json_next(&it) && it.index < MEMBERS_MAX) {
		if (it.index > 0)
			buf_str(typing->out, " | ");
		put_type(typing, it.value, depth + 1);
	}
}

/* "type": ["string", "null"] */
static void
put_types(struct typing *typing, struct json_value schema, struct json_value types, unsigned depth)
{
	struct json_iter it = json_each(types);

	while (json_next(&it) && it.index < MEMBERS_MAX) {
		if (it.index > 0)
			buf_str(typing->out, " | ");
		if (json_string(it.value, NULL))
			put_named(typing, schema, json_string(it.value, NULL), depth);
		else
			buf_str(typing->out, "Any");
	}
}

/* "#/$defs/Person"; absent for any other reference. */
static struct json_value
referred(const struct typing *typing, const char *reference)
{
	static const char *const places[] = { "$defs", "definitions" };
	struct json_value nothing = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		size_t len = strlen(places[i]);

		if (strncmp(reference, "#/", 2) == 0 &&
			strncmp(reference + 2, places[i], len) == 0 && reference[2 + len] == '/')
			return json_get(json_get(typing->root, places[i]), reference + 3 + len);
	}
	return nothing;
}

static void
put_type(struct typing *typing, struct json_value schema, unsigned depth)
{
	struct json_value type = json_get(schema, "type");
	struct json_value any = json_get(schema, "anyOf"), one = json_get(schema, "oneOf");
	const char *reference = json_text(schema, "$ref");

	if (reference && depth < DEPTH_MAX && json_there(referred(typing, reference)))
		put_type(typing, referred(typing, reference), depth + 1);
	else if (json_count(json_get(schema, "enum")) > 0)
		put_choices(typing->out, json_get(schema, "enum"));
	else if (json_there(json_get(schema, "const")))
		put_literal(typing->out, json_get(schema, "const"));
	else if (json_count(any) > 0 && depth < DEPTH_MAX)
		put_union(typing, any, depth);
	else if (json_count(one) > 0 && depth < DEPTH_MAX)
		put_union(typing, one, depth);
	else if (json_string(type, NULL))
		put_named(typing, schema, json_string(type, NULL), depth);
	else if (json_count(type) > 0)
		put_types(typing, schema, type, depth);
	else if (json_count(json_get(schema, "properties")) > 0)
		put_object(typing, schema, depth);
	else
		buf_str(typing->out, "Any");
}

/* --- the stub --- */

static void
put_argument(struct typing *typing, struct json_value schema, const struct json_iter *it)
{
	struct json_value otherwise = json_get(it->value, "default");
	bool needed = is_needed(schema, json_string(it->key, NULL));

	stub_clean(string_of(it->key), NAME_MAX_BYTES, NULL, typing->out);
	buf_str(typing->out, ": ");
	put_type(typing, it->value, 1);
	if (needed)
		return;
	buf_str(typing->out, " = ");
	if (json_there(otherwise))
		put_literal(typing->out, otherwise);
	else
		buf_str(typing->out, "...");
}

/* Those that must be given first: Python wants no default before one without. */
static void
put_arguments(struct typing *typing, struct json_value schema, bool needed, bool *any)
{
	struct json_iter it = json_each(json_get(schema, "properties"));

	while (json_next(&it)) {
		if (is_needed(schema, json_string(it.key, NULL)) != needed)
			continue;
		buf_str(typing->out, *any ? ", " : "*, ");
		*any = true;
		put_argument(typing, schema, &it);
	}
}

static void
put_argument_words(struct buf *out, struct json_value schema)
{
	struct json_iter it = json_each(json_get(schema, "properties"));

	while (json_next(&it)) {
		struct untrusted words = string_of(json_get(it.value, "description"));

		if (words.len == 0)
			continue;
		buf_str(out, "    ");
		stub_clean(string_of(it.key), NAME_MAX_BYTES, NULL, out);
		buf_str(out, ": ");
		stub_clean(words, ARGUMENT_MAX, NULL, out);
		buf_byte(out, '\n');
	}
}

static const char *
effect_words(enum effect effect)
{
	static const char *const words[] = {
		[EFFECT_READ] = "Effect: read (changes nothing).",
		[EFFECT_SEND] = "Effect: send (changes nothing, but reaches the outside world).",
		[EFFECT_MUTATE] = "Effect: mutate (changes data).",
		[EFFECT_DESTROY] = "Effect: destroy (cannot be undone).",
	};

	return words[effect];
}

void
stub_write(const struct stub *stub, struct buf *out)
{
	struct json_value input = json_get(stub->definition, "inputSchema");
	struct json_value output = json_get(stub->definition, "outputSchema");
	struct untrusted words = string_of(json_get(stub->definition, "description"));
	struct typing typing = { out, input };
	bool any = false;

	buf_printf(out, "def %s(", stub->call);
	put_arguments(&typing, input, true, &any);
	put_arguments(&typing, input, false, &any);
	buf_str(out, ") -> ");
	typing.root = output;
	put_type(&typing, output, 0);
	buf_str(out, ":\n    \"\"\"");
	stub_clean(words, DESCRIPTION_MAX, "    ", out);
	buf_str(out, words.len > 0 ? "\n\n    " : "");
	buf_printf(out, "%s\n", effect_words(stub->effect));
	put_argument_words(out, input);
	buf_str(out, "    \"\"\"\n");
}

static size_t
first_sentence(struct untrusted text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.bytes[i] == '\n' ||
			(text.bytes[i] == '.' &&
				(i + 1 == text.len || strchr(" \n", text.bytes[i + 1]))))
			return i;
	return text.len;
}

void
stub_line(const struct stub *stub, struct buf *out)
{
	struct json_value input = json_get(stub->definition, "inputSchema");
	struct untrusted words = string_of(json_get(stub->definition, "description"));
	struct json_iter it = json_each(json_get(input, "properties"));
	bool any = false;

	buf_printf(out, "%s(", stub->call);
	while (json_next(&it)) {
		buf_str(out, any ? ", " : "");
		any = true;
		stub_clean(string_of(it.key), NAME_MAX_BYTES, NULL, out);
		if (!is_needed(input, json_string(it.key, NULL)))
			buf_byte(out, '?');
	}
	buf_printf(out, ") [%s]", effect_name(stub->effect));
	words.len = first_sentence(words);
	if (words.len > 0) {
		buf_str(out, " - ");
		stub_clean(words, LINE_MAX_BYTES, NULL, out);
	}
	buf_byte(out, '\n');
}
