#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/mem.h"
#include "core/tools/worker_line.h"

static void
a_good_line_is_taken_apart(void **state)
{
	static const struct {
		const char *line;
		enum worker_kind kind;
		uint64_t number;
		const char *text;
	} good[] = {
		{ "1 ok null", WORKER_OK, 1, "null" },
		{ "999999999999999999 ok [1, 2]", WORKER_OK, 999999999999999999, "[1, 2]" },
		{ "7 error \"x\"", WORKER_ERROR, 7, "\"x\"" },
		{ "7 ok ", WORKER_OK, 7, "" },
		{ "tools []", WORKER_TOOLS, 0, "[]" },
		{ "failed \"no\"", WORKER_FAILED, 0, "\"no\"" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct worker_line line;

		assert_true(worker_line_read(good[i].line, strlen(good[i].line), &line));
		assert_int_equal(line.kind, good[i].kind);
		assert_int_equal(line.number, good[i].number);
		assert_int_equal(line.text_len, strlen(good[i].text));
		assert_memory_equal(line.text, good[i].text, line.text_len);
	}
}

static void
any_other_line_is_none(void **state)
{
	static const char *const bad[] = { "", " ", "1", "1 ", "ok 1", "1 okay", "1  ok 1",
		"-1 ok 1", "+1 ok 1", "1 OK 1", "x ok 1", "1x ok 1", "9999999999999999999 ok 1",
		"1 tools []", "toolsx", "failed", " tools []", "1 error" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct worker_line line;

		assert_false(worker_line_read(bad[i], strlen(bad[i]), &line));
		assert_int_equal(line.kind, WORKER_NONE);
	}
}

static void
nothing_past_the_end_is_read(void **state)
{
	static const char whole[] = "12 ok null";

	for (size_t len = 0; len <= strlen(whole); len++) {
		AUTO_FREE char *copy = mem_grow(NULL, len + (len == 0), 1);
		struct worker_line line;

		memcpy(copy, whole, len);
		assert_int_equal(worker_line_read(copy, len, &line), len >= strlen("12 ok "));
	}
}

static void
words_are_there_whatever_came(void **state)
{
	struct worker_line good = { WORKER_ERROR, 1, "\"a\\u00e9\"", 9 };
	struct worker_line bad = { WORKER_ERROR, 1, "{}", 2 };
	AUTO_FREE char *words = worker_line_words(&good);
	AUTO_FREE char *none = worker_line_words(&bad);

	assert_string_equal(words, "a\xc3\xa9");
	assert_string_equal(none, "it failed without words");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_line_is_taken_apart),
		cmocka_unit_test(any_other_line_is_none),
		cmocka_unit_test(nothing_past_the_end_is_read),
		cmocka_unit_test(words_are_there_whatever_came),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
