#include "config.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/mem.h"
#include "core/base/strict.h"

/*
 * The suite's y_ files are accepted, but for duplicate names; its n_ files are refused.  Of its i_
 * files, where a parser may choose, whole numbers of any size are accepted; everything else there
 * is refused: numbers no double holds, lone surrogates, bytes that are not UTF-8 (UTF-16 too), a
 * byte order mark, nesting beyond 64.
 */
static bool
should_accept(const char *name)
{
	static const char *const chosen[] = { "i_number_too_big_neg_int.json",
		"i_number_too_big_pos_int.json" };
	static const char *const duplicates[] = { "y_object_duplicated_key.json",
		"y_object_duplicated_key_and_value.json" };

	for (size_t i = 0; i < ARRAY_SIZE(chosen); i++) {
		if (strcmp(name, chosen[i]) == 0)
			return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(duplicates); i++) {
		if (strcmp(name, duplicates[i]) == 0)
			return false;
	}
	return name[0] == 'y';
}

static void
run_suite_file(const char *folder, const char *name)
{
	AUTO_FREE char *path = mem_printf("%s/%s", folder, name);
	struct strict_tape tape = { 0 };
	AUTO_BUF struct buf text;
	struct err err = { 0 };
	bool accepted;

	buf_init(&text, (size_t)1 << 24);
	assert_int_equal(io_read_file(path, &text, &err), 0);
	accepted = strict_read(text.data, text.len, &tape, &err) == 0;
	strict_tape_release(&tape);
	if (accepted != should_accept(name))
		fail_msg("%s: %s %s", name, accepted ? "accepted" : "refused", err.text);
}

static char *
suite_folder(void)
{
	const char *suites = getenv("TOLLBRIDGE_SUITES");

	return mem_printf("%s/json-parsing", suites ? suites : "../shared/data");
}

/* Every file whose name begins so. */
static void
run_suite_files(char kind, int at_least)
{
	AUTO_FREE char *folder = suite_folder();
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int count = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] != kind || !strstr(entry->d_name, ".json"))
			continue;
		run_suite_file(folder, entry->d_name);
		count++;
	}
	closedir(dir);

	assert_true(count >= at_least);
}

static void
texts_every_reader_must_accept_are_accepted_but_for_duplicate_names(void **state)
{
	(void)state;
	run_suite_files('y', 60);
}

static void
texts_every_reader_must_refuse_are_refused(void **state)
{
	(void)state;
	run_suite_files('n', 100);
}

static void
texts_a_reader_may_accept_are_judged_as_decided(void **state)
{
	(void)state;
	run_suite_files('i', 15);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			texts_every_reader_must_accept_are_accepted_but_for_duplicate_names),
		cmocka_unit_test(texts_every_reader_must_refuse_are_refused),
		cmocka_unit_test(texts_a_reader_may_accept_are_judged_as_decided),
	};
	AUTO_FREE char *folder = suite_folder();

	if (access(folder, R_OK) != 0) {
		printf("1..0 # SKIP the public parsing suite is not in %s\n", folder);
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
