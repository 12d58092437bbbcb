#include "config.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/mem.h"
#include "core/session/session.h"
#include "tests/record/make_record.h"
#include "tests/tui/golden.h"
#include "tests/tui/sample.h"
#include "tui/canvas.h"
#include "tui/coverage.h"
#include "tui/document.h"
#include "tui/rows.h"

#define COLS 76

/* The document of the call that waits with these arguments, as text. */
static char *
text_of(const char *args, enum text_mode mode, struct document *document)
{
	struct session session;
	char *text;

	sample_waiting(&session, args);
	document_make(document, &session, session_first_held(&session), COLS, 24, mode);
	text = document_text(document);
	session_release(&session);
	return text;
}

static void
assert_says(const char *args, const char *words)
{
	struct document document;
	AUTO_FREE char *text = text_of(args, TEXT_STRICT, &document);

	document_release(&document);
	if (!strstr(text, words))
		fail_msg("\"%s\" is not in:\n%s", words, text);
}

static void
assert_is_silent_of(const char *args, const char *words)
{
	struct document document;
	AUTO_FREE char *text = text_of(args, TEXT_STRICT, &document);

	document_release(&document);
	assert_null(strstr(text, words));
}

static void
a_plain_call_reads_as_in_the_picture(void **state)
{
	struct document document;
	AUTO_FREE char *text =
		text_of("{\"name\":\"Ada\",\"amount\":9000}", TEXT_STRICT, &document);

	(void)state;
	document_release(&document);
	assert_golden(text, "document-plain");
}

static void
hostile_arguments_read_as_in_the_picture(void **state)
{
	static const char args[] =
		"{\"name\":\"Ada\\u001b[2J\\u202e\\u200bevil\\r\\n y approve once   n deny\","
		"\"amount\":9007199254740993,\"p\xd0\xb0y\":[1e3,-0,{\"deep\":\"\\t\"}]}";
	struct document document;
	AUTO_FREE char *text = text_of(args, TEXT_STRICT, &document);

	(void)state;
	document_release(&document);
	assert_golden(text, "document-hostile");
}

static void
numbers_that_programs_read_differently_are_marked(void **state)
{
	(void)state;
	assert_says("{\"amount\":9007199254740992}", "9007199254740992  ! beyond 2^53-1");
	assert_is_silent_of("{\"amount\":9007199254740991}", "beyond 2^53-1");
	assert_says("{\"amount\":-9007199254740992}", "! beyond 2^53-1");
	assert_says("{\"amount\":0.123456789012345678}", "! more than 17 digits");
	assert_is_silent_of("{\"amount\":1.2345678901234567}", "! more than 17 digits");
	assert_says("{\"amount\":9e3}", "9e3  ! with an exponent");
	assert_says("{\"amount\":-0}", "-0  ! negative zero");
	assert_says("{\"amount\":-0.0}", "! negative zero");
	assert_says("{\"amount\":-0}", "1 number that programs read in different ways");
}

static void
what_is_declared_and_not_given_is_said(void **state)
{
	(void)state;
	assert_says("{\"name\":\"Ada\"}", "amount      │ not given");
	assert_says("{\"name\":\"Ada\",\"amount\":1,\"x\":2}", "! the tool declares no such name");
}

static void
hidden_characters_are_counted_inside_escapes(void **state)
{
	(void)state;
	assert_says(
		"{\"name\":\"a\\u202eb\\u200bc\"}", "! 2 hidden or direction-changing characters");
	assert_says("{\"name\":\"p\\u0430y\"}", "! letters of several scripts within one word");
	assert_is_silent_of("{\"name\":\"plain\"}", "hidden");
}

static void
an_equal_call_that_started_before_is_a_warning(void **state)
{
	struct session session;
	struct document document;
	AUTO_FREE char *text = NULL;

	(void)state;
	make_sample_session(&session, SAMPLE_HELD);
	free(session.calls[3].args.bytes);
	session.calls[3].args.bytes = mem_str("{\"name\":\"Ada\",\"amount\":5000}");
	session.calls[3].args.len = strlen(session.calls[3].args.bytes);
	document_make(&document, &session, &session.calls[3], COLS, 24, TEXT_STRICT);
	text = document_text(&document);
	assert_non_null(strstr(text, "an equal call started before: call 2"));
	document_release(&document);
	session_release(&session);
}

