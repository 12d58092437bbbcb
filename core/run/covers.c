/*
 * covers.c - the table of folders and sockets hidden from tools.
 *
 * A row is a base (a variable, or a folder below the home of the variable's absence) and a name
 * below it.  "%u" in a name stands for the user's id.
 */
#include "config.h"

#include "core/run/covers.h"

#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/mem.h"

struct place {
	const char *variable; /* NULL: only the default */
	const char *base; /* where the variable is not set; "~" is the home; NULL: then nothing */
	const char *name; /* below it; "" is the base itself */
};

static const struct place places[] = {
	{ "XDG_STATE_HOME", "~/.local/state", "/tollbridge" },
	{ NULL, "~/.local/state", "/tollbridge" },
	{ "XDG_CONFIG_HOME", "~/.config", "/tollbridge" },
	{ NULL, "~/.config", "/tollbridge" },
	{ "XDG_RUNTIME_DIR", "/run/user/%u", "/tollbridge" },
	{ NULL, "/run/user/%u", "/tollbridge" },
	{ NULL, "/etc", "/tollbridge" },
	{ "TMUX_TMPDIR", NULL, "/tmux-%u" },
	{ NULL, "/tmp", "/tmux-%u" },
	{ "TMPDIR", NULL, "/tmux-%u" },
	{ "SCREENDIR", NULL, "" },
	{ NULL, "/run", "/screen" },
	{ NULL, "/var/run", "/screen" },
	{ NULL, "/tmp", "/screens" },
	{ NULL, "/tmp", "/uscreens" },
	{ NULL, "~", "/.screen" },
	{ NULL, "/tmp", "/zellij-%u" },
	{ "XDG_RUNTIME_DIR", "/run/user/%u", "/zellij" },
	{ "ZELLIJ_SOCKET_DIR", NULL, "" },
	{ "XDG_RUNTIME_DIR", "/run/user/%u", "/abduco" },
	{ "ABDUCO_SOCKET_DIR", NULL, "/abduco" },
	{ NULL, "~", "/.abduco" },
	{ NULL, "/tmp", "/abduco" },
	{ NULL, "~", "/.dtach" },
	{ NULL, "~", "/.dvtm" },
	{ NULL, "~", "/.local/share/wezterm" },
	{ "XDG_RUNTIME_DIR", "/run/user/%u", "/wezterm" },
	{ "XDG_RUNTIME_DIR", "/run/user/%u", "/kitty" },
	{ "KITTY_LISTEN_ON", NULL, "" },
};

static const char *
home(void)
{
	const char *set = getenv("HOME");
	const struct passwd *account;

	if (set && set[0] == '/')
		return set;
	account = getpwuid(getuid());
	return account ? account->pw_dir : "/";
}

/* Of a socket variable, the path after "unix:"; anything relative is no place. */
static const char *
variable_path(const char *name)
{
	const char *value = getenv(name);

	if (value && strncmp(value, "unix:", 5) == 0)
		value += 5;
	return value && value[0] == '/' && value[1] ? value : NULL;
}

static void
put_pattern(struct buf *path, const char *pattern)
{
	const char *mark = strstr(pattern, "%u");

	if (!mark) {
		buf_str(path, pattern);
		return;
	}
	buf_put(path, pattern, (size_t)(mark - pattern));
	buf_printf(path, "%u%s", getuid(), mark + 2);
}

static char *
place_path(const struct place *place)
{
	const char *set = place->variable ? variable_path(place->variable) : NULL;
	AUTO_BUF struct buf path;

	buf_init(&path, BUF_UNBOUNDED);
	if (!set && !place->base)
		return NULL;
	if (set)
		buf_str(&path, set);
	else if (place->base[0] == '~')
		buf_printf(&path, "%s%s", home(), place->base + 1);
	else
		put_pattern(&path, place->base);
	put_pattern(&path, place->name);
	return buf_give(&path);
}

static bool
listed(char *const *list, const char *path)
{
	for (; *list; list++)
		if (strcmp(*list, path) == 0)
			return true;
	return false;
}

char **
covers_list(void)
{
	char **list = mem_zero(ARRAY_SIZE(places) + 1, sizeof(*list));
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		char *path = place_path(&places[i]);

		if (path && !listed(list, path))
			list[count++] = path;
		else
			free(path);
	}
	return list;
}
