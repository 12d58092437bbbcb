/*
 * What differs between two sets of arguments, argument by argument: a row with - for what was and
 * one with + for what is; text of several lines line by line.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "tui/diff.h"
#include "tui/document.h"
#include "tui/document_page.h"

#define CHANGES_MAX 200
#define CONTEXT_LINES 2

struct changes {
	struct page *page;
	struct buf path; /* of the value at hand: name.name[3] */
	size_t count, same;
	bool list_same;
	/* of one text */
	struct untrusted held[CONTEXT_LINES]; /* same lines that may lead to a change */
	size_t held_count, since;             /* since: same lines told after the last change */
	size_t skipped;
};

static void
sign(struct changes *changes, enum diff_kind what)
{
	static const char *const signs[] = { " ", "-", "+" };
	static const enum style styles[] = { STYLE_DIM, STYLE_REMOVED, STYLE_ADDED };

	rows_field_sign(changes->page->rows, signs[what], styles[what],
		untrusted(changes->path.data ? changes->path.data : "", changes->path.len),
		changes->page->mode);
}

static void
show(struct changes *changes, enum diff_kind what, struct json_value value)
{
	struct rows *rows = changes->page->rows;
	enum style style = what == DIFF_ADDED ? STYLE_ADDED : STYLE_REMOVED;
	size_t len;
	const char *text = json_string(value, &len);

	sign(changes, what);
	if (!json_there(value)) {
		rows_words(rows, STYLE_DIM, "not given");
	} else if (text) {
		rows_words(rows, STYLE_DIM, "\"");
		rows_foreign(rows, style, untrusted(text, len), changes->page->mode);
		rows_words(rows, STYLE_DIM, "\"");
	} else {
		text = json_source(value, &len);
		rows_foreign(rows, style, untrusted(text, len), changes->page->mode);
	}
}

/* --- text of several lines --- */

static void
show_line(struct changes *changes, enum diff_kind what, struct untrusted line)
{
	static const enum style styles[] = { STYLE_DIM, STYLE_REMOVED, STYLE_ADDED };

	rows_field_marked(changes->page->rows,
		what == DIFF_REMOVED ? "         - "
		: what == DIFF_ADDED ? "         + "
				     : "           ",
		styles[what]);
	rows_foreign(changes->page->rows, styles[what], line, changes->page->mode);
}

static void
tell_skipped(struct changes *changes)
{
	if (changes->skipped > 0) {
		rows_field(changes->page->rows, NULL);
		rows_printf(changes->page->rows, STYLE_DIM, "(%zu line%s alike)", changes->skipped,
			changes->skipped == 1 ? "" : "s");
	}
	changes->skipped = 0;
}

static void
hold_same(struct changes *changes, struct untrusted line)
{
	if (changes->since < CONTEXT_LINES) {
		changes->since++;
		show_line(changes, DIFF_SAME, line);
		return;
	}
	if (changes->held_count == CONTEXT_LINES) {
		changes->skipped++;
		changes->held_count--;
		memmove(&changes->held[0], &changes->held[1],
			changes->held_count * sizeof(changes->held[0]));
	}
	changes->held[changes->held_count++] = line;
}

static void
take_line(struct changes *changes, enum diff_kind what, struct untrusted line)
{
	line.len -= line.len > 0 && line.bytes[line.len - 1] == '\n';
	if (what == DIFF_SAME) {
		hold_same(changes, line);
		return;
	}
	tell_skipped(changes);
	for (size_t i = 0; i < changes->held_count; i++)
		show_line(changes, DIFF_SAME, changes->held[i]);
	changes->held_count = changes->since = 0;
	show_line(changes, what, line);
}

static bool
has_lines(struct json_value value)
{
	size_t len;
	const char *text = json_string(value, &len);

	return text && memchr(text, '\n', len);
}

static void
show_lines(struct changes *changes, struct json_value before, struct json_value after)
{
	size_t before_len, after_len;
	const char *old = json_string(before, &before_len);
	const char *new = json_string(after, &after_len);
	struct diff diff = { .count = 0 };

	sign(changes, DIFF_SAME);
	rows_printf(changes->page->rows, STYLE_DIM,
		"text, %zu bytes before and %zu now:", before_len, after_len);
	changes->held_count = changes->skipped = 0;
	changes->since = CONTEXT_LINES;
	diff_make(&diff, untrusted(old, before_len), untrusted(new, after_len));
	for (size_t i = 0; i < diff.count; i++)
		take_line(changes, diff.rows[i].kind, diff.rows[i].line);
	diff_release(&diff);
	changes->skipped += changes->held_count;
	tell_skipped(changes);
}

/* --- values --- */

static void compare(struct changes *changes, struct json_value before, struct json_value after);

