/*
 * One table, settings.def, says what each key takes and how layers combine; this file is its only
 * reader of values.  Invariant: a limit that /etc sets is never passed, whatever comes later.
 */
#include "config.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/run/configuration_parts.h"

#define DOLLAR 1000000 /* in the unit they are kept in */

static const struct setting_info infos[] = {
#define SETTING(id, path, type, min, max, otherwise, combine, help) \
	{ path, SETTING_TYPE_##type, min, max, otherwise, SETTING_COMBINE_##combine, help },
#include "core/run/settings.def"
#undef SETTING
};

static const struct {
	const char *path;
	const char *values; /* "one|two" */
} later_values[] = {
#define LATER(path)
#define LATER_VALUE(path, values) { path, values },
#include "core/run/later.def"
#undef LATER
#undef LATER_VALUE
};

const struct setting_info *
setting_info(enum setting setting)
{
	assert(setting < SETTING_COUNT);
	return &infos[setting];
}

const char *
config_path(enum setting setting)
{
	return setting_info(setting)->path;
}

enum setting
setting_of(const char *path)
{
	enum setting setting = 0;

	while (setting < SETTING_COUNT && strcmp(infos[setting].path, path) != 0)
		setting++;
	return setting;
}

/* Is word one of "one|two|three"? */
static bool
among(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = list; at; at = strchr(at, '|')) {
		at += *at == '|';
		if (len > 0 && strncmp(at, word, len) == 0 && (at[len] == '|' || !at[len]))
			return true;
	}
	return false;
}

static bool
is_later_value(const char *path, const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(later_values); i++)
		if (strcmp(later_values[i].path, path) == 0 && among(later_values[i].values, word))
			return true;
	return false;
}

/* The place of word in "one|two|three", which it is among; and the other way. */
static int64_t
choice_index(const char *list, const char *word)
{
	size_t len = strlen(word);
	int64_t index = 0;

	while (strncmp(list, word, len) != 0 || (list[len] && list[len] != '|')) {
		list = strchr(list, '|') + 1;
		index++;
	}
	return index;
}

static char *
choice_at(const char *list, int64_t index)
{
	while (index-- > 0)
		list = strchr(list, '|') + 1;
	return mem_strn(list, strcspn(list, "|"));
}

/* --- what is accepted, in words --- */

static const char *
unit_of(int64_t *bytes)
{
	static const char *const units[] = { "", "K", "M", "G", "T" };
	size_t unit = 0;

	while (unit + 1 < ARRAY_SIZE(units) && *bytes >= 1024 && *bytes % 1024 == 0) {
		*bytes /= 1024;
		unit++;
	}
	return units[unit];
}

/* "2.5" of 2500000 millionths. */
static char *
dollars_text(int64_t micro)
{
	char *text =
		mem_printf("%lld.%06lld", (long long)(micro / DOLLAR), (long long)(micro % DOLLAR));
	size_t len = strlen(text);

	while (text[len - 1] == '0')
		text[--len] = '\0';
	if (text[len - 1] == '.')
		text[len - 1] = '\0';
	return text;
}

char *
setting_number_text(enum setting setting, int64_t value)
{
	const struct setting_info *info = setting_info(setting);
	const char *unit = "";

	if (value < 0)
		return mem_str("no limit");
	if (info->type == SETTING_TYPE_CHOICE)
		return choice_at(info->otherwise, value);
	if (info->type == SETTING_TYPE_BOOL)
		return mem_str(value ? "true" : "false");
	if (info->type == SETTING_TYPE_DOLLARS)
		return dollars_text(value);
	if (info->type == SETTING_TYPE_SIZE)
		unit = unit_of(&value);
	return mem_printf("%lld%s", (long long)value, unit);
}

static char *
choices_text(const char *list)
{
	AUTO_BUF struct buf out;

	buf_init(&out, BUF_UNBOUNDED);
	buf_byte(&out, '"');
	for (; *list; list++)
		if (*list == '|')
			buf_str(&out, "\" or \"");
		else
			buf_byte(&out, *list);
	buf_byte(&out, '"');
	return buf_give(&out);
}

/* The smallest number that is taken beside null. */
static int64_t
least(const struct setting_info *info)
{
	if (info->min >= 0)
		return info->min;
	return info->type == SETTING_TYPE_DOLLARS ? 0 : 1;
}

/* A text that may be left away. */
static bool
takes_nothing(const struct setting_info *info)
{
	return (info->type == SETTING_TYPE_STRING || info->type == SETTING_TYPE_PATH) &&
	       !info->otherwise[0];
}

