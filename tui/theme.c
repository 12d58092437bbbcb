/*
 * theme.c - a table with a look for every style, filled line by line.
 *
 * Colours are kept as they were written (number or 24 bits) and brought down to what a terminal has
 * when a look is asked for.
 */
#include "config.h"

#include "tui/theme.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/base/where.h"

#define THEME_MAX 65536
#define LINE_MAX_BYTES 256
#define RGB 0x1000000 /* this bit and 24 bits of colour */

struct theme {
	struct theme_look looks[STYLE_COUNT];
	bool given[STYLE_COUNT];
	bool no_colour;
};

const char *const theme_names[] = { "default", "light", "high-contrast", "solarized", "mono",
	NULL };

static const char *const colour_names[] = { "black", "red", "green", "yellow", "blue", "magenta",
	"cyan", "white" };

static const struct {
	const char *name;
	unsigned attr;
} attr_names[] = {
	{ "bold", THEME_BOLD },
	{ "dim", THEME_DIM },
	{ "italic", THEME_ITALIC },
	{ "underline", THEME_UNDERLINE },
	{ "reverse", THEME_REVERSE },
	{ "standout", THEME_STANDOUT },
};

bool
theme_no_colour_wanted(void)
{
	const char *value = getenv("NO_COLOR");

	return value && *value;
}

void
theme_drop_colours(struct theme *theme)
{
	theme->no_colour = true;
}

void
theme_free(struct theme *theme)
{
	free(theme);
}

static bool
parse_number(const char *text, int base, size_t digits, int *value)
{
	size_t len = strlen(text);
	char *end;

	if (len == 0 || len > digits || text[strspn(text, "0123456789abcdefABCDEF")])
		return false;
	*value = (int)strtol(text, &end, base);
	return *end == '\0';
}

static bool
parse_colour(const char *word, int *colour)
{
	const char *name = word;
	int bright = 0;

	if (strcmp(word, "-") == 0) {
		*colour = -1;
		return true;
	}
	if (word[0] == '#') {
		if (strlen(word) != 7 || !parse_number(word + 1, 16, 6, colour))
			return false;
		*colour |= RGB;
		return true;
	}
	if (strncmp(word, "bright-", 7) == 0) {
		bright = 8;
		name += 7;
	}
	for (size_t i = 0; i < ARRAY_SIZE(colour_names); i++)
		if (strcmp(name, colour_names[i]) == 0) {
			*colour = (int)i + bright;
			return true;
		}
	return !bright && parse_number(word, 10, 3, colour) && *colour <= 255;
}

static bool
parse_attr(const char *word, unsigned *attrs)
{
	for (size_t i = 0; i < ARRAY_SIZE(attr_names); i++)
		if (strcmp(word, attr_names[i].name) == 0) {
			*attrs |= attr_names[i].attr;
			return true;
		}
	return false;
}

/* A theme file is foreign: its words are quoted escaped and cut. */
static const char *
quoted(const char *word, char out[64])
{
	AUTO_FREE char *escaped = text_escape(untrusted_str(word), TEXT_STRICT);

	snprintf(out, 64, "\"%.60s\"", escaped);
	return out;
}

static int
parse_look(struct theme_look *look, char *rest, struct err *err)
{
	char *save = NULL, shown[64];
	int count = 0;

	look->attrs = 0;
	for (char *word = strtok_r(rest, " \t", &save); word;
		word = strtok_r(NULL, " \t", &save), count++) {
		if (count < 2 && !parse_colour(word, count ? &look->bg : &look->fg))
			return err_set(err, ERR_FORMAT,
				"%s is no colour: \"-\", black to white, bright-..., 0 to 255 or "
				"#rrggbb",
				quoted(word, shown));
		if (count >= 2 && !parse_attr(word, &look->attrs))
			return err_set(err, ERR_FORMAT,
				"%s is no attribute: bold dim italic underline reverse standout",
				quoted(word, shown));
	}
	if (count < 2)
		return err_set(
			err, ERR_FORMAT, "wanted: style = foreground background attribute...");
	return 0;
}

static int
parse_line(struct theme *theme, char *line, struct err *err)
{
	char *equals, *end, shown[64];
	enum style style;

	line += strspn(line, " \t");
	if (*line == '\0' || *line == '#')
		return 0;
	equals = strchr(line, '=');
	if (!equals)
		return err_set(err, ERR_FORMAT, "no \"=\" in this line");
	for (end = equals; end > line && (end[-1] == ' ' || end[-1] == '\t'); end--)
		;
	*end = '\0';
	style = style_by_name(line);
	if (style == STYLE_COUNT)
		return err_set(err, ERR_FORMAT, "%s is no style", quoted(line, shown));
	if (theme->given[style])
		return err_set(err, ERR_FORMAT, "%s was given before", line);
	theme->given[style] = true;
	return parse_look(&theme->looks[style], equals + 1, err);
}

static int
next_line(struct theme *theme, const char **at, const char *end, struct err *err)
{
	const char *stop = memchr(*at, '\n', (size_t)(end - *at));
	size_t len = (size_t)((stop ? stop : end) - *at);
	char line[LINE_MAX_BYTES + 1];

	if (len > LINE_MAX_BYTES)
		return err_set(err, ERR_LIMIT, "more than %d bytes in a line", LINE_MAX_BYTES);
	if (memchr(*at, '\0', len))
		return err_set(err, ERR_FORMAT, "a NUL byte");
	snprintf(line, sizeof(line), "%.*s", (int)len, *at);
	if (len > 0 && line[len - 1] == '\r')
		line[len - 1] = '\0';
	*at = stop ? stop + 1 : end;
	return parse_line(theme, line, err);
}