static void
a_line_without_a_call_of_the_tool_is_a_warning(void **state)
{
	struct session session;
	struct document document;
	AUTO_FREE char *text = NULL;

	(void)state;
	sample_waiting(&session, "{}");
	session.calls[0].line = 9;
	document_make(&document, &session, &session.calls[0], COLS, 24, TEXT_STRICT);
	text = document_text(&document);
	assert_non_null(strstr(text, "! line 9 holds no call of this tool"));
	document_release(&document);
	session_release(&session);
}

static void
missing_arguments_cannot_be_approved(void **state)
{
	struct session session;
	struct document document;

	(void)state;
	sample_waiting(&session, "{}");
	free(session.calls[0].args.bytes);
	session.calls[0].args = (struct blob){ NULL, 0, true };
	document_make(&document, &session, &session.calls[0], COLS, 24, TEXT_STRICT);
	assert_true(document.missing);
	document_release(&document);
	session_release(&session);
}

/* {"name":"aaa...a"} of len bytes in all. */
static char *
long_args(size_t len)
{
	static const char head[] = "{\"name\":\"";
	char *args = mem_zero(len + 1, 1);

	memset(args, 'a', len);
	memcpy(args, head, strlen(head));
	memcpy(args + len - 2, "\"}", 2);
	return args;
}

static bool
is_too_long(size_t len)
{
	AUTO_FREE char *args = long_args(len);
	struct document document;
	AUTO_FREE char *text = text_of(args, TEXT_STRICT, &document);
	bool too_long = document.too_long;

	assert_true(!too_long || strstr(text, "too long to be approved"));
	document_release(&document);
	return too_long;
}

static void
arguments_over_40_screens_or_256_kib_are_too_long(void **state)
{
	(void)state;
	assert_false(is_too_long(40 * 24 * (COLS - 14)));
	assert_true(is_too_long(40 * 24 * (COLS - 14) + 1));
	assert_true(is_too_long(256 * 1024 + 1));
}

static void
the_rows_cover_every_byte_of_the_source_once_seen(void **state)
{
	AUTO_FREE char *args = long_args(3000);
	struct document document;
	AUTO_FREE char *text = text_of(args, TEXT_STRICT, &document);
	struct coverage seen;
	size_t count = rows_count(document.rows);

	(void)state;
	assert_non_null(text);
	coverage_init(&seen);
	rows_seen(document.rows, 0, count, &seen);
	assert_int_equal(coverage_seen(&seen), 3000);
	coverage_clear(&seen);
	rows_seen(document.rows, rows_source_at(document.rows) + 1, count, &seen);
	assert_true(coverage_seen(&seen) < 3000);
	assert_false(coverage_has(&seen, 0, 1));
	coverage_release(&seen);
	document_release(&document);
}

static void
no_row_is_wider_than_the_page(void **state)
{
	static const char args[] = "{\"averyveryverylongargumentname\":\"x\",\"y\":\"          \"}";

	(void)state;
	for (unsigned cols = 24; cols < 120; cols += 7) {
		struct canvas *canvas = canvas_new((int)cols + 8, 200);
		struct session session;
		struct document document;

		sample_waiting(&session, args);
		document_make(
			&document, &session, session_first_held(&session), cols, 24, TEXT_STRICT);
		rows_draw(document.rows, canvas, canvas_all(canvas), 0);
		for (int y = 0; y < 200; y++)
			assert_string_equal(canvas_at(canvas, (int)cols, y).utf8, " ");
		document_release(&document);
		session_release(&session);
		canvas_free(canvas);
	}
}

static void
the_same_state_width_and_mode_make_the_same_frame(void **state)
{
	static const char args[] = "{\"name\":\"\xc3\x89va\",\"amount\":9000}";
	struct session session;
	struct document a, b, narrow, text;

	(void)state;
	sample_waiting(&session, args);
	document_make(&a, &session, &session.calls[0], COLS, 24, TEXT_STRICT);
	document_make(&b, &session, &session.calls[0], COLS, 24, TEXT_STRICT);
	document_make(&narrow, &session, &session.calls[0], COLS - 30, 24, TEXT_STRICT);
	document_make(&text, &session, &session.calls[0], COLS, 24, TEXT_TEXT);
	assert_true(digest_equal(&a.frame, &b.frame));
	assert_false(digest_equal(&a.frame, &narrow.frame));
	assert_false(digest_equal(&a.frame, &text.frame));
	document_release(&a);
	document_release(&b);
	document_release(&narrow);
	document_release(&text);
	session_release(&session);
}

