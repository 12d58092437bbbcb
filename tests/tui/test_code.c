/* Python in colour: one letter a style, under the source. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/mem.h"
#include "tui/code.h"

static bool
is_tool(const char *name, size_t len, void *arg)
{
	return (len == 11 && memcmp(name, "apply_raise", 11) == 0) ||
	       (len == 7 && memcmp(name, "crm.get", 7) == 0);
}

static char
letter(enum style style)
{
	switch (style) {
	case STYLE_CODE_KEYWORD:
		return 'k';
	case STYLE_CODE_BUILTIN:
		return 'b';
	case STYLE_CODE_TOOL:
		return 't';
	case STYLE_CODE_DEF:
		return 'd';
	case STYLE_CODE_STRING:
		return 's';
	case STYLE_CODE_NUMBER:
		return 'n';
	case STYLE_CODE_COMMENT:
		return 'c';
	default:
		return '.';
	}
}

static const struct {
	const char *source, *styles;
} cases[] = {
	{ "", "" },
	{ "for x in y:", "kkk...kk..." },
	{ "print(len(a))", "bbbbb.bbb...." },
	{ "apply_raise(1)", "ttttttttttt.n." },
	{ "e = crm.get(1)", "....ttttttt.n." },
	{ "x.print", "......." },
	{ "x.apply_raise", "............." },
	{ "def f(a):", "kkk.d...." },
	{ "class C:", "kkkkk.d." },
	{ "@a.b(1)", "dddd.n." },
	{ "a @ b", "....." },
	{ "\"a\" 'b'", "sss.sss" },
	{ "'a\\'b' c", "ssssss.." },
	{ "r'\\' + 1", "ssssssss" },
	{ "f\"{x}\" + rb'a'", "ssssss...sssss" },
	{ "'open\nx", "sssss.." },
	{ "'''a\nb' '''x", "sssssssssss." },
	{ "\"\"\"open\nif", "ssssssssss" },
	{ "a # if 'x'\nif", "..cccccccc.kk" },
	{ "0x1F 1e-5 1_000 2.5j .5", "nnnn.nnnn.nnnnn.nnnn.nn" },
	{ "x1 = 1-2", ".....n.n" },
	{ "None is not True", "kkkk.kk.kkk.kkkk" },
	{ "iffy android", "............" },
	{ "\xFF\xC3'a'", "..sss" },
	{ "except ToolDenied:", "kkkkkk.bbbbbbbbbb." },
};

static void
each_byte_has_the_style_of_its_piece(void **state)
{
	struct code *code = code_new(is_tool, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char got[128] = "";
		size_t len = strlen(cases[i].source);

		code_set(code, untrusted_str(cases[i].source));
		for (size_t at = 0; at < len; at++)
			got[at] = letter(code_style_at(code, at));
		if (strcmp(got, cases[i].styles) != 0)
			fail_msg("%s\n%s is not\n%s", cases[i].source, got, cases[i].styles);
		assert_int_equal(code_style_at(code, len), STYLE_TEXT);
	}
	code_free(code);
}

static void
every_beginning_of_a_source_is_walked_to_its_end(void **state)
{
	struct code *code = code_new(NULL, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (size_t len = 0; len <= strlen(cases[i].source); len++) {
			/* Memory of its own: a read beyond it shows under the sanitizers. */
			char *source = mem_zero(len ? len : 1, 1);

			memcpy(source, cases[i].source, len);
			code_set(code, untrusted(source, len));
			free(source);
		}
	code_free(code);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_byte_has_the_style_of_its_piece),
		cmocka_unit_test(every_beginning_of_a_source_is_walked_to_its_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
