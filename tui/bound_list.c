/* What was typed stays text until it is written: numbers keep every digit they were given. */
#include "config.h"

#include "tui/bound_list.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/jsonout.h"
#include "core/base/mem.h"
#include "core/session/session.h"

#define ENUM_MAX 20
#define BETWEEN ".."

/* --- making --- */

static char *
source_of(struct json_value value)
{
	size_t len;
	const char *source = json_source(value, &len);

	return mem_strn(source, len);
}

static bool
add(struct bound_list *list, struct json_value key, struct json_value value)
{
	size_t len;
	const char *name = json_string(key, &len);
	enum json_kind kind = json_kind(value);
	struct bound *bound;

	if (!name || strlen(name) != len)
		return false;
	list->bounds = mem_grow(list->bounds, list->count + 1, sizeof(*list->bounds));
	bound = &list->bounds[list->count++];
	*bound = (struct bound){ .name = mem_str(name),
		.value = source_of(value),
		.kind = list->open ? BOUND_NONE : BOUND_CONST,
		.number = kind == JSON_NUMBER,
		.plain = kind != JSON_OBJECT && kind != JSON_ARRAY };
	bound->typed = list->open ? NULL : mem_str(bound->value);
	return true;
}

bool
bound_list_make(struct bound_list *list, const struct session *session,
	const struct session_call *call, bool open)
{
	AUTO_JSON struct json *args =
		call->args.bytes ? json_read(call->args.bytes, call->args.len, NULL) : NULL;
	struct json_iter it = json_each(json_root(args));

	*list = (struct bound_list){ .open = open, .session = session, .call = call->number };
	if (json_kind(json_root(args)) != JSON_OBJECT)
		return false;
	while (json_next(&it)) {
		if (add(list, it.key, it.value))
			continue;
		bound_list_release(list);
		return false;
	}
	return true;
}

void
bound_list_release(struct bound_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->bounds[i].name);
		free(list->bounds[i].value);
		free(list->bounds[i].typed);
	}
	free(list->bounds);
	list->bounds = NULL;
	list->count = 0;
}

/* --- kinds --- */

static bool
can_be(const struct bound_list *list, const struct bound *bound, enum bound_kind kind)
{
	switch (kind) {
	case BOUND_NONE:
		return list->open;
	case BOUND_RANGE:
		return bound->number;
	case BOUND_ENUM:
		return bound->plain;
	case BOUND_CONST:
		break;
	}
	return true;
}

/* From nothing to the value, or from the value up to nothing. */
static char *
first_range(const struct bound *bound)
{
	if (bound->value[0] == '-')
		return mem_printf("%s" BETWEEN "0", bound->value);
	return mem_printf("0" BETWEEN "%s", bound->value);
}

static bool
holds(struct json_value array, struct json_value value)
{
	struct json_iter it = json_each(array);

	while (json_next(&it))
		if (json_equal(it.value, value))
			return true;
	return false;
}

static void
append(char **array, struct json_value value)
{
	AUTO_JSON struct json *before = json_read(*array, strlen(*array), NULL);
	AUTO_FREE char *source = NULL;
	char *longer;

	if (!before || json_count(json_root(before)) >= ENUM_MAX || holds(json_root(before), value))
		return;
	source = source_of(value);
	longer = mem_printf("%.*s,%s]", (int)strlen(*array) - 1, *array, source);
	free(*array);
	*array = longer;
}

/* The values this run's calls of the tool had for it. */
static char *
first_enum(const struct bound_list *list, const struct bound *bound)
{
	const struct session_call *about = session_call(list->session, list->call);
	char *array = mem_printf("[%s]", bound->value);

	for (size_t i = 0; i < list->session->call_count; i++) {
		const struct session_call *call = &list->session->calls[i];
		AUTO_JSON struct json *args = NULL;
		struct json_value value;

		if (!call->args.bytes || !about || strcmp(call->tool, about->tool) != 0)
			continue;
		args = json_read(call->args.bytes, call->args.len, NULL);
		value = json_get(json_root(args), bound->name);
		if (json_there(value) && json_kind(value) != JSON_OBJECT &&
			json_kind(value) != JSON_ARRAY)
			append(&array, value);
	}
	return array;
}

void
bound_switch(struct bound_list *list, size_t i, bool back)
{
	struct bound *bound = &list->bounds[i];
	int kinds = BOUND_ENUM + 1;
	int kind = (int)bound->kind;

	do
		kind = (kind + (back ? kinds - 1 : 1)) % kinds;
	while (!can_be(list, bound, (enum bound_kind)kind));
	bound->kind = (enum bound_kind)kind;
	free(bound->typed);
	bound->typed = kind == BOUND_NONE    ? NULL
		       : kind == BOUND_RANGE ? first_range(bound)
		       : kind == BOUND_ENUM  ? first_enum(list, bound)
					     : mem_str(bound->value);
}

const char *
bound_words(const struct bound *bound)
{
	static const char *const words[] = { [BOUND_NONE] = "any, or none",
		[BOUND_CONST] = "is",
		[BOUND_RANGE] = "between",
		[BOUND_ENUM] = "one of" };

	return words[bound->kind];
}

/* --- what is typed --- */

/* The two ends of "A..B"; false when that is no pair of numbers. */
static bool
ends_of(const char *text, struct json **from, struct json **to)
{
	const char *between = strstr(text, BETWEEN);

	if (!between)
		return false;
	*from = json_read(text, (size_t)(between - text), NULL);
	*to = json_read(between + strlen(BETWEEN), strlen(between + strlen(BETWEEN)), NULL);
	return json_kind(json_root(*from)) == JSON_NUMBER &&
	       json_kind(json_root(*to)) == JSON_NUMBER;
}

