/*
 * The document is the text, the strict reader's tape over it, and an arena as large as the text: a
 * string's unescaped bytes are never longer than its source, so they stand in the arena where the
 * source stands in the text, and the closing quote's place holds the NUL.
 */
#include "config.h"

#include "core/base/json.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/decimal.h"
#include "core/base/mem.h"

#define FEW 16

struct json {
	char *text;
	char *arena;
	struct strict_tape tape;
};

static const struct json_value absent;

static void
unescape_strings(struct json *json, size_t len)
{
	json->arena = mem_grow(NULL, len + 1, 1);
	for (uint32_t i = 0; i < json->tape.count; i++) {
		const struct strict_node *node = &json->tape.nodes[i];
		char *to = json->arena + node->start + 1;

		if (node->kind != JSON_STRING)
			continue;
		if (node->escaped)
			strict_unescape(json->text + node->start, node->len, to);
		else
			memcpy(to, json->text + node->start + 1, node->count);
		to[node->count] = '\0';
	}
}

struct json *
json_read(const char *text, size_t len, struct err *err)
{
	struct json *json = mem_zero(1, sizeof(*json));

	json->text = mem_copy(text, len);
	if (strict_read(json->text, len, &json->tape, err) < 0) {
		json_free(json);
		return NULL;
	}
	unescape_strings(json, len);
	return json;
}

void
json_free(struct json *json)
{
	if (!json)
		return;
	strict_tape_release(&json->tape);
	free(json->arena);
	free(json->text);
	free(json);
}

static struct json_value
value_at(const struct json *doc, uint32_t node)
{
	return (struct json_value){ doc, node };
}

/* The value's node, NULL for absent. */
static const struct strict_node *
node_of(struct json_value value)
{
	return value.doc ? &value.doc->tape.nodes[value.node] : NULL;
}

/* The value's node if it is of that kind, else NULL. */
static const struct strict_node *
node_if(struct json_value value, enum json_kind kind)
{
	const struct strict_node *node = node_of(value);

	return node && node->kind == kind ? node : NULL;
}

static uint32_t
next_of(struct json_value value)
{
	return value.doc->tape.nodes[value.node].next;
}

static const char *
source_of(const struct json *doc, const struct strict_node *node)
{
	return doc->text + node->start;
}

struct json_value
json_root(const struct json *json)
{
	return json ? value_at(json, 0) : absent;
}

enum json_kind
json_kind(struct json_value value)
{
	const struct strict_node *node = node_of(value);

	return node ? (enum json_kind)node->kind : JSON_ABSENT;
}

const char *
json_string(struct json_value value, size_t *len)
{
	const struct strict_node *node = node_if(value, JSON_STRING);

	if (len)
		*len = node ? node->count : 0;
	return node ? value.doc->arena + node->start + 1 : NULL;
}

static bool
string_is(struct json_value value, const char *bytes, size_t len)
{
	size_t own_len;
	const char *own = json_string(value, &own_len);

	return own && own_len == len && memcmp(own, bytes, len) == 0;
}

struct json_value
json_getn(struct json_value object, const char *key, size_t key_len)
{
	struct json_iter it;

	if (!node_if(object, JSON_OBJECT))
		return absent;
	for (it = json_each(object); json_next(&it);) {
		if (string_is(it.key, key, key_len))
			return it.value;
	}
	return absent;
}

struct json_value
json_get(struct json_value object, const char *key)
{
	return json_getn(object, key, strlen(key));
}

struct json_value
json_at(struct json_value array, size_t index)
{
	struct json_iter it;

	if (!node_if(array, JSON_ARRAY) || index >= json_count(array))
		return absent;
	for (it = json_each(array); json_next(&it);) {
		if (it.index == index)
			return it.value;
	}
	return absent;
}

static bool
is_container(enum json_kind kind)
{
	return kind == JSON_ARRAY || kind == JSON_OBJECT;
}

size_t
json_count(struct json_value value)
{
	return is_container(json_kind(value)) ? node_of(value)->count : 0;
}

struct json_iter
json_each(struct json_value container)
{
	struct json_iter it = { 0 };

	if (!is_container(json_kind(container)))
		return it;
	it.doc = container.doc;
	it.left = node_of(container)->count;
	it.at = container.node + 1;
	it.object = json_kind(container) == JSON_OBJECT;
	it.index = SIZE_MAX; /* the first turn makes it 0 */
	return it;
}

bool
json_next(struct json_iter *iter)
{
	if (iter->left == 0)
		return false;
	iter->left--;
	iter->index++;
	if (iter->object)
		iter->key = value_at(iter->doc, iter->at++);
	iter->value = value_at(iter->doc, iter->at);
	iter->at = next_of(iter->value);
	return true;
}

const char *
json_source(struct json_value value, size_t *len)
{
	const struct strict_node *node = node_of(value);

	if (len)
		*len = node ? node->len : 0;
	return node ? source_of(value.doc, node) : NULL;
}

