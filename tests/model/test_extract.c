#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/mem.h"
#include "core/model/extract.h"

#define PROGRAM "total = 0\nprint(total)\n"

static const struct {
	const char *reply;
	enum extract_rule rule;
	const char *program; /* NULL: none */
} cases[] = {
	{ "```python\n" PROGRAM "```\n", EXTRACT_PROGRAM, PROGRAM },
	{ "```py\n" PROGRAM "```", EXTRACT_PROGRAM, PROGRAM },
	{ "```Python3\n" PROGRAM "```", EXTRACT_PROGRAM, PROGRAM },
	{ "``` python title=\"x\"\n" PROGRAM "```", EXTRACT_PROGRAM, PROGRAM },
	{ "```\n" PROGRAM "```", EXTRACT_PROGRAM, PROGRAM },
	{ "~~~python\n" PROGRAM "~~~", EXTRACT_PROGRAM, PROGRAM },
	{ "~~~\n" PROGRAM "~~~", EXTRACT_PROGRAM, PROGRAM },
	{ "  ```python\n" PROGRAM "  ```", EXTRACT_PROGRAM, PROGRAM },
	{ "Here it is:\n\n```python\n" PROGRAM "```\nIt adds up.\n", EXTRACT_PROGRAM, PROGRAM },
	{ "```python\r\nprint(1)\r\n```\r\n", EXTRACT_PROGRAM, "print(1)\r\n" },
	{ "````python\ntext = '''\n```\nnot the end\n```\n'''\n````\n", EXTRACT_PROGRAM,
		"text = '''\n```\nnot the end\n```\n'''\n" },
	{ "```python\nx = \"~~~\"\n~~~\n```\n", EXTRACT_PROGRAM, "x = \"~~~\"\n~~~\n" },
	{ "<think>\n```python\nwrong()\n```\n</think>\n```python\n" PROGRAM "```", EXTRACT_PROGRAM,
		PROGRAM },
	{ "<think>I will not stop", EXTRACT_EMPTY, NULL },
	{ "<think>```python\nwrong()\n```", EXTRACT_EMPTY, NULL },
	/* a marked one counts before unmarked ones */
	{ "```\nsome output\n```\n```python\n" PROGRAM "```\n```\nmore\n```", EXTRACT_PROGRAM,
		PROGRAM },
	{ "```json\n{\"a\": 1}\n```\n```python\n" PROGRAM "```", EXTRACT_PROGRAM, PROGRAM },
	/* the same one twice is one */
	{ "```python\n" PROGRAM "```\nAgain:\n```python\n" PROGRAM "\n```", EXTRACT_PROGRAM,
		PROGRAM },
	{ "```python\nprint(1)\n```\n```python\nprint(2)\n```", EXTRACT_SEVERAL, NULL },
	{ "```\nprint(1)\n```\n```\nprint(2)\n```", EXTRACT_SEVERAL, NULL },
	{ "```\na\n```\n```\nb\n```\n```python\n" PROGRAM "```", EXTRACT_PROGRAM, PROGRAM },
	/* cut */
	{ "```python\n" PROGRAM, EXTRACT_OPEN, NULL },
	{ "```python\n" PROGRAM "``", EXTRACT_OPEN, NULL },
	{ "```python", EXTRACT_OPEN, NULL },
	{ "```python\n" PROGRAM "```\n```python\nprint(2)\n", EXTRACT_OPEN, NULL },
	{ "````python\n" PROGRAM "```\n", EXTRACT_OPEN, NULL },
	/* something else */
	{ "", EXTRACT_EMPTY, NULL },
	{ " \n\n", EXTRACT_EMPTY, NULL },
	{ "```python\n\n```", EXTRACT_EMPTY, NULL },
	{ "I cannot do that.", EXTRACT_NONE, NULL },
	{ "Call apply_raise(name) for Ada.", EXTRACT_NONE, NULL },
	{ "Use ```print(1)``` for that.", EXTRACT_NONE, NULL },
	{ "```bash\nrm -rf /\n```", EXTRACT_LANGUAGE, NULL },
	{ "{\"name\": \"apply_raise\", \"arguments\": {\"amount\": 5}}", EXTRACT_TOOL_CALL, NULL },
	{ "```json\n[{\"name\": \"apply_raise\", \"parameters\": {}}]\n```", EXTRACT_TOOL_CALL,
		NULL },
	{ "<tool_call>\n{\"name\": \"x\", \"arguments\": {}}\n</tool_call>", EXTRACT_TOOL_CALL,
		NULL },
	/* a program and nothing else */
	{ PROGRAM, EXTRACT_PROGRAM, PROGRAM },
	{ "\n\nimport json\n\n\ndef f(a):\n    return a\n\n\nprint(f(1))\n", EXTRACT_PROGRAM,
		"import json\n\n\ndef f(a):\n    return a\n\n\nprint(f(1))\n" },
	{ "\"\"\"Raise all.\n\nIn words that are no code.\n\"\"\"\nfor p in people():\n    "
	  "print(p)\n",
		EXTRACT_PROGRAM,
		"\"\"\"Raise all.\n\nIn words that are no code.\n\"\"\"\nfor p in people():\n    "
		"print(p)\n" },
	{ "for example you could raise it", EXTRACT_NONE, NULL },
	{ "# A heading and no code", EXTRACT_NONE, NULL },
};