static int
check_complete(const struct theme *theme, struct err *err)
{
	for (unsigned style = 0; style < STYLE_COUNT; style++)
		if (!theme->given[style])
			return err_set(err, ERR_FORMAT, "no line for the style \"%s\" (%s)",
				style_name(style), style_help(style));
	return 0;
}

int
theme_parse(struct theme **theme, const char *text, size_t len, const char *file, struct err *err)
{
	AUTO_FREE struct theme *made = mem_zero(1, sizeof(*made));
	const char *at = text, *end = text + len;

	for (int line = 1; at < end; line++)
		if (next_line(made, &at, end, err) < 0)
			return err_within(err, "%s:%d", file, line);
	if (check_complete(made, err) < 0)
		return err_within(err, "%s", file);
	*theme = MEM_GIVE(made);
	return 0;
}

static int
load_file(struct theme **theme, const char *path, struct err *err)
{
	AUTO_BUF struct buf text;

	buf_init(&text, THEME_MAX);
	if (io_read_file(path, &text, err) < 0)
		return -1;
	return theme_parse(theme, text.data ? text.data : "", text.len, path, err);
}

static int
no_theme(const char *name, const char *path, struct err *err)
{
	AUTO_BUF struct buf names;
	char shown[64];

	buf_init(&names, BUF_UNBOUNDED);
	for (size_t i = 0; theme_names[i]; i++)
		buf_printf(&names, "%s%s", i ? ", " : "", theme_names[i]);
	return err_set(err, ERR_MISSING, "no theme %s; there are %s, or make %s",
		quoted(name, shown), names.data, path);
}

static int
load_named(struct theme **theme, char *user_path, const char *name, struct err *err)
{
	AUTO_FREE char *relative = mem_printf("themes/%s.theme", name);
	AUTO_FREE char *path = where_data(relative);
	struct err first = { 0 };

	if (user_path && load_file(theme, user_path, &first) == 0)
		return 0;
	if (user_path && !(first.kind == ERR_SYSTEM && first.errnum == ENOENT)) {
		*err = first;
		return -1;
	}
	if (load_file(theme, path, &first) == 0)
		return 0;
	if (first.kind == ERR_SYSTEM)
		return no_theme(name, user_path ? user_path : path, err);
	*err = first;
	return -1;
}

int
theme_load(struct theme **theme, const char *name, const char *folder, struct err *err)
{
	AUTO_FREE char *user_path = NULL;
	struct err own;
	int rc;

	if (!err)
		err = &own;
	if (strchr(name, '/')) {
		rc = load_file(theme, name, err);
		if (rc < 0 && err->kind == ERR_SYSTEM)
			err->kind = ERR_MISSING;
		return rc;
	}
	if (folder)
		user_path = mem_printf("%s/%s.theme", folder, name);
	return load_named(theme, user_path, name, err);
}

static const unsigned char levels[6] = { 0, 95, 135, 175, 215, 255 };

/* xterm's palette; the first 16 as most terminals have them. */
static int
rgb_of(int index)
{
	static const int first[16] = { 0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD,
		0x00CDCD, 0xE5E5E5, 0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF,
		0x00FFFF, 0xFFFFFF };
	int grey, cube = index - 16;

	if (index < 16)
		return first[index];
	if (index < 232)
		return levels[cube / 36] << 16 | levels[cube / 6 % 6] << 8 | levels[cube % 6];
	grey = 8 + 10 * (index - 232);
	return grey << 16 | grey << 8 | grey;
}

static int
distance(int a, int b)
{
	int sum = 0;

	for (int shift = 0; shift <= 16; shift += 8) {
		int apart = ((a >> shift) & 0xFF) - ((b >> shift) & 0xFF);

		sum += apart * apart;
	}
	return sum;
}

/* Above 16 colours the first 16 are left out: people give them other colours. */
static int
nearest(int rgb, int colours)
{
	int from = colours >= 256 ? 16 : 0, to = colours >= 256 ? 256 : colours >= 16 ? 16 : 8;
	int best = from;

	for (int i = from; i < to; i++)
		if (distance(rgb, rgb_of(i)) < distance(rgb, rgb_of(best)))
			best = i;
	return best;
}

/* Small numbers are colours of the palette, so a shade of blue that is one becomes its neighbour.
 */
static int
direct(int rgb)
{
	return rgb < 0x100 ? rgb | 0x010000 : rgb;
}

static int
bring_down(int colour, int colours)
{
	if (colour < 0)
		return -1;
	if (colours == THEME_DIRECT && colour >= 8)
		return direct(colour & RGB ? colour & 0xFFFFFF : rgb_of(colour));
	if (colour & RGB)
		return nearest(colour & 0xFFFFFF, colours);
	if (colour < colours)
		return colour;
	return colour < 16 ? colour - 8 : nearest(rgb_of(colour), colours);
}

struct theme_look
theme_look(const struct theme *theme, enum style style, int colours)
{
	struct theme_look look = theme->looks[style];

	if (theme->no_colour || colours < 8) {
		look.fg = look.bg = -1;
		/* The accent stands out by its colour; without one it is what is reversed. */
		if (style == STYLE_ACCENT_WAIT)
			look.attrs |= THEME_REVERSE;
		return look;
	}
	/* A bright colour that the terminal does not have is told apart by weight. */
	if (colours < 16 && look.fg >= 8 && look.fg < 16)
		look.attrs |= THEME_BOLD;
	look.fg = bring_down(look.fg, colours);
	look.bg = bring_down(look.bg, colours);
	return look;
}
