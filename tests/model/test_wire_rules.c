/* The rules for readers of streams: a test for each, and none may depend on how bytes are split. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/model/reading.h"

#define SAID(text) "{\"choices\":[{\"delta\":{\"content\":\"" text "\"}}]}"
#define ENDED "{\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}"
#define END "data: " ENDED "\n\n"

static void
rule_1_a_character_split_between_reads_is_one_character(void **state)
{
	(void)state;
	reads_as("openai-chat", "data: " SAID("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80") "\n\n" END,
		MODEL_COMPLETE, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", NULL);
}

static void
rule_2_lf_crlf_and_a_lone_cr_end_a_line(void **state)
{
	(void)state;
	reads_as("openai-chat",
		"data: " SAID("a") "\n\n"
				   "data: " SAID("b") "\r\n\r\n"
						      "data: " SAID("c") "\r\r" END,
		MODEL_COMPLETE, "abc", NULL);
	/* Were CR LF two ends, each of these lines would be an event. */
	reads_as("openai-chat",
		"data: {\"choices\":\r\ndata: [{\"delta\":{\"content\":\"a\"}}]}\r\n\r\n" END,
		MODEL_COMPLETE, "a", NULL);
}

static void
rule_3_a_mark_counts_at_the_very_beginning_only(void **state)
{
	(void)state;
	reads_as("openai-chat",
		"\xef\xbb\xbf"
		"data: " SAID("a") "\n\n" END,
		MODEL_COMPLETE, "a", NULL);
	reads_as("openai-chat",
		END "\xef\xbb\xbf"
		    "data: " SAID("a") "\n\n",
		MODEL_COMPLETE, "", NULL);
	reads_as("ollama",
		"\xef\xbb\xbf{\"message\":{\"content\":\"a\"},\"done\":true,"
		"\"done_reason\":\"stop\"}\n",
		MODEL_COMPLETE, "a", NULL);
}

static void
rule_4_comments_are_no_events(void **state)
{
	(void)state;
	reads_as("openai-chat", ": waiting\n\n:\n\ndata: " SAID("a") "\n: within\n\n" END,
		MODEL_COMPLETE, "a", NULL);
}

static void
rule_5_fields_are_read_leniently(void **state)
{
	(void)state;
	reads_as("openai-chat",
		"data:" SAID("a") "\n\n"
				  "id: 7\nretry: 1\nnonsense\nother: x\ndata:  " SAID(
					  "b") "\ndata\n\n" END,
		MODEL_COMPLETE, "ab", NULL);
}

static void
rule_5_an_error_field_is_an_error_whatever_it_holds(void **state)
{
	(void)state;
	reads_as("openai-chat", "error: {\"code\":500,\"message\":\"broke\"}\n\ndata: [DONE]\n\n",
		MODEL_ERROR, "", "broke (500)");
	reads_as("openai-chat", "error: {\"error\":{\"message\":\"within\"}}\n\n", MODEL_ERROR, "",
		"within");
	reads_as("openai-chat", "error: out of slots\n\n", MODEL_ERROR, "", "out of slots");
	reads_as("openai-chat", END "error: out of slots", MODEL_ERROR, "", "out of slots");
}

static void
rule_5_an_event_named_error_is_an_error(void **state)
{
	(void)state;
	reads_as("openai-chat", "event: error\ndata: {\"message\":\"broke\"}\n\n", MODEL_ERROR, "",
		"broke");
	reads_as("anthropic", "event: error\ndata: {\"message\":\"broke\"}\n\n", MODEL_ERROR, "",
		"broke");
}

static void
rule_6_empty_data_is_passed_over(void **state)
{
	(void)state;
	reads_as("openai-chat", "data:\n\ndata: \n\ndata:   \n\nid: 1\ndata\n\n" END,
		MODEL_COMPLETE, "", NULL);
}

static void
rule_7_a_last_event_without_a_blank_line_counts_when_it_is_whole(void **state)
{
	(void)state;
	reads_as("openai-chat", "data: " SAID("a") "\n\ndata: " ENDED, MODEL_COMPLETE, "a", NULL);
	reads_as("openai-chat", "data: " SAID("a") "\n\ndata: " ENDED "\n", MODEL_COMPLETE, "a",
		NULL);
	reads_as("openai-chat", END "data: [DONE]", MODEL_COMPLETE, "", NULL);
	reads_as("ollama",
		"{\"message\":{\"content\":\"a\"},\"done\":true,\"done_reason\":\"stop\"}",
		MODEL_COMPLETE, "a", NULL);
}

