/* The command line: what it takes, what it refuses and with which words. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "tui/cmd/cmd.h"

#define WORDS_MAX 16

/* Words are parted by single spaces. */
struct parsed {
	char *text;
	char *argv[WORDS_MAX];
	int argc;
	struct cmd_line line;
	struct err err;
	int failed;
};

static void
parse(struct parsed *parsed, const char *words)
{
	char *rest, *word;

	*parsed = (struct parsed){ .text = mem_str(words) };
	rest = parsed->text;
	parsed->argv[parsed->argc++] = (char *)"tollbridge";
	while ((word = strsep(&rest, " ")) && parsed->argc < WORDS_MAX)
		parsed->argv[parsed->argc++] = word;
	parsed->failed = cmd_parse(parsed->argc, parsed->argv, &parsed->line, &parsed->err);
}

static void
release(struct parsed *parsed)
{
	cmd_line_release(&parsed->line);
	free(parsed->text);
}

static void
options_and_words_may_stand_in_any_order(void **state)
{
	struct parsed parsed;

	(void)state;
	parse(&parsed, "decide --reason=a=b payroll-1 4 deny");
	assert_int_equal(parsed.failed, 0);
	assert_int_equal(parsed.line.command, COMMAND_decide);
	assert_string_equal(cmd_value(&parsed.line, OPTION_REASON), "a=b");
	assert_int_equal(parsed.line.word_count, 3);
	assert_string_equal(parsed.line.words[2], "deny");
	release(&parsed);
}

static void
an_option_may_be_given_again(void **state)
{
	struct parsed parsed;
	const char **values;

	(void)state;
	parse(&parsed, "run --set a=1 -cfile.json --set b=2 --program - --json");
	assert_int_equal(parsed.failed, 0);
	values = cmd_values(&parsed.line, OPTION_SET);
	assert_string_equal(values[0], "a=1");
	assert_string_equal(values[1], "b=2");
	assert_null(values[2]);
	free(values);
	assert_string_equal(cmd_value(&parsed.line, OPTION_CONFIG), "file.json");
	assert_string_equal(cmd_value(&parsed.line, OPTION_PROGRAM), "-");
	assert_true(cmd_has(&parsed.line, OPTION_JSON));
	assert_false(cmd_has(&parsed.line, OPTION_HEADLESS));
	release(&parsed);
}

static void
after_two_dashes_everything_is_a_word(void **state)
{
	struct parsed parsed;

	(void)state;
	parse(&parsed, "call kit.peek -- --text=x -y");
	assert_int_equal(parsed.failed, 0);
	assert_int_equal(parsed.line.word_count, 3);
	assert_string_equal(parsed.line.words[1], "--text=x");
	release(&parsed);
}

static const struct {
	const char *words;
	const char *error;
} refused[] = {
	{ "rnu", "no command \"rnu\"; did you mean \"run\"?" },
	{ "frobnicate", "no command \"frobnicate\"; `tollbridge help` lists them" },
	{ "mcp", "mcp is not available in this version" },
	{ "run --headles", "run has no option --headles; did you mean --headless?" },
	{ "run --code x", "run has no option --code; " },
	{ "run -x", "run has no option -x; `tollbridge help run` lists them" },
	{ "run -m", "--model needs a value: --model PROVIDER/NAME" },
	{ "run --dry-run", "--dry-run is not available in this version" },
	{ "run --json=yes", "--json takes no value" },
	{ "run --program", "--program needs a value: --program FILE" },
	{ "run -c", "--config needs a value: --config FILE" },
	{ "stop --json", "stop has no option --json; `tollbridge help stop` lists them" },
};

static void
each_refusal_says_what_would_be_accepted(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		struct parsed parsed;

		parse(&parsed, refused[i].words);
		if (parsed.failed == 0 ||
			strncmp(parsed.err.text, refused[i].error, strlen(refused[i].error)) != 0)
			fail_msg("%s gave \"%s\"", refused[i].words, parsed.err.text);
		assert_int_equal(parsed.err.kind, ERR_USAGE);
		release(&parsed);
	}
}

static void
too_many_words_show_the_synopsis(void **state)
{
	struct parsed parsed;

	(void)state;
	parse(&parsed, "stop a b");
	assert_int_equal(parsed.failed, 0);
	assert_int_equal(cmd_expect_words(&parsed.line, 1, 1, &parsed.err), -1);
	assert_string_equal(
		parsed.err.text, "write: tollbridge stop SESSION  (`tollbridge help stop`)");
	release(&parsed);
}

static void
each_command_takes_help_and_has_an_example(void **state)
{
	(void)state;
	for (enum cmd_id command = 0; command < COMMAND_COUNT; command++) {
		AUTO_FREE char *words = mem_printf("%s --help", cmd_name(command));
		AUTO_FREE char *text = NULL;
		AUTO_FREE char *example = NULL;
		size_t len = 0;
		FILE *out = open_memstream(&text, &len);
		struct parsed parsed;

		parse(&parsed, words);
		assert_int_equal(parsed.failed, 0);
		assert_true(cmd_has(&parsed.line, OPTION_HELP));
		release(&parsed);
		cmd_help_one(out, command);
		fclose(out);
		example = mem_printf("Example:\n  tollbridge %s", cmd_name(command));
		assert_non_null(strstr(text, example));
		assert_non_null(strstr(text, "--help"));
	}
}

/* The text of an example, word by word, is a command line that is accepted. */
static void
each_example_is_a_command_line_that_is_accepted(void **state)
{
	static const char *const examples[] = {
#define COMMAND(id, name, words, options, help, example) example,
#define COMMAND_LATER(name, help)
#include "tui/cmd/commands.def"
#undef COMMAND
#undef COMMAND_LATER
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(examples); i++) {
		struct parsed parsed;

		assert_int_equal(strncmp(examples[i], "tollbridge ", 11), 0);
		parse(&parsed, examples[i] + 11);
		if (parsed.failed)
			fail_msg("%s: %s", examples[i], parsed.err.text);
		release(&parsed);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_and_words_may_stand_in_any_order),
		cmocka_unit_test(an_option_may_be_given_again),
		cmocka_unit_test(after_two_dashes_everything_is_a_word),
		cmocka_unit_test(each_refusal_says_what_would_be_accepted),
		cmocka_unit_test(too_many_words_show_the_synopsis),
		cmocka_unit_test(each_command_takes_help_and_has_an_example),
		cmocka_unit_test(each_example_is_a_command_line_that_is_accepted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
