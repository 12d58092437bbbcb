/* style.c - the tables that styles.def makes. */
#include "config.h"

#include "tui/style.h"

#include <assert.h>
#include <string.h>

static const struct {
	const char *name, *help;
} styles[] = {
#define STYLE(id, name, help) { name, help },
#include "tui/styles.def"
#undef STYLE
};

const char *
style_name(enum style style)
{
	assert(style < STYLE_COUNT);
	return styles[style].name;
}

const char *
style_help(enum style style)
{
	assert(style < STYLE_COUNT);
	return styles[style].help;
}

enum style
style_by_name(const char *name)
{
	unsigned style = 0;

	while (style < STYLE_COUNT && strcmp(styles[style].name, name) != 0)
		style++;
	return style;
}
