/*
 * The rows of a call's document, in the order in which a person needs them: for which run, who asks
 * and why, what exactly, from where, what is left, what to beware of; last what the tool says of
 * itself.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/decimal.h"
#include "core/base/json.h"
#include "core/base/mem.h"
#include "core/session/session.h"
#include "tui/document_build.h"

#define CONTEXT_LINES 2 /* of the program, above and below the calling line */
#define DIGITS_EXACT 17
#define INTEGER_EXACT "9007199254740991"

struct subject { /* what all rows are about */
	const struct session *session;
	const struct session_call *call;
	const struct session_tool *tool; /* NULL: unknown */
	struct json *args;
	struct json *definition;
	struct json_value schema;
};

static struct untrusted
blob_text(const struct blob *blob)
{
	return untrusted(blob->bytes ? blob->bytes : "", blob->bytes ? blob->len : 0);
}

const char *
document_effect(const char *effect, const char *effect_from)
{
	static const struct {
		const char *effect, *marked, *unmarked;
	} words[] = {
		{ "read", "READS (marked)", "READS (unmarked)" },
		{ "send", "SENDS OUT (marked)", "SENDS OUT (unmarked)" },
		{ "mutate", "CHANGES DATA (marked)", "CHANGES DATA (unmarked)" },
		{ "destroy", "DESTROYS (marked)", "DESTROYS (unmarked)" },
	};
	bool unmarked = effect_from && strcmp(effect_from, "default") == 0;

	for (size_t i = 0; effect && i < ARRAY_SIZE(words); i++)
		if (strcmp(words[i].effect, effect) == 0)
			return unmarked ? words[i].unmarked : words[i].marked;
	return "UNKNOWN EFFECT";
}

/* --- which run, which tool, who asks --- */

static void
row_run(struct builder *b, const struct subject *s)
{
	build_row(b, "run");
	build_foreign(b, DOC_PLAIN, untrusted_str(s->session->name));
	build_own(b, DOC_NOTE, "  ");
	build_foreign(b, DOC_VALUE, blob_text(&s->session->task));
	build_row(b, "tool");
	build_foreign(b, DOC_VALUE, untrusted_str(s->call->tool));
	if (!s->tool)
		return;
	build_own(b, DOC_NOTE, "  %s", document_effect(s->tool->effect, s->tool->effect_from));
	if (!s->tool->isolated)
		build_own(b, DOC_WARNING, "  its process is NOT ISOLATED from this console");
}

static const char *
held_words(const char *why)
{
	static const char *const words[][2] = {
		{ "rule", "a rule asks" },
		{ "default", "the default asks" },
		{ "unknown", "a rule could not be evaluated exactly, so it asks" },
		{ "repeat", "an equal call started before" },
		{ "denials", "calls were denied before in this run" },
	};

	for (size_t i = 0; why && i < ARRAY_SIZE(words); i++)
		if (strcmp(words[i][0], why) == 0)
			return words[i][1];
	return "it is held";
}

static void
row_asked(struct builder *b, const struct subject *s)
{
	const struct session_call *call = s->call;

	build_row(b, "asked by");
	build_own(b, DOC_PLAIN, "%s", held_words(call->held_why));
	if (call->rule && call->rule[0]) {
		build_own(b, DOC_PLAIN, ": ");
		build_foreign(b, DOC_VALUE, untrusted_str(call->rule));
	}
	if (call->ruled_reason) {
		build_own(b, DOC_PLAIN, ": ");
		build_foreign(b, DOC_VALUE, untrusted_str(call->ruled_reason));
	}
	if (call->at) {
		build_own(b, DOC_NOTE, "  ");
		build_foreign(b, DOC_NOTE, untrusted_str(call->at));
	}
	for (size_t i = 0; i < call->tried_count; i++) {
		const struct session_tried *tried = &call->tried[i];

		if (tried->matched)
			continue;
		build_row(b, "came near");
		build_foreign(b, DOC_VALUE, untrusted_str(tried->rule));
		build_own(b, DOC_NOTE, " (%s): ", tried->action ? tried->action : "");
		build_foreign(b, DOC_VALUE, untrusted_str(tried->why));
		build_own(b, DOC_NOTE, "  ");
		build_foreign(b, DOC_NOTE, untrusted_str(tried->at));
	}
}