static char *
accepted_text(enum setting setting)
{
	const struct setting_info *info = setting_info(setting);
	bool null = info->min < 0;
	AUTO_FREE char *min = setting_number_text(setting, least(info));
	AUTO_FREE char *max = setting_number_text(setting, info->max);

	switch (info->type) {
	case SETTING_TYPE_INT:
		return mem_printf("a whole number from %s to %s%s", min, max,
			null ? ", or null for no limit" : "");
	case SETTING_TYPE_SIZE:
		return mem_printf(
			"bytes or text like \"%s\", from %s to %s", info->otherwise, min, max);
	case SETTING_TYPE_BOOL:
		return mem_str("true or false");
	case SETTING_TYPE_DOLLARS:
		return mem_printf("US dollars from %s to %s with at most 6 decimals%s", min, max,
			null ? ", or null for none" : "");
	case SETTING_TYPE_CHOICE:
		return choices_text(info->otherwise);
	default:
		return mem_str(takes_nothing(info) ? "text that is not empty, or null"
						   : "text that is not empty");
	}
}

static int
not_accepted(
	const struct layer *layer, enum setting setting, struct json_value value, struct err *err)
{
	const struct setting_info *info = setting_info(setting);
	AUTO_FREE char *shown = config_shown(value);
	AUTO_FREE char *accepted = accepted_text(setting);
	const char *word = json_string(value, NULL);

	if (word && is_later_value(info->path, word))
		return config_fault(layer, value, err,
			"%s: %s is not available in this version; write %s", info->path, shown,
			accepted);
	return config_fault(layer, value, err, "%s: %s is not accepted; write %s (%s)", info->path,
		shown, accepted, info->help);
}

/* --- one value --- */

int
setting_parse_size(const char *text, int64_t *out)
{
	static const char units[] = "KMGT";
	const char *unit;
	char *end;
	long long number;
	unsigned shift = 0;

	if (text[0] < '0' || text[0] > '9' || strlen(text) > 15)
		return -1;
	number = strtoll(text, &end, 10);
	if (*end) {
		unit = strchr(units, *end);
		if (!unit || end[1])
			return -1;
		shift = 10 * (unsigned)(unit - units + 1);
	}
	if (number > INT64_MAX >> shift)
		return -1;
	*out = (int64_t)number << shift;
	return 0;
}

/* An amount that is no whole number of millionths is none: it would not be what was written. */
static bool
read_dollars(struct json_value value, int64_t *out)
{
	AUTO_FREE char *again = NULL;
	AUTO_JSON struct json *doc = NULL;
	double amount;
	int order;

	if (!json_double(value, &amount) || amount < 0 || amount > 1e9)
		return false;
	*out = (int64_t)(amount * DOLLAR + 0.5);
	again = dollars_text(*out);
	doc = json_read(again, strlen(again), NULL);
	return json_compare(json_root(doc), value, &order) && order == 0;
}

/* True and *out when value is a number that the setting takes. */
static bool
read_number(const struct setting_info *info, struct json_value value, int64_t *out)
{
	int64_t min = least(info);
	size_t len;
	const char *text = json_string(value, &len);

	if (info->min < 0 && json_kind(value) == JSON_NULL) {
		*out = -1;
		return true;
	}
	if (info->type == SETTING_TYPE_SIZE && text && strlen(text) == len)
		return setting_parse_size(text, out) == 0 && *out >= min && *out <= info->max;
	if (info->type == SETTING_TYPE_DOLLARS)
		return read_dollars(value, out) && *out >= min && *out <= info->max;
	return json_int(value, min, info->max, out);
}

static bool
looser(enum setting_combine combine, int64_t a, int64_t b)
{
	uint64_t wide_a = (uint64_t)a, wide_b = (uint64_t)b; /* -1, no limit, is the largest */

	switch (combine) {
	case SETTING_COMBINE_SMALLER:
		return wide_a > wide_b;
	case SETTING_COMBINE_LARGER:
		return wide_a < wide_b;
	default:
		return false;
	}
}

bool
setting_looser(enum setting setting, int64_t a, int64_t b)
{
	return looser(setting_info(setting)->combine, a, b);
}

/* name: a setting, or another limit, which is a count of calls. */
static char *
limit_text(const char *name, int64_t value)
{
	enum setting setting = setting_of(name);

	return setting_number_text(
		setting == SETTING_COUNT ? SETTING_BUDGET_MAX_TOOL_CALLS : setting, value);
}

static void
note_loosened(struct config *config, const char *name, int64_t from, int64_t to)
{
	AUTO_FREE char *before = limit_text(name, from);
	AUTO_FREE char *after = limit_text(name, to);
	AUTO_FREE char *text = mem_printf("%s %s -> %s", name, before, after);

	config_add_loosened(config, text);
}

static int
beyond_system(
	const struct layer *layer, const char *name, int64_t value, int64_t system, struct err *err)
{
	AUTO_FREE char *wanted = limit_text(name, value);
	AUTO_FREE char *set = limit_text(name, system);

	return config_fault(layer, (struct json_value){ 0 }, err,
		"%s: %s is beyond the %s that /etc/tollbridge/config.json sets; nothing loosens "
		"that",
		name, wanted, set);
}

