/* attach: the console on a run that is going on. */
#include "config.h"

#include <stdlib.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/record/store.h"
#include "core/run/configuration.h"
#include "core/session/summary.h"
#include "tui/cmd/cmd.h"
#include "tui/cmd/fold.h"
#include "tui/cmd/start.h"
#include "tui/cmd/talk.h"

/* The run's own configuration, as its record keeps it: pauses and colours are those of the run. */
static struct config *
config_of(const struct store_entry *entry, const struct cmd_line *line, struct err *err)
{
	size_t len = 0;
	AUTO_FREE char *text = summary_config(entry->record_path, &len, err);
	struct config *config = text ? config_read(text, len, err) : NULL;

	if (config && cmd_value(line, OPTION_THEME))
		config_set_theme(config, cmd_value(line, OPTION_THEME));
	return config;
}

static int
attach(const struct store_entry *entry, const struct cmd_line *line, struct err *err)
{
	struct config *config = config_of(entry, line, err);
	int fd = config ? talk_connect(entry, err) : -1;
	int code = fd < 0 ? cmd_fail(err) : start_app(fd, entry->name, config, NULL, false);

	config_free(config);
	return code;
}

int
cmd_attach(const struct cmd_line *line)
{
	struct store_entry entry;
	struct err err = { 0 };
	int code;

	if (cmd_expect_words(line, 0, 1, &err) < 0)
		return cmd_fail(&err);
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		cmd_say("attach needs a terminal; `tollbridge pending` and `tollbridge decide` do "
			"without");
		return EXIT_USAGE;
	}
	if (line->word_count > 0 ? fold_find_live(line->words[0], &entry, &err)
				 : fold_find_waiting(&entry, &err))
		return cmd_fail(&err);
	code = attach(&entry, line, &err);
	store_entry_release(&entry);
	return code;
}