static void
rule_7_a_last_event_that_is_cut_is_a_cut(void **state)
{
	static const char last[] = "data: " ENDED;
	static const char line[] = "{\"message\":{\"content\":\"b\\u00e9\"},\"done\":true,"
				   "\"done_reason\":\"stop\"}";

	(void)state;
	for (size_t cut = 1; cut < strlen(last); cut++) {
		AUTO_FREE char *bytes = mem_printf("data: " SAID("a") "\n\n%.*s", (int)cut, last);

		reads_as("openai-chat", bytes, MODEL_CUT, "a", "without saying");
	}
	for (size_t cut = 1; cut < strlen(line); cut++) {
		AUTO_FREE char *bytes = mem_printf(
			"{\"message\":{\"content\":\"a\"},\"done\":false}\n%.*s", (int)cut, line);

		reads_as("ollama", bytes, MODEL_CUT, "a", "without saying");
	}
}

static void
rule_8_done_in_any_form_says_nothing_of_how_a_reply_ended(void **state)
{
	static const char *const forms[] = { "data: [DONE]\n\n", "data:[DONE]\n\n",
		"data:   [DONE]  \n\n", "data: \"[DONE]\"\n\n", "data: [DONE]\n\ndata: [DONE]\n\n",
		"data: [DONE]", "" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		AUTO_FREE char *whole = mem_printf("data: " SAID("a") "\n\n" END "%s", forms[i]);
		AUTO_FREE char *cut = mem_printf("data: " SAID("a") "\n\n%s", forms[i]);

		reads_as("openai-chat", whole, MODEL_COMPLETE, "a", NULL);
		reads_as("openai-chat", cut, MODEL_CUT, "a", "without saying");
	}
}

static void
rule_8_what_follows_done_is_still_read(void **state)
{
	struct reading reading;

	(void)state;
	reading_of(&reading, "openai-chat",
		END "data: [DONE]\n\ndata: {\"choices\":[],\"usage\":{\"prompt_tokens\":4}}\n\n", 0,
		1);
	assert_int_equal(reading.end.stop, MODEL_COMPLETE);
	assert_int_equal(reading.end.usage.input, 4);
	reading_release(&reading);
	reads_as("openai-chat", END "data: [DONE]\n\ndata: {\"error\":\"late\"}\n\n", MODEL_ERROR,
		"", "late");
}

static void
rule_9_the_first_bytes_say_what_came(void **state)
{
	(void)state;
	reads_as("openai-chat", " \r\n\n<!doctype html><title>Sign in</title>", MODEL_ERROR, "",
		"a page (of a proxy?) came in place of a reply: <!doctype html>");
	reads_as("openai-chat", "upstream connect error", MODEL_ERROR, "",
		"something else came in place of a reply: upstream connect error");
	reads_as("openai", "{\"error\":\"Unexpected endpoint\"}", MODEL_ERROR, "",
		"Unexpected endpoint");
	reads_as("openai-chat", "[{\"error\":{\"code\":400,\"message\":\"bad\"}}]", MODEL_ERROR, "",
		"bad (400)");
	reads_as("ollama",
		"data: {\"message\":{\"content\":\"a\"},\"done\":true,"
		"\"done_reason\":\"stop\"}\n\n",
		MODEL_COMPLETE, "a", NULL);
	reads_as("ollama", "{\n  \"error\": {\n    \"message\": \"no such model\"\n  }\n}\n",
		MODEL_ERROR, "", "no such model");
}

static void
rule_9_an_excerpt_is_short_and_whole_characters(void **state)
{
	struct wire_limits limits = { 100000, 100000 };

	(void)state;
	/* Three bytes a character: one of the offsets cuts one. */
	for (size_t shift = 0; shift < 3; shift++) {
		struct reading reading;

		reading_begin(&reading, "openai", limits);
		(void)wire_feed(reading.reader, "<xx", 1 + shift);
		for (size_t i = 0; i < 3000; i++)
			(void)wire_feed(reading.reader, "\xe2\x82\xac", 3);
		reading_end(&reading, 200);
		assert_true(strlen(reading.end.error) < 300);
		assert_true(text_is_utf8(reading.end.error, strlen(reading.end.error)));
		assert_null(strstr(reading.end.error, "\xef\xbf\xbd"));
		reading_release(&reading);
	}
}

static void
rule_10_a_whole_completion_stands_for_a_stream(void **state)
{
	(void)state;
	reads_as("openai-chat",
		"{\"choices\":[{\"message\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}",
		MODEL_COMPLETE, "a", NULL);
	/* Without a reason it proves nothing. */
	reads_as("openai-chat", "{\"choices\":[{\"message\":{\"content\":\"a\"}}]}", MODEL_CUT, "a",
		"without saying");
	reads_as("openai-chat", "{\"choices\":[{\"message\":{\"content\":\"a", MODEL_CUT, "",
		"without saying");
}

