/*
 * Commands by their names: the table's, as its keys would do them, and a few with a word behind
 * them.  What decides is not done here: its key is armed for that, a typed line is not.
 */
#include "config.h"

#include "tui/app_inside.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/run/near.h"
#include "tui/app.h"
#include "tui/term.h"
#include "tui/theme.h"
#include "tui/view_calls.h"
#include "tui/view_program.h"

#define NAMES_MAX (COMMAND_COUNT + 8)
#define NUMBER_MAX 999999999999LL

/* --- commands with a word --- */

static bool
number_of(const char *text, long long *number)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	*number = strtoll(text, &end, 10);
	return *end == '\0' && *number <= NUMBER_MAX;
}

static void
command_call(struct app *app, const char *rest)
{
	const struct session_call *call = NULL;
	long long number;

	if (!number_of(rest, &number)) {
		app_say(app, STYLE_WARNING, "write the number of a call: call 12");
		return;
	}
	call = session_call(&app->session, (uint64_t)number);
	if (!call) {
		app_say(app, STYLE_WARNING, "there is no call %lld; there are %zu", number,
			app->session.call_count);
		return;
	}
	view_calls_select(app->pane[LAYOUT_CALLS], call->number);
	app_intent(app,
		&(struct intent){ .kind = call->state == CALL_HELD ? INTENT_OPEN : INTENT_DETAIL,
			.call = call->number });
}

static void
command_line(struct app *app, const char *rest)
{
	long long number;

	if (app->place == APP_AT_RUNS) {
		app_say(app, STYLE_WARNING, "no program is open");
		return;
	}
	if (!number_of(rest, &number) || number < 1 ||
		!view_program_line(app->pane[LAYOUT_PROGRAM], (size_t)number)) {
		app_say(app, STYLE_WARNING, "write the number of a line of the program: line 30");
		return;
	}
	if (!app->approval && app->overlays == 0)
		app->focus = LAYOUT_PROGRAM;
	app_dirty(app);
}

static void
command_theme(struct app *app, const char *rest)
{
	struct theme *theme = NULL;
	struct err err = { 0 };

	if (!*rest) {
		app_say(app, STYLE_WARNING, "write the name of a theme: theme light");
		return;
	}
	if (app_theme_named(&theme, rest, &err) < 0) {
		AUTO_FREE char *words = text_escape(untrusted_str(err.text), TEXT_STRICT);

		app_say(app, STYLE_ERROR, "%s", words);
		return;
	}
	theme_free(app->theme);
	app->theme = theme;
	if (app->term)
		term_set_theme(app->term, theme);
	app->whole = true;
	app_dirty(app);
}

static const struct worded {
	const char *name;
	void (*run)(struct app *app, const char *rest);
} worded[] = {
	{ "call", command_call },
	{ "line", command_line },
	{ "theme", command_theme },
};

/* --- names --- */

static bool
typed_here(const struct app *app, enum command command)
{
	return !(command_flags(command) & (COMMAND_DECIDES | COMMAND_APPROVES)) &&
	       command != COMMAND_COMMAND_LINE && app_offers(app, command);
}

/* Names that do something now; offered: not those that decide. */
static size_t
list_names(const struct app *app, const char **names, bool offered)
{
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(worded); i++)
		names[count++] = worded[i].name;
	for (int i = COMMAND_NONE + 1; i < COMMAND_COUNT; i++)
		if (!offered || typed_here(app, (enum command)i))
			names[count++] = command_name((enum command)i);
	return count;
}

static size_t
matching(const struct app *app, const char *word, const char **names)
{
	const char *all[NAMES_MAX];
	size_t all_count = list_names(app, all, true);
	size_t count = 0;

	for (size_t i = 0; i < all_count; i++)
		if (strncmp(all[i], word, strlen(word)) == 0)
			names[count++] = all[i];
	return count;
}

static size_t
matching_themes(const char *word, const char **names)
{
	size_t count = 0;

	for (size_t i = 0; theme_names[i]; i++)
		if (strncmp(theme_names[i], word, strlen(word)) == 0)
			names[count++] = theme_names[i];
	return count;
}

/* What the line's last word may become; *word is set to that word. */
static size_t
matching_line(const struct app *app, const char *line, const char **names, const char **word)
{
	line += strspn(line, " ");
	*word = line;
	if (!strchr(line, ' '))
		return matching(app, line, names);
	if (strncmp(line, "theme ", 6) != 0)
		return 0;
	*word = line + 6;
	return matching_themes(*word, names);
}