/* --- the arguments --- */

static void
number_marks(struct builder *b, struct json_value value)
{
	struct decimal number, edge;
	size_t len, digits = 0;
	const char *text = json_source(value, &len);
	bool exponent = memchr(text, 'e', len) || memchr(text, 'E', len);

	decimal_read(text, len, &number);
	decimal_read(INTEGER_EXACT, strlen(INTEGER_EXACT), &edge);
	number.negative = false;
	for (size_t i = 0; i < len; i++)
		digits += text[i] >= '0' && text[i] <= '9';
	if (decimal_compare(&number, &edge) > 0)
		build_own(b, DOC_WARNING, "  beyond 2^53-1");
	if (digits > DIGITS_EXACT)
		build_own(b, DOC_WARNING, "  more than %d digits", DIGITS_EXACT);
	if (exponent)
		build_own(b, DOC_WARNING, "  with an exponent");
	if (text[0] == '-' && decimal_is_zero(&number))
		build_own(b, DOC_WARNING, "  negative zero");
}

/* Strings are shown as they will arrive, unescaped once; everything else as its source. */
static void
field_value(struct builder *b, struct json_value value)
{
	size_t len;
	const char *text = json_string(value, &len);

	if (text) {
		build_own(b, DOC_NOTE, "\"");
		build_foreign(b, DOC_VALUE, untrusted(text, len));
		build_own(b, DOC_NOTE, "\"");
		return;
	}
	text = json_source(value, &len);
	build_foreign(b, DOC_VALUE, untrusted(text, len));
	if (json_kind(value) == JSON_NUMBER)
		number_marks(b, value);
}

static void
differs(struct builder *b, const struct json *before, struct json_value key,
	struct json_value value)
{
	size_t len;
	const char *name = json_string(key, &len);
	struct json_value old = json_getn(json_root(before), name, len);

	if (!before || json_equal(old, value))
		return;
	build_own(b, DOC_NOTE, "   last approved: ");
	if (json_there(old))
		field_value(b, old);
	else
		build_own(b, DOC_NOTE, "not given");
}

static char *
label_of(struct json_value key)
{
	size_t len;
	const char *name = json_string(key, &len);

	return text_escape(untrusted(name, len), TEXT_STRICT);
}

static void
row_fields(struct builder *b, const struct subject *s, const struct json *before)
{
	struct json_iter it = json_each(json_root(s->args));
	struct json_iter declared = json_each(json_get(s->schema, "properties"));

	while (json_next(&it)) {
		AUTO_FREE char *label = label_of(it.key);

		build_row(b, strlen(label) < DOCUMENT_LABEL_COLS ? label : "");
		if (strlen(label) >= DOCUMENT_LABEL_COLS) {
			build_foreign(b, DOC_NOTE, untrusted_str(json_string(it.key, NULL)));
			build_own(b, DOC_NOTE, ": ");
		}
		field_value(b, it.value);
		differs(b, before, it.key, it.value);
	}
	while (json_next(&declared)) {
		AUTO_FREE char *label = label_of(declared.key);
		struct json_value otherwise = json_get(declared.value, "default");
		size_t len;
		const char *name = json_string(declared.key, &len);

		if (json_there(json_getn(json_root(s->args), name, len)))
			continue;
		build_row(b, label);
		build_own(b, DOC_NOTE, "not given");
		if (!json_there(otherwise))
			continue;
		build_own(b, DOC_NOTE, ": default ");
		field_value(b, otherwise);
	}
}

static void
row_source(struct builder *b, const struct subject *s, struct text_counts *seen)
{
	struct untrusted args = blob_text(&s->call->args);

	build_row(b, "as sent");
	build_arguments(b, args, 0);
	build_row(b, "in it");
	build_own(b, DOC_NOTE, "%zu bytes, %zu lines, %zu escapes, %zu non-ASCII", seen->bytes,
		seen->lines, seen->escapes, seen->non_ascii);
}

