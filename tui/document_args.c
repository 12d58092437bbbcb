/*
 * Arguments as typed fields.  Strings stand as they will arrive, unescaped once; numbers as their
 * source text, marked where programs read them in different ways; containers member by member.
 * The source below the fields is what counts: here only the number of fields is bounded.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "core/base/decimal.h"
#include "tui/document_page.h"

#define DIGITS_EXACT 17
#define INTEGER_EXACT "9007199254740991"
#define FIELDS_MAX 200

struct fields {
	struct page *page;
	size_t count;
};

static size_t
digits_of(const char *text, size_t len)
{
	size_t digits = 0;

	for (size_t i = 0; i < len && text[i] != 'e' && text[i] != 'E'; i++)
		digits += text[i] >= '0' && text[i] <= '9';
	return digits;
}

struct number_marks {
	bool large, long_, exponent, negative_zero;
};

static struct number_marks
marks_of(struct json_value value)
{
	struct decimal number, edge;
	size_t len;
	const char *text = json_source(value, &len);
	struct number_marks marks = { 0 };

	decimal_read(text, len, &number);
	decimal_read(INTEGER_EXACT, strlen(INTEGER_EXACT), &edge);
	number.negative = false;
	marks.large = decimal_compare(&number, &edge) > 0;
	marks.long_ = digits_of(text, len) > DIGITS_EXACT;
	marks.exponent = memchr(text, 'e', len) || memchr(text, 'E', len);
	marks.negative_zero = text[0] == '-' && decimal_is_zero(&number);
	return marks;
}

static void
show_marks(struct page *page, struct number_marks marks)
{
	if (marks.large)
		rows_words(page->rows, STYLE_WARNING, "  ! beyond 2^53-1");
	if (marks.long_)
		rows_printf(page->rows, STYLE_WARNING, "  ! more than %d digits", DIGITS_EXACT);
	if (marks.exponent)
		rows_words(page->rows, STYLE_WARNING, "  ! with an exponent");
	if (marks.negative_zero)
		rows_words(page->rows, STYLE_WARNING, "  ! negative zero");
}

/* A value on the rows of its field; containers by their size only. */
static void
show_value(struct page *page, struct json_value value)
{
	size_t len;
	const char *text = json_string(value, &len);
	enum json_kind kind = json_kind(value);

	if (text) {
		rows_words(page->rows, STYLE_DIM, "\"");
		rows_foreign(page->rows, STYLE_VALUE, untrusted(text, len), page->mode);
		rows_words(page->rows, STYLE_DIM, "\"");
	} else if (kind == JSON_ARRAY || kind == JSON_OBJECT) {
		rows_printf(page->rows, STYLE_DIM, "%s of %zu",
			kind == JSON_ARRAY ? "a list" : "an object", json_count(value));
	} else {
		text = json_source(value, &len);
		rows_foreign(page->rows, STYLE_VALUE, untrusted(text, len), page->mode);
		if (kind == JSON_NUMBER)
			show_marks(page, marks_of(value));
	}
}

static struct json_value
member(struct json_value object, struct json_value key)
{
	size_t len;
	const char *name = json_string(key, &len);

	return json_getn(object, name, len);
}

static void
compare(struct page *page, struct json_value key, struct json_value value)
{
	struct json_value old = member(page->before, key);

	if (!json_there(page->before) || json_equal(old, value))
		return;
	rows_words(page->rows, STYLE_DIM, "  last approved: ");
	if (json_there(old))
		show_value(page, old);
	else
		rows_words(page->rows, STYLE_DIM, "not given");
}

static void show_members(struct fields *fields, struct json_value container, int depth);

static void
label_field(struct fields *fields, const struct json_iter *it, int depth)
{
	struct page *page = fields->page;
	char index[24];
	size_t len;
	const char *name = json_string(it->key, &len);

	if (name) {
		rows_field_foreign(page->rows, untrusted(name, len), page->mode, depth);
		return;
	}
	snprintf(index, sizeof(index), "[%zu]", it->index);
	rows_field_foreign(page->rows, untrusted_str(index), page->mode, depth);
}