static void
compare_member(struct changes *changes, struct json_value key, size_t index,
	struct json_value before, struct json_value after)
{
	size_t kept = changes->path.len;
	size_t len;
	const char *name = json_string(key, &len);

	if (name) {
		buf_str(&changes->path, kept > 0 ? "." : "");
		buf_put(&changes->path, name, len);
	} else {
		buf_printf(&changes->path, "[%zu]", index);
	}
	compare(changes, before, after);
	changes->path.len = kept;
}

static struct json_value
partner(struct json_value container, const struct json_iter *it)
{
	size_t len;
	const char *name = json_string(it->key, &len);

	return name ? json_getn(container, name, len) : json_at(container, it->index);
}

static bool
both(enum json_kind kind, struct json_value a, struct json_value b)
{
	return json_kind(a) == kind && json_kind(b) == kind;
}

/* Depth is bounded by the strict reader. */
static void
compare(struct changes *changes, struct json_value before, struct json_value after)
{
	struct json_iter it;

	if (changes->count >= CHANGES_MAX)
		return;
	if (json_there(before) && json_equal(before, after)) {
		changes->same++;
		if (!changes->list_same)
			return;
		sign(changes, DIFF_SAME);
		rows_words(changes->page->rows, STYLE_DIM, "the same");
	} else if (both(JSON_OBJECT, before, after) || both(JSON_ARRAY, before, after)) {
		for (it = json_each(before); json_next(&it);)
			compare_member(changes, it.key, it.index, it.value, partner(after, &it));
		for (it = json_each(after); json_next(&it);)
			if (!json_there(partner(before, &it)))
				compare_member(changes, it.key, it.index, (struct json_value){ 0 },
					it.value);
	} else if (has_lines(before) && json_string(after, NULL)) {
		changes->count++;
		show_lines(changes, before, after);
	} else {
		changes->count++;
		show(changes, DIFF_REMOVED, before);
		show(changes, DIFF_ADDED, after);
	}
}

static size_t
show_changes(struct page *page, struct json_value before, struct json_value after, bool list_same)
{
	struct changes changes = { .page = page, .list_same = list_same };

	buf_init(&changes.path, BUF_UNBOUNDED);
	compare(&changes, before, after);
	if (changes.count >= CHANGES_MAX) {
		rows_field(page->rows, NULL);
		rows_printf(page->rows, STYLE_WARNING, "only %d differences are listed here",
			CHANGES_MAX);
	}
	buf_release(&changes.path);
	return changes.count;
}

static struct json *
read_blob(const struct blob *blob)
{
	return blob->bytes ? json_read(blob->bytes, blob->len, NULL) : NULL;
}

void
page_edited(struct page *page)
{
	const struct session_call *call = page->call;
	AUTO_JSON struct json *asked = NULL;

	if (call->edit == 0)
		return;
	asked = read_blob(&call->more->asked);
	rows_field(page->rows, "edited");
	rows_words(page->rows, STYLE_WARNING, "! these are not the arguments that were asked");
	if (call->more->edited_who) {
		rows_printf(page->rows, STYLE_DIM, " · edit %u by ", call->edit);
		page_foreign(page, STYLE_DIM, call->more->edited_who);
	}
	if (!asked) {
		rows_words(page->rows, STYLE_DIM, " · what was asked is not here");
		return;
	}
	rows_words(page->rows, STYLE_DIM, " · - asked, + now");
	(void)show_changes(page, json_root(asked), page->args, false);
}

struct rows *
document_difference(const struct session *session, const struct session_call *call, int cols,
	enum text_mode mode)
{
	const struct session_call *last = session_last_approved(session, call->tool, call->number);
	AUTO_JSON struct json *args = read_blob(&call->args);
	AUTO_JSON struct json *before = last ? read_blob(&last->args) : NULL;
	struct page page = { .rows = rows_new(cols),
		.mode = mode,
		.session = session,
		.call = call,
		.last = last,
		.args = json_root(args),
		.before = json_root(before) };

	page_edited(&page);
	rows_field(page.rows, "compared");
	if (!last) {
		rows_words(page.rows, STYLE_DIM, "no call of this tool was approved before");
	} else if (!before || !args) {
		rows_words(page.rows, STYLE_WARNING, "! the arguments are not here");
	} else {
		rows_printf(page.rows, STYLE_TEXT,
			"- call %llu, the last of this tool that a person approved · + call %llu",
			(unsigned long long)last->number, (unsigned long long)call->number);
		if (show_changes(&page, page.before, page.args, true) == 0) {
			rows_field(page.rows, NULL);
			rows_words(page.rows, STYLE_WARNING, "! every argument is the same");
		}
	}
	rows_finish(page.rows);
	return page.rows;
}