static int
check_range(const char *text, struct err *err)
{
	AUTO_JSON struct json *from = NULL;
	AUTO_JSON struct json *to = NULL;
	int order;

	if (!ends_of(text, &from, &to))
		return err_set(err, ERR_FORMAT, "two numbers: from" BETWEEN "to");
	if (!json_compare(json_root(from), json_root(to), &order) || order > 0)
		return err_set(err, ERR_FORMAT, "the first must not be larger than the second");
	return 0;
}

static int
check_enum(const struct json *json, struct err *err)
{
	struct json_iter it = json_each(json_root(json));

	if (json_kind(json_root(json)) != JSON_ARRAY || json_count(json_root(json)) == 0)
		return err_set(err, ERR_FORMAT, "a list of values: [..., ...]");
	while (json_next(&it))
		if (json_kind(it.value) == JSON_OBJECT || json_kind(it.value) == JSON_ARRAY)
			return err_set(err, ERR_FORMAT, "only plain values");
	return 0;
}

int
bound_type(struct bound_list *list, size_t i, const char *text, struct err *err)
{
	struct bound *bound = &list->bounds[i];
	AUTO_JSON struct json *json = NULL;

	if (bound->kind == BOUND_RANGE) {
		if (check_range(text, err) < 0)
			return -1;
	} else {
		json = json_read(text, strlen(text), err);
		if (!json || (bound->kind == BOUND_ENUM && check_enum(json, err) < 0))
			return -1;
	}
	free(bound->typed);
	bound->typed = mem_str(text);
	return 0;
}

/* --- writing --- */

static bool
is_whole(struct json_value number)
{
	size_t len;
	const char *source = json_source(number, &len);

	return !memchr(source, '.', len) && !memchr(source, 'e', len) && !memchr(source, 'E', len);
}

static void
write_end(struct jsonout *out, const char *key, struct json_value value)
{
	size_t len;
	const char *source = json_source(value, &len);

	jsonout_key(out, key);
	jsonout_raw(out, source, len);
}

static void
write_range(struct jsonout *out, const struct bound *bound)
{
	AUTO_JSON struct json *from = NULL;
	AUTO_JSON struct json *to = NULL;
	AUTO_JSON struct json *value = json_read(bound->value, strlen(bound->value), NULL);
	bool whole;

	if (!ends_of(bound->typed, &from, &to))
		return;
	whole = is_whole(json_root(from)) && is_whole(json_root(to)) && is_whole(json_root(value));
	jsonout_key_str(out, "type", whole ? "integer" : "number");
	write_end(out, "minimum", json_root(from));
	write_end(out, "maximum", json_root(to));
}

static void
write_bound(struct jsonout *out, const struct bound *bound)
{
	jsonout_key(out, bound->name);
	jsonout_object(out);
	if (bound->kind == BOUND_RANGE) {
		write_range(out, bound);
	} else {
		jsonout_key(out, bound->kind == BOUND_ENUM ? "enum" : "const");
		jsonout_raw(out, bound->typed, strlen(bound->typed));
	}
	jsonout_object_end(out);
}

static void
write_required(struct jsonout *out, const struct bound_list *list)
{
	jsonout_key(out, "required");
	jsonout_array(out);
	for (size_t i = 0; i < list->count; i++)
		if (list->bounds[i].kind != BOUND_NONE)
			jsonout_str(out, list->bounds[i].name);
	jsonout_array_end(out);
}

bool
bound_list_write(const struct bound_list *list, struct buf *buf)
{
	struct jsonout out;
	bool any = !list->open;

	for (size_t i = 0; i < list->count; i++)
		any |= list->bounds[i].kind != BOUND_NONE;
	if (!any)
		return false;
	jsonout_init(&out, buf);
	jsonout_object(&out);
	if (!list->open)
		jsonout_key_str(&out, "type", "object");
	jsonout_key(&out, "properties");
	jsonout_object(&out);
	for (size_t i = 0; i < list->count; i++)
		if (list->bounds[i].kind != BOUND_NONE)
			write_bound(&out, &list->bounds[i]);
	jsonout_object_end(&out);
	write_required(&out, list);
	if (!list->open)
		jsonout_key_bool(&out, "additionalProperties", false);
	jsonout_object_end(&out);
	return true;
}

/* --- what no grant is for --- */

static bool
line_calls(const struct session *session, const struct session_call *call)
{
	for (size_t i = session->program_count; i-- > 0;) {
		const struct session_program *program = &session->programs[i];

		if (program->attempt != call->attempt)
			continue;
		for (size_t k = 0; k < program->site_count; k++)
			if (program->sites[k].line == call->line && program->sites[k].tool &&
				strcmp(program->sites[k].tool, call->tool) == 0)
				return true;
		return false;
	}
	return false;
}

const char *
bound_refused(const struct session *session, const struct session_call *call)
{
	const char *why = call->held_why ? call->held_why : "";

	if (call->confirm_code)
		return "no grant: this call wants its code";
	if (call->person_only)
		return "no grant: a person decides each of these calls";
	if (strcmp(why, "repeat") == 0)
		return "no grant: it repeats a call that started before";
	if (strcmp(why, "budget") == 0)
		return "no grant: it met a limit";
	if (!session_tool(session, call->tool))
		return "no grant: the tool is unknown";
	if (call->line < 1 || !line_calls(session, call))
		return "no grant: its line holds no call of this tool";
	return NULL;
}
