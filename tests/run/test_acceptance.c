/* A tollbridge.json that was found by itself is used only as it was accepted. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/run/configuration.h"
#include "core/run/configuration_diff.h"
#include "tests/run/scratch.h"

static struct scratch scratch;
static struct buf question;

static int
begin(void **state)
{
	(void)state;
	scratch_begin(&scratch);
	buf_init(&question, BUF_UNBOUNDED);
	scratch_file("tools.py", "import helper, os\n");
	scratch_file("helper.py", "from package import deep\n");
	scratch_file("stranger.py", "");
	mkdir("package", 0700);
	scratch_file("package/deep.py", "");
	scratch_file("run.sh", "#!/bin/sh\n");
	chmod("run.sh", 0700);
	scratch_file("tollbridge.json",
		"{\"tools\": {\n"
		"\"p\": {\"python\": \"tools.py\", \"user\": \"root\", \"isolate\": false,\n"
		"      \"env\": {\"KEY\": \"${SECRET_KEY:-none}\"}},\n"
		"\"c\": {\"command\": [\"./run.sh\", \"a\\nb\"], \"user\": \"root\", "
		"\"description\": \"d\"}},\n"
		"\"approval\": {\"rules\": [{\"tools\": [\"p.*\"], \"action\": \"allow\"}]},\n"
		"\"budget\": {\"max_tool_calls\": 900},\n"
		"\"ui\": {\"notify\": [\"./tell.sh\", \"-q\"]}}\n");
	scratch_file("tell.sh", "#!/bin/sh\n");
	return 0;
}

static int
end(void **state)
{
	(void)state;
	buf_release(&question);
	scratch_end(&scratch);
	return 0;
}

static struct config *
load(const char *file)
{
	struct config_request request = { .file = file, .max_tool_calls = -1 };
	struct err err = { 0 };
	struct config *config = config_load(&request, &err);

	if (!config)
		fail_msg("%s", err.text);
	return config;
}

static enum acceptance
ask(void)
{
	struct config *config = load(NULL);
	struct err err = { 0 };
	enum acceptance answer;

	buf_clear(&question);
	answer = config_acceptance(config, &question, &err);
	config_free(config);
	if ((int)answer < 0)
		fail_msg("%s", err.text);
	return answer;
}

static void
accept_it(void)
{
	struct config *config = load(NULL);
	struct err err = { 0 };

	if (config_accept(config, &err) < 0)
		fail_msg("%s", err.text);
	config_free(config);
}

static void
says(const char *words)
{
	if (!question.data || !strstr(question.data, words))
		fail_msg("no \"%s\" in:\n%s", words, question.data);
}

static void
a_named_file_needs_no_question(void **state)
{
	struct config *config = load("tollbridge.json");

	(void)state;
	assert_int_equal(config_acceptance(config, &question, NULL), ACCEPTANCE_NOT_NEEDED);
	config_free(config);
}

static void
the_question_lists_what_is_started_handed_out_and_loosened(void **state)
{
	(void)state;
	assert_int_equal(ask(), ACCEPTANCE_NEW);
	says("tools.p: \"/usr/bin/python3\" \"");
	says("/tools.py\"");
	says("/run.sh\" \"a\\nb\"");
	says("tools.p: KEY, from \"${SECRET_KEY:-none}\"");
	says("budget.max_tool_calls: 900, built in is 50");
	says("line 5 allows calls without asking: \"p.*\"");
	says("tools.p is not isolated");
	says("ui.notify, when a call waits: \"");
	says("/tell.sh\" \"-q\"");
	says("/helper.py\"");
	says("/package/deep.py\"");
	assert_null(strstr(question.data, "stranger"));
}

static void
what_was_accepted_is_not_asked_again(void **state)
{
	(void)state;
	accept_it();
	assert_int_equal(ask(), ACCEPTANCE_GIVEN);
	assert_int_equal(question.len, 0);
}

static void
a_changed_line_is_shown(void **state)
{
	(void)state;
	scratch_file("tollbridge.json", "{\n\"ui\": {\"bell\": true}\n}\n");
	accept_it();
	scratch_file("tollbridge.json", "{\n\"ui\": {\"bell\": false}\n}\n");

	assert_int_equal(ask(), ACCEPTANCE_CHANGED);
	says("  - 2: \"ui\": {\"bell\": true}\n  + 2: \"ui\": {\"bell\": false}\n");
}

static void
a_change_of_white_space_alone_is_a_change(void **state)
{
	(void)state;
	scratch_file("tollbridge.json", "{}");
	accept_it();
	scratch_file("tollbridge.json", "{} ");
	assert_int_equal(ask(), ACCEPTANCE_CHANGED);
}

static void
a_changed_file_that_is_started_or_imported_is_named(void **state)
{
	static const char *const files[] = { "tools.py", "helper.py", "package/deep.py", "run.sh",
		"tell.sh" };

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		accept_it();
		assert_int_equal(ask(), ACCEPTANCE_GIVEN);
		scratch_file(files[i], "import helper, package # changed\n");
		assert_int_equal(ask(), ACCEPTANCE_CHANGED);
		says("  changed: \"");
		says(files[i]);
	}
}

static void
a_module_that_shadows_one_of_the_library_is_a_change(void **state)
{
	(void)state;
	accept_it();
	scratch_file("os.py", "");
	assert_int_equal(ask(), ACCEPTANCE_CHANGED);
	says("  new: \"");
	says("/os.py\"");
}

static void
an_acceptance_is_for_one_folder(void **state)
{
	(void)state;
	scratch_file("tollbridge.json", "{}");
	accept_it();
	mkdir("other", 0700);
	scratch_file("other/tollbridge.json", "{}");
	if (chdir("other") < 0)
		abort();
	assert_int_equal(ask(), ACCEPTANCE_NEW);
}

static int
open_to_others(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st, (void)where;
	return type == FTW_F ? chmod(path, 0666) : 0;
}

static void
let_others_write(void)
{
	assert_int_equal(nftw("tollbridge/accepted", open_to_others, 4, FTW_PHYS), 0);
}

static void
what_others_may_write_was_never_accepted(void **state)
{
	(void)state;
	accept_it();
	let_others_write();
	assert_int_equal(ask(), ACCEPTANCE_NEW);
}

static void
a_difference_names_lines_of_both_sides(void **state)
{
	(void)state;
	diff_lines(&question, "a\nb\nc\nd\n", 8, "a\nx\nc\n\033[31m\nd", 13);
	assert_string_equal(question.data, "  - 2: b\n  + 2: x\n  + 4: <U+001B>[31m\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_named_file_needs_no_question, begin, end),
		cmocka_unit_test_setup_teardown(
			the_question_lists_what_is_started_handed_out_and_loosened, begin, end),
		cmocka_unit_test_setup_teardown(what_was_accepted_is_not_asked_again, begin, end),
		cmocka_unit_test_setup_teardown(a_changed_line_is_shown, begin, end),
		cmocka_unit_test_setup_teardown(
			a_change_of_white_space_alone_is_a_change, begin, end),
		cmocka_unit_test_setup_teardown(
			a_changed_file_that_is_started_or_imported_is_named, begin, end),
		cmocka_unit_test_setup_teardown(
			a_module_that_shadows_one_of_the_library_is_a_change, begin, end),
		cmocka_unit_test_setup_teardown(an_acceptance_is_for_one_folder, begin, end),
		cmocka_unit_test_setup_teardown(
			what_others_may_write_was_never_accepted, begin, end),
		cmocka_unit_test_setup_teardown(a_difference_names_lines_of_both_sides, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