int
limit_take(struct config *config, const struct layer *layer, const char *name,
	enum setting_combine combine, struct limit *limit, int64_t otherwise, int64_t value,
	struct err *err)
{
	bool may_loosen = layer->from >= FROM_NAMED;
	bool command = layer->from == FROM_COMMAND;
	bool compare = limit->set || command;
	int64_t before = limit->set ? limit->value : otherwise;

	if (limit->system_set && looser(combine, value, limit->system)) {
		if (command)
			return beyond_system(layer, name, value, limit->system, err);
		value = limit->system;
	}
	if (compare && looser(combine, value, before)) {
		if (!may_loosen)
			return 0;
		note_loosened(config, name, before, value);
	}
	limit->set = true;
	limit->value = value;
	if (layer->from == FROM_SYSTEM) {
		limit->system_set = true;
		limit->system = value;
	}
	return 0;
}

/* A choice of which some values are stricter than others. */
static int
take_choice(struct config *config, const struct layer *layer, enum setting setting,
	const char *text, struct err *err)
{
	const struct setting_info *info = setting_info(setting);
	struct setting_value *slot = &config->values[setting];

	if (limit_take(config, layer, info->path, info->combine, &slot->limit,
		    setting_otherwise(setting), choice_index(info->otherwise, text), err) < 0)
		return -1;
	free(slot->text);
	slot->text = choice_at(info->otherwise, slot->limit.value);
	return 0;
}

static int
no_text(struct setting_value *slot)
{
	free(slot->text);
	slot->text = mem_str("");
	slot->limit.set = true;
	return 0;
}

static int
take_text(struct config *config, const struct layer *layer, enum setting setting,
	struct json_value value, struct err *err)
{
	const struct setting_info *info = setting_info(setting);
	struct setting_value *slot = &config->values[setting];
	size_t len;
	const char *text = json_string(value, &len);

	if (takes_nothing(info) && json_kind(value) == JSON_NULL)
		return no_text(slot);
	if (!text || len == 0 || strlen(text) != len ||
		(info->type == SETTING_TYPE_CHOICE && !among(info->otherwise, text)))
		return not_accepted(layer, setting, value, err);
	if (info->combine != SETTING_COMBINE_LAST)
		return take_choice(config, layer, setting, text, err);
	if (setting == SETTING_MODEL_NAME) {
		free(config->model_folder);
		config->model_folder = mem_str(layer->folder);
	}
	free(slot->text);
	slot->text = info->type == SETTING_TYPE_PATH ? config_absolute(layer, text) : mem_str(text);
	slot->limit.set = true;
	return 0;
}

static int
take_bool(struct config *config, const struct layer *layer, enum setting setting,
	struct json_value value, struct err *err)
{
	enum json_kind kind = json_kind(value);

	if (kind != JSON_TRUE && kind != JSON_FALSE)
		return not_accepted(layer, setting, value, err);
	config->values[setting].limit.set = true;
	config->values[setting].limit.value = kind == JSON_TRUE;
	return 0;
}

int
setting_take(struct config *config, const struct layer *layer, enum setting setting,
	struct json_value value, struct err *err)
{
	const struct setting_info *info = setting_info(setting);
	int64_t number;

	switch (info->type) {
	case SETTING_TYPE_BOOL:
		return take_bool(config, layer, setting, value, err);
	case SETTING_TYPE_INT:
	case SETTING_TYPE_SIZE:
	case SETTING_TYPE_DOLLARS:
		if (!read_number(info, value, &number))
			return not_accepted(layer, setting, value, err);
		return limit_take(config, layer, info->path, info->combine,
			&config->values[setting].limit, setting_otherwise(setting), number, err);
	default:
		return take_text(config, layer, setting, value, err);
	}
}

/* --- defaults --- */

int64_t
setting_otherwise(enum setting setting)
{
	const struct setting_info *info = setting_info(setting);
	int64_t number = -1;

	if (info->type == SETTING_TYPE_BOOL)
		return strcmp(info->otherwise, "true") == 0;
	if (info->type == SETTING_TYPE_CHOICE)
		return 0;
	if (strcmp(info->otherwise, "null") != 0 &&
		setting_parse_size(info->otherwise, &number) < 0)
		assert(!"a default of settings.def that is no number");
	return number;
}

void
settings_fill(struct config *config)
{
	for (enum setting setting = 0; setting < SETTING_COUNT; setting++) {
		const struct setting_info *info = &infos[setting];
		struct setting_value *slot = &config->values[setting];

		if (slot->limit.set)
			continue;
		if (info->type == SETTING_TYPE_CHOICE)
			slot->text = mem_strn(info->otherwise, strcspn(info->otherwise, "|"));
		else if (info->type == SETTING_TYPE_STRING || info->type == SETTING_TYPE_PATH)
			slot->text = mem_str(info->otherwise);
		else
			slot->limit.value = setting_otherwise(setting);
		slot->limit.set = true;
	}
}
