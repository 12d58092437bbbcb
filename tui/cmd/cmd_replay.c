/* replay: the console on a record.  Nothing is connected and nothing is started. */
#include "config.h"

#include <stdlib.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/record/store.h"
#include "core/run/configuration.h"
#include "tui/app.h"
#include "tui/cmd/cmd.h"

static int
replay(const struct store_entry *entry, const struct config *config, struct err *err)
{
	struct app_request request = {
		.config = config, .replay = entry->record_path, .still_written = entry->live
	};
	struct app_result result;

	if (app_run(&request, &result, err) < 0)
		return cmd_fail(err);
	free(result.answer);
	free(result.rules);
	free(result.name);
	return result.end == APP_SIGNAL ? result.exit_code : EXIT_DONE;
}

static int
find(const char *word, struct store_entry *entry, struct err *err)
{
	struct store *store = store_open(err);
	int found = store ? store_find(store, word, entry, err) : -1;

	store_free(store);
	return found;
}

int
cmd_replay(const struct cmd_line *line)
{
	struct config_request own = {
		.max_tool_calls = -1, .no_found = true, .theme = cmd_value(line, OPTION_THEME)
	}; /* that of whoever looks, not of the run */
	struct store_entry entry;
	struct config *config;
	struct err err = { 0 };
	int code;

	if (cmd_expect_words(line, 1, 1, &err) < 0)
		return cmd_fail(&err);
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		cmd_say("replay needs a terminal; `tollbridge show` does without");
		return EXIT_USAGE;
	}
	config = config_load(&own, &err);
	if (!config || find(line->words[0], &entry, &err) < 0) {
		config_free(config);
		return cmd_fail(&err);
	}
	code = replay(&entry, config, &err);
	store_entry_release(&entry);
	config_free(config);
	return code;
}