static void
the_salt_is_the_key_of_the_frame(void **state)
{
	struct session session;
	struct document a, b;

	(void)state;
	sample_waiting(&session, "{}");
	document_make(&a, &session, &session.calls[0], COLS, 24, TEXT_STRICT);
	session.calls[0].more->args_salt[0] ^= 1;
	document_make(&b, &session, &session.calls[0], COLS, 24, TEXT_STRICT);
	assert_false(digest_equal(&a.frame, &b.frame));
	document_release(&a);
	document_release(&b);
	session_release(&session);
}

static void
two_different_arguments_never_make_the_same_page(void **state)
{
	static const char *const args[] = { "{\"a\":\"<U+202E>\"}", "{\"a\":\"\xe2\x80\xae\"}",
		"{\"a\":\"\\u202e\"}", "{\"a\":\"<SP x 8>\"}", "{\"a\":\"        \"}",
		"{\"a\":\"       \"}", "{\"a\":\"\"}" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(args); i++)
		for (size_t j = 0; j < i; j++) {
			struct document a, b;
			AUTO_FREE char *one = text_of(args[i], TEXT_STRICT, &a);
			AUTO_FREE char *two = text_of(args[j], TEXT_STRICT, &b);

			assert_string_not_equal(one, two);
			document_release(&a);
			document_release(&b);
		}
}

static void
the_page_holds_only_what_is_safe_to_draw(void **state)
{
	static const char args[] =
		"{\"name\":\"\xe2\x80\xae\xf0\x9f\x98\x80 \xc2\x9b \xe2\x94\x82\","
		"\"amount\":\"\\u0007\\u001b]0;x\\u0007\"}";
	struct document document;
	AUTO_FREE char *text = text_of(args, TEXT_STRICT, &document);

	(void)state;
	for (const char *at = text; *at; at++) {
		bool ours = strncmp(at, "│", 3) == 0 || strncmp(at, "·", 2) == 0;

		if ((unsigned char)*at >= 0x80 && ours)
			at += strncmp(at, "│", 3) == 0 ? 2 : 1;
		else
			assert_true(*at == '\n' || (*at >= 0x20 && *at < 0x7f));
	}
	document_release(&document);
}

static void
the_rules_that_were_tried_are_explained(void **state)
{
	struct session session;
	struct rows *rows;
	struct canvas *canvas = canvas_new(80, 12);

	(void)state;
	sample_waiting(&session, "{}");
	rows = document_explain(&session.calls[0], 78, TEXT_STRICT);
	rows_draw(rows, canvas, canvas_all(canvas), 0);
	assert_picture(canvas, "explain-80x12");
	rows_free(rows);
	canvas_free(canvas);
	session_release(&session);
}

static void
a_past_call_is_told_in_full(void **state)
{
	struct session session;
	struct rows *rows;
	struct canvas *canvas = canvas_new(80, 20);

	(void)state;
	make_sample_session(&session, SAMPLE_ENDED);
	rows = document_detail(&session, &session.calls[2], 78, TEXT_STRICT);
	rows_draw(rows, canvas, canvas_all(canvas), 0);
	assert_picture(canvas, "detail-80x20");
	rows_free(rows);
	canvas_free(canvas);
	session_release(&session);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plain_call_reads_as_in_the_picture),
		cmocka_unit_test(hostile_arguments_read_as_in_the_picture),
		cmocka_unit_test(numbers_that_programs_read_differently_are_marked),
		cmocka_unit_test(what_is_declared_and_not_given_is_said),
		cmocka_unit_test(hidden_characters_are_counted_inside_escapes),
		cmocka_unit_test(an_equal_call_that_started_before_is_a_warning),
		cmocka_unit_test(a_line_without_a_call_of_the_tool_is_a_warning),
		cmocka_unit_test(missing_arguments_cannot_be_approved),
		cmocka_unit_test(arguments_over_40_screens_or_256_kib_are_too_long),
		cmocka_unit_test(the_rows_cover_every_byte_of_the_source_once_seen),
		cmocka_unit_test(no_row_is_wider_than_the_page),
		cmocka_unit_test(the_same_state_width_and_mode_make_the_same_frame),
		cmocka_unit_test(the_salt_is_the_key_of_the_frame),
		cmocka_unit_test(two_different_arguments_never_make_the_same_page),
		cmocka_unit_test(the_page_holds_only_what_is_safe_to_draw),
		cmocka_unit_test(the_rules_that_were_tried_are_explained),
		cmocka_unit_test(a_past_call_is_told_in_full),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