static size_t
common_prefix(const char *const *names, size_t count)
{
	size_t len = strlen(names[0]);

	for (size_t i = 1; i < count; i++) {
		size_t same = 0;

		while (same < len && names[i][same] == names[0][same])
			same++;
		len = same;
	}
	return len;
}

char *
app_command_complete(const struct app *app, const char *line)
{
	const char *names[NAMES_MAX];
	const char *word;
	size_t count = matching_line(app, line, names, &word);
	size_t len;

	if (count == 0)
		return NULL;
	len = common_prefix(names, count);
	return mem_printf("%.*s%.*s%s", (int)(word - line), line, (int)len, names[0],
		count == 1 && strcmp(names[0], word) != 0 && word == line ? " " : "");
}

char *
app_command_candidates(const struct app *app, const char *line)
{
	const char *names[NAMES_MAX];
	const char *word;
	size_t count = matching_line(app, line, names, &word);
	AUTO_BUF struct buf out;

	buf_init(&out, BUF_UNBOUNDED);
	for (size_t i = 0; i < count; i++)
		buf_printf(&out, "%s%s", i ? "  " : "", names[i]);
	if (count == 1 && strcmp(names[0], word) == 0 && command_by_name(word) != COMMAND_NONE)
		buf_printf(&out, ": %s", command_help(command_by_name(word)));
	return mem_str(out.data ? out.data : "");
}

/* --- one line --- */

static void
refuse_unknown(struct app *app, const char *word)
{
	const char *names[NAMES_MAX];
	size_t count = list_names(app, names, false);
	const char *near = near_name(word, names, count);
	AUTO_FREE char *shown = text_escape(untrusted_str(word), TEXT_STRICT);

	if (near)
		app_say(app, STYLE_WARNING, "there is no command \"%s\"; did you mean \"%s\"?",
			shown, near);
	else
		app_say(app, STYLE_WARNING, "there is no command \"%s\"; Tab shows them", shown);
}

/* The map in which a key does it: of a waiting call, else the first. */
static enum map
map_of(const struct app *app, enum command command, struct key *key)
{
	if (keymap_key(app->keymap, MAP_APPROVAL, command, key))
		return MAP_APPROVAL;
	for (int map = 0; map < MAP_COUNT; map++)
		if (keymap_key(app->keymap, (enum map)map, command, key))
			return (enum map)map;
	return MAP_COUNT;
}

static void
refuse_deciding(struct app *app, enum command command)
{
	char name[KEY_NAME_MAX];
	struct key key;
	enum map map = map_of(app, command, &key);

	if (map != MAP_COUNT) {
		app_say(app, STYLE_WARNING, "%s decides, and only its key does that: %s %s",
			command_name(command), key_name(key, name), map_help(map));
		return;
	}
	app_say(app, STYLE_WARNING, "%s decides, and no key is bound to it", command_name(command));
}

static void
run_named(struct app *app, const char *word)
{
	enum command command = command_by_name(word);

	if (command == COMMAND_NONE)
		refuse_unknown(app, word);
	else if (command_flags(command) & (COMMAND_DECIDES | COMMAND_APPROVES))
		refuse_deciding(app, command);
	else if (!app_offers(app, command))
		app_say(app, STYLE_WARNING, "%s does nothing here now", word);
	else
		app_run_command(app, command);
}

void
app_command_line(struct app *app, const char *line)
{
	const char *start = line + strspn(line, " ");
	size_t len = strcspn(start, " ");
	AUTO_FREE char *word = mem_strn(start, len);
	AUTO_FREE char *rest = mem_str(start + len + strspn(start + len, " "));
	size_t rest_len = strlen(rest);

	while (rest_len > 0 && rest[rest_len - 1] == ' ')
		rest[--rest_len] = '\0';
	if (!*word || (app->film && app_replay_goto(app, start)))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(worded); i++)
		if (strcmp(worded[i].name, word) == 0) {
			worded[i].run(app, rest);
			return;
		}
	if (rest_len > 0 && command_by_name(word) != COMMAND_NONE)
		app_say(app, STYLE_WARNING, "%s takes no words", word);
	else
		run_named(app, word);
}