static void
row_compared(struct builder *b, const struct session_call *last, const struct json *before,
	const struct json *args)
{
	build_row(b, "compared");
	if (!last)
		build_own(b, DOC_NOTE, "no call of this tool was approved by a person before");
	else if (json_equal(json_root(before), json_root(args)))
		build_own(b, DOC_WARNING, "the same as call %llu, which was approved",
			(unsigned long long)last->number);
	else
		build_own(b, DOC_NOTE, "with call %llu, the last that was approved",
			(unsigned long long)last->number);
}

/* --- from where --- */

static bool
line_at(struct untrusted text, int number, struct untrusted *line)
{
	const char *at = text.bytes;
	const char *end = text.bytes + text.len;

	for (int n = 1; at < end; n++) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));

		if (!stop)
			stop = end;
		if (n == number) {
			*line = untrusted(at, (size_t)(stop - at));
			return true;
		}
		at = stop < end ? stop + 1 : end;
	}
	return false;
}

/* Is there something in the line that looks like a call of the tool? */
static bool
names_tool(struct untrusted line, const char *name)
{
	size_t len = name ? strlen(name) : 0;

	for (size_t i = 0; len > 0 && i + len < line.len; i++) {
		size_t after = i + len;

		if (memcmp(line.bytes + i, name, len) != 0)
			continue;
		while (after < line.len && line.bytes[after] == ' ')
			after++;
		if (after < line.len && line.bytes[after] == '(')
			return true;
	}
	return false;
}

static bool
in_loop(const struct session_program *program, int line)
{
	for (size_t i = 0; program && i < program->site_count; i++)
		if (program->sites[i].line == line && program->sites[i].loop)
			return true;
	return false;
}

static void
program_lines(struct builder *b, struct untrusted text, int around)
{
	enum text_mode mode = b->mode;

	if (mode == TEXT_TEXT)
		b->mode = TEXT_LINES;
	for (int n = around - CONTEXT_LINES; n <= around + CONTEXT_LINES; n++) {
		struct untrusted line;
		char label[16];

		if (n < 1 || !line_at(text, n, &line))
			continue;
		snprintf(label, sizeof(label), "%s %6d", n == around ? ">" : " ", n);
		build_row(b, label);
		build_foreign(b, n == around ? DOC_LIT : DOC_CODE, line);
	}
	b->mode = mode;
}

static void
row_place(struct builder *b, const struct subject *s)
{
	const struct session_program *program = session_program(s->session);
	const struct session_call *call = s->call;
	struct untrusted line;

	build_row(b, "where");
	if (call->line <= 0 || !program) {
		build_own(b, DOC_NOTE, "the program names no line");
		return;
	}
	build_own(b, DOC_PLAIN, "line %d, time %u here%s", call->line, call->nth_here,
		in_loop(program, call->line) ? ", in a loop" : "");
	if (!line_at(blob_text(&program->text), call->line, &line)) {
		build_own(b, DOC_WARNING, "  the program has no such line");
		return;
	}
	if (!s->tool || (!names_tool(line, s->tool->name) && !names_tool(line, s->tool->python)))
		build_own(b, DOC_WARNING, "  the line shows no call of this tool");
	program_lines(b, blob_text(&program->text), call->line);
}

/* --- what is left, what to beware of --- */

static void
row_budget(struct builder *b, const struct subject *s)
{
	const struct session *session = s->session;

	build_row(b, "budget");
	build_own(b, DOC_PLAIN, "call %llu", (unsigned long long)s->call->number);
	for (size_t i = 0; i < session->counter_count; i++) {
		const struct session_counter *counter = &session->counters[i];
		const char *name =
			strcmp(counter->name, "max_tool_calls") == 0 ? "calls" : counter->name;

		if (strcmp(counter->name, "refused") == 0 && counter->used == 0)
			continue;
		build_own(b, DOC_PLAIN, ", ");
		build_foreign(b, DOC_PLAIN, untrusted_str(name));
		build_own(b, DOC_PLAIN, " %lld of at most %lld", (long long)counter->used,
			(long long)counter->limit);
	}
}