static void
show_field(struct fields *fields, const struct json_iter *it, int depth)
{
	struct page *page = fields->page;
	struct json_value properties = json_get(page->schema, "properties");

	fields->count++;
	label_field(fields, it, depth);
	show_value(page, it->value);
	if (depth == 0) {
		if (json_there(properties) && !json_there(member(properties, it->key)))
			rows_words(page->rows, STYLE_WARNING, "  ! the tool declares no such name");
		compare(page, it->key, it->value);
	}
	show_members(fields, it->value, depth + 1);
}

/* Depth is bounded by the strict reader. */
static void
show_members(struct fields *fields, struct json_value container, int depth)
{
	struct json_iter it = json_each(container);

	while (fields->count < FIELDS_MAX && json_next(&it))
		show_field(fields, &it, depth);
}

static void
show_not_given(struct page *page)
{
	struct json_iter it = json_each(json_get(page->schema, "properties"));

	while (json_next(&it)) {
		struct json_value otherwise = json_get(it.value, "default");
		size_t len;
		const char *name = json_string(it.key, &len);

		if (json_there(member(page->args, it.key)))
			continue;
		rows_field_foreign(page->rows, untrusted(name, len), page->mode, 0);
		rows_words(page->rows, STYLE_DIM, "not given");
		if (!json_there(otherwise))
			continue;
		rows_words(page->rows, STYLE_DIM, ": default ");
		show_value(page, otherwise);
	}
}

void
page_fields(struct page *page)
{
	struct fields fields = { page, 0 };

	if (!json_there(page->args)) {
		page_warning(page, "the arguments cannot be read: this call can only be denied");
		return;
	}
	show_members(&fields, page->args, 0);
	if (fields.count >= FIELDS_MAX) {
		rows_field(page->rows, NULL);
		rows_printf(page->rows, STYLE_WARNING,
			"only %d values are listed here; the source below has all", FIELDS_MAX);
	}
	show_not_given(page);
	if (json_count(page->args) == 0 && json_count(json_get(page->schema, "properties")) == 0) {
		rows_field(page->rows, "arguments");
		rows_words(page->rows, STYLE_DIM, "none");
	}
}

/* --- what hides --- */

struct hiding {
	size_t hidden, controls, odd_numbers;
	size_t escapes, non_ascii; /* as the fields show them */
	enum text_mode mode;
	bool mixed_scripts;
};

static size_t
count_controls(const char *text, size_t len)
{
	size_t count = 0;

	for (size_t i = 0; i < len; i++)
		count += (unsigned char)text[i] < 0x20 || text[i] == 0x7f;
	return count;
}

static void
look_for_hiding(struct json_value value, struct hiding *found)
{
	struct json_iter it = json_each(value);
	struct text_counts counts;
	struct number_marks marks;
	size_t len;
	const char *text = json_string(value, &len);

	if (text) {
		text_count(untrusted(text, len), TEXT_STRICT, &counts);
		found->hidden += counts.hidden;
		found->mixed_scripts |= counts.mixed_scripts;
		found->controls += count_controls(text, len);
		text_count(untrusted(text, len), found->mode, &counts);
		found->escapes += counts.escapes;
		found->non_ascii += counts.non_ascii;
	} else if (json_kind(value) == JSON_NUMBER) {
		marks = marks_of(value);
		found->odd_numbers +=
			marks.large || marks.long_ || marks.exponent || marks.negative_zero;
	}
	while (json_next(&it)) {
		look_for_hiding(it.key, found);
		look_for_hiding(it.value, found);
	}
}

void
page_argument_warnings(struct page *page)
{
	struct hiding found = { .mode = page->mode };

	look_for_hiding(page->args, &found);
	page->escapes = found.escapes;
	page->non_ascii = found.non_ascii;
	if (found.hidden > 0)
		page_warning(page, "%zu hidden or direction-changing character%s in the arguments",
			found.hidden, found.hidden == 1 ? "" : "s");
	if (found.controls > 0)
		page_warning(page, "%zu control character%s in the arguments", found.controls,
			found.controls == 1 ? "" : "s");
	if (found.mixed_scripts)
		page_warning(page, "letters of several scripts within one word");
	if (found.odd_numbers > 0)
		page_warning(page, "%zu number%s that programs read in different ways",
			found.odd_numbers, found.odd_numbers == 1 ? "" : "s");
}