/* Rule 11 but for times, which are not the reader's. */
static void
rule_11_a_bound_that_is_passed_is_an_error(void **state)
{
	static const struct {
		struct wire_limits limits;
		const char *bytes, *error;
	} cases[] = {
		{ { 1000, 4 }, "data: " SAID("abc") "\n\ndata: " SAID("de") "\n\n" END,
			"longer than 4 bytes" },
		{ { 60, 1000 }, "data: " SAID("aaaaaaaaaaaaaaaaaaaaaaaaaaaaa") "\n\n" END,
			"longer than 60 bytes" },
		{ { 10, 1000 }, "data: a\ndata: b\ndata: cccccccc\n\n", "longer than 10 bytes" },
		{ { 10, 1000 }, "           \n\n   ", "longer than 10 bytes" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (size_t step = 1; step <= strlen(cases[i].bytes); step++) {
			struct reading reading;
			size_t len = strlen(cases[i].bytes);

			reading_begin(&reading, "openai-chat", cases[i].limits);
			for (size_t at = 0; at < len; at += step)
				(void)wire_feed(reading.reader, cases[i].bytes + at,
					len - at < step ? len - at : step);
			reading_end(&reading, 200);
			assert_int_equal(reading.end.stop, MODEL_ERROR);
			assert_non_null(strstr(reading.end.error, cases[i].error));
			reading_release(&reading);
		}
}

static void
rule_12_glued_objects_are_malformed_and_nobody_guesses(void **state)
{
	static const char glued[] = "what is no JSON";

	(void)state;
	reads_as("openai-chat", "data: " SAID("a") SAID("b") "\n\n" END, MODEL_ERROR, "", glued);
	reads_as("openai-chat", END "data: " SAID("a") SAID("b"), MODEL_ERROR, "", glued);
	reads_as("openai-chat", SAID("a") SAID("b"), MODEL_ERROR, "", glued);
	reads_as("ollama", "{\"done\":false}{\"done\":true,\"done_reason\":\"stop\"}\n",
		MODEL_ERROR, "", glued);
	reads_as("ollama",
		"{\"done\":false}\n{\"done\":false}{\"done\":true,\"done_reason\":\"stop\"}",
		MODEL_ERROR, "", glued);
}

/* --- the terminal marker --- */

static void
text_after_the_end_proves_that_it_was_none(void **state)
{
	static const char after[] = "goes on after its end";

	(void)state;
	reads_as("openai-chat", "data: " SAID("a") "\n\n" END "data: " SAID("b") "\n\n" END,
		MODEL_ERROR, "a", after);
	reads_as("ollama",
		"{\"done\":true,\"done_reason\":\"stop\"}\n{\"message\":{\"content\":\"a\"}}\n",
		MODEL_ERROR, "", after);
}

static void
a_clean_reason_does_not_undo_another(void **state)
{
	(void)state;
	reads_as("openai-chat",
		"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"length\"}]}\n\n" END,
		MODEL_LENGTH, "", NULL);
	reads_as("anthropic",
		"data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"max_tokens\"}}\n\n"
		"data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n"
		"data: {\"type\":\"message_stop\"}\n\n",
		MODEL_LENGTH, "", NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rule_1_a_character_split_between_reads_is_one_character),
		cmocka_unit_test(rule_2_lf_crlf_and_a_lone_cr_end_a_line),
		cmocka_unit_test(rule_3_a_mark_counts_at_the_very_beginning_only),
		cmocka_unit_test(rule_4_comments_are_no_events),
		cmocka_unit_test(rule_5_fields_are_read_leniently),
		cmocka_unit_test(rule_5_an_error_field_is_an_error_whatever_it_holds),
		cmocka_unit_test(rule_5_an_event_named_error_is_an_error),
		cmocka_unit_test(rule_6_empty_data_is_passed_over),
		cmocka_unit_test(rule_7_a_last_event_without_a_blank_line_counts_when_it_is_whole),
		cmocka_unit_test(rule_7_a_last_event_that_is_cut_is_a_cut),
		cmocka_unit_test(rule_8_done_in_any_form_says_nothing_of_how_a_reply_ended),
		cmocka_unit_test(rule_8_what_follows_done_is_still_read),
		cmocka_unit_test(rule_9_the_first_bytes_say_what_came),
		cmocka_unit_test(rule_9_an_excerpt_is_short_and_whole_characters),
		cmocka_unit_test(rule_10_a_whole_completion_stands_for_a_stream),
		cmocka_unit_test(rule_11_a_bound_that_is_passed_is_an_error),
		cmocka_unit_test(rule_12_glued_objects_are_malformed_and_nobody_guesses),
		cmocka_unit_test(text_after_the_end_proves_that_it_was_none),
		cmocka_unit_test(a_clean_reason_does_not_undo_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