const char *
json_text(struct json_value object, const char *key)
{
	size_t len;
	const char *text = json_string(json_get(object, key), &len);

	return text && strlen(text) == len ? text : NULL;
}

bool
json_is(struct json_value value, const char *string)
{
	return string_is(value, string, strlen(string));
}

bool
json_bool(struct json_value value, bool otherwise)
{
	switch (json_kind(value)) {
	case JSON_TRUE:
		return true;
	case JSON_FALSE:
		return false;
	default:
		return otherwise;
	}
}

bool
json_int(struct json_value value, int64_t min, int64_t max, int64_t *out)
{
	const struct strict_node *node = node_if(value, JSON_NUMBER);
	const char *at;
	const char *end;
	bool negative;
	int64_t sum = 0;

	if (!node)
		return false;
	at = source_of(value.doc, node);
	end = at + node->len;
	negative = *at == '-';
	for (at += negative; at < end; at++) {
		int digit = *at - '0';

		if (*at < '0' || *at > '9' || __builtin_mul_overflow(sum, 10, &sum) ||
			__builtin_add_overflow(sum, negative ? -digit : digit, &sum))
			return false;
	}
	if (sum < min || sum > max)
		return false;
	*out = sum;
	return true;
}

static bool
read_decimal(struct json_value value, struct decimal *out)
{
	const struct strict_node *node = node_if(value, JSON_NUMBER);

	if (!node)
		return false;
	decimal_read(source_of(value.doc, node), node->len, out);
	return true;
}

bool
json_double(struct json_value value, double *out)
{
	struct decimal decimal;

	if (!read_decimal(value, &decimal))
		return false;
	*out = decimal_double(&decimal);
	return true;
}

bool
json_compare(struct json_value a, struct json_value b, int *order)
{
	struct decimal x;
	struct decimal y;

	if (!read_decimal(a, &x) || !read_decimal(b, &y))
		return false;
	*order = decimal_compare(&x, &y);
	return true;
}

void
json_position(struct json_value value, unsigned *line, unsigned *column)
{
	const struct strict_node *node = node_of(value);

	*line = *column = 1;
	if (node)
		strict_position(value.doc->text, node->start, line, column);
}

/* Equality.  Recursion goes as deep as the strict reader lets documents be. */

struct member {
	const char *key;
	size_t len;
	struct json_value value;
};

static int
compare_members(const void *a, const void *b)
{
	const struct member *x = a;
	const struct member *y = b;

	if (x->len != y->len)
		return x->len < y->len ? -1 : 1;
	return memcmp(x->key, y->key, x->len);
}

static struct member *
sorted_members(struct json_value object)
{
	struct member *members = mem_zero(json_count(object), sizeof(*members));
	struct json_iter it;

	for (it = json_each(object); json_next(&it);) {
		members[it.index].key = json_string(it.key, &members[it.index].len);
		members[it.index].value = it.value;
	}
	qsort(members, json_count(object), sizeof(*members), compare_members);
	return members;
}

static bool
large_objects_equal(struct json_value a, struct json_value b)
{
	AUTO_FREE struct member *ours = sorted_members(a);
	AUTO_FREE struct member *theirs = sorted_members(b);

	for (size_t i = 0; i < json_count(a); i++) {
		if (compare_members(&ours[i], &theirs[i]) != 0 ||
			!json_equal(ours[i].value, theirs[i].value))
			return false;
	}
	return true;
}

static bool
objects_equal(struct json_value a, struct json_value b)
{
	struct json_iter it;

	if (json_count(a) != json_count(b))
		return false;
	if (json_count(a) > FEW)
		return large_objects_equal(a, b);
	for (it = json_each(a); json_next(&it);) {
		size_t len;
		const char *key = json_string(it.key, &len);
		struct json_value other = json_getn(b, key, len);

		if (!json_there(other) || !json_equal(it.value, other))
			return false;
	}
	return true;
}

static bool
arrays_equal(struct json_value a, struct json_value b)
{
	struct json_iter x = json_each(a);
	struct json_iter y = json_each(b);

	if (json_count(a) != json_count(b))
		return false;
	while (json_next(&x) && json_next(&y)) {
		if (!json_equal(x.value, y.value))
			return false;
	}
	return true;
}

bool
json_equal(struct json_value a, struct json_value b)
{
	size_t len;
	const char *text;
	int order;

	if (json_kind(a) != json_kind(b))
		return false;
	switch (json_kind(a)) {
	case JSON_NUMBER:
		return json_compare(a, b, &order) && order == 0;
	case JSON_STRING:
		text = json_string(b, &len);
		return string_is(a, text, len);
	case JSON_ARRAY:
		return arrays_equal(a, b);
	case JSON_OBJECT:
		return objects_equal(a, b);
	default:
		return true;
	}
}