static void
each_form_gives_its_program_or_its_rule(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct extract found;

		extract_program(untrusted_str(cases[i].reply), &found);
		if (found.rule != cases[i].rule)
			fail_msg("%s\n  gave rule %d, wanted %d", cases[i].reply, found.rule,
				cases[i].rule);
		if (!cases[i].program) {
			assert_int_equal(found.len, 0);
			continue;
		}
		assert_int_equal(found.len, strlen(cases[i].program));
		assert_memory_equal(cases[i].reply + found.at, cases[i].program, found.len);
	}
}

static void
a_program_with_a_nul_byte_is_none(void **state)
{
	static const char reply[] = "```python\nprint(1)\0\n```";
	struct extract found;

	(void)state;
	extract_program(untrusted(reply, sizeof(reply) - 1), &found);
	assert_int_equal(found.rule, EXTRACT_CONTROL);
	assert_int_equal(found.len, 0);
}

/* Cut anywhere before its closing fence, no reply gives a program. */
static void
no_beginning_of_a_reply_gives_a_program(void **state)
{
	static const char reply[] = "Here:\n```python\n" PROGRAM "print('done')\n```\n";
	size_t whole = strlen(reply) - 1;

	(void)state;
	for (size_t len = 0; len < whole; len++) {
		struct extract found;

		extract_program(untrusted(reply, len), &found);
		assert_int_not_equal(found.rule, EXTRACT_PROGRAM);
	}
}

static void
what_streams_is_previewed_as_it_comes(void **state)
{
	static const char reply[] = "Here:\n```python\n" PROGRAM "```\n";
	size_t before = 0;

	(void)state;
	for (size_t len = 0; len < strlen(reply); len++) {
		struct extract found;

		extract_preview(untrusted(reply, len), &found);
		if (found.len == 0)
			continue;
		assert_int_equal(found.at, strlen("Here:\n```python\n"));
		if (found.len < before)
			fail_msg("%zu bytes after %zu", found.len, before);
		before = found.len <= strlen(PROGRAM) ? found.len : before;
	}
	assert_int_equal(before, strlen(PROGRAM));
}

static void
every_rule_is_explained_in_a_sentence(void **state)
{
	(void)state;
	for (enum extract_rule rule = EXTRACT_PROGRAM; rule <= EXTRACT_CONTROL; rule++)
		assert_true(strlen(extract_words(rule)) > 20);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_form_gives_its_program_or_its_rule),
		cmocka_unit_test(a_program_with_a_nul_byte_is_none),
		cmocka_unit_test(no_beginning_of_a_reply_gives_a_program),
		cmocka_unit_test(what_streams_is_previewed_as_it_comes),
		cmocka_unit_test(every_rule_is_explained_in_a_sentence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