/* What hides in the strings as the tool will get them: keys too, at any depth (strict: 64). */
static void
count_strings(struct json_value value, struct text_counts *sum)
{
	struct json_iter it = json_each(value);
	struct text_counts counts;
	size_t len;
	const char *text = json_string(value, &len);

	if (text) {
		text_count(untrusted(text, len), TEXT_STRICT, &counts);
		sum->hidden += counts.hidden;
		sum->mixed_scripts |= counts.mixed_scripts;
	}
	while (json_next(&it)) {
		count_strings(it.key, sum);
		count_strings(it.value, sum);
	}
}

static void
row_warnings(struct builder *b, const struct subject *s, const struct document *document)
{
	struct text_counts inside = { 0 };

	count_strings(json_root(s->args), &inside);
	if (inside.hidden > 0) {
		build_row(b, "beware");
		build_own(b, DOC_WARNING, "%zu hidden or direction-changing characters",
			inside.hidden);
	}
	if (inside.mixed_scripts) {
		build_row(b, "beware");
		build_own(b, DOC_WARNING, "letters of several scripts within one word");
	}
	if (document->too_long) {
		build_row(b, "beware");
		build_own(b, DOC_WARNING, "too long to be approved: it can only be denied");
	}
	if (s->session->waiting > 1) {
		build_row(b, "also");
		build_own(b, DOC_NOTE, "%zu more calls wait", s->session->waiting - 1);
	}
}

static void
row_description(struct builder *b, const struct subject *s)
{
	const char *description = json_text(json_root(s->definition), "description");

	if (!description)
		return;
	build_row(b, "tool says");
	build_foreign(b, DOC_NOTE, untrusted_str(description));
}

static void
rows(struct builder *b, const struct subject *s, struct document *document)
{
	const struct session_call *last =
		session_last_approved(s->session, s->call->tool, s->call->number);
	AUTO_JSON struct json *before =
		last && last->args.bytes ? json_read(last->args.bytes, last->args.len, NULL) : NULL;

	row_run(b, s);
	row_asked(b, s);
	row_fields(b, s, before);
	row_source(b, s, &document->seen);
	row_compared(b, last, before, s->args);
	row_place(b, s);
	row_budget(b, s);
	row_warnings(b, s, document);
	row_description(b, s);
}

/* The height of the source alone decides, before anything else is built. */
static bool
is_too_long(
	const struct session_call *call, unsigned cols, unsigned screen_rows, enum text_mode mode)
{
	struct document probe = { 0 };
	struct builder b = { &probe, mode, cols, 0 };
	bool too_long;

	if (call->args.len > DOCUMENT_BYTES_MAX)
		return true;
	build_row(&b, "");
	build_arguments(&b, blob_text(&call->args), 0);
	too_long = probe.count > (size_t)DOCUMENT_SCREENS_MAX * screen_rows;
	document_release(&probe);
	return too_long;
}

void
document_make(struct document *document, const struct session *session,
	const struct session_call *call, unsigned cols, unsigned screen_rows, enum text_mode mode)
{
	struct builder b = { document, mode, cols < DOCUMENT_COLS_MIN ? DOCUMENT_COLS_MIN : cols,
		0 };
	struct subject s = { .session = session, .call = call };
	struct untrusted args = blob_text(&call->args);
	AUTO_FREE char *text = NULL;

	memset(document, 0, sizeof(*document));
	s.tool = session_tool(session, call->tool);
	s.args = json_read(args.bytes, args.len, NULL);
	if (s.tool && s.tool->definition.bytes)
		s.definition = json_read(s.tool->definition.bytes, s.tool->definition.len, NULL);
	s.schema = json_get(json_root(s.definition), "inputSchema");
	document->total = args.len;
	document->too_long = is_too_long(call, b.cols, screen_rows, mode);
	text_count(args, mode, &document->seen);
	rows(&b, &s, document);
	text = document_text(document);
	hash_hmac(call->args_salt, DIGEST_BYTES, text, strlen(text), &document->frame);
	json_free(s.args);
	json_free(s.definition);
}
