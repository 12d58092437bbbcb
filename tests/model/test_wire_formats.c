/* What each wire format does in a way of its own, as servers really send it. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/model/reading.h"

static const struct model_usage none = MODEL_USAGE_UNKNOWN;

static void
assert_usage(const char *wire, const char *bytes, struct model_usage usage)
{
	struct reading reading;

	reading_of(&reading, wire, bytes, 0, 1);
	assert_int_equal(reading.end.usage.input, usage.input);
	assert_int_equal(reading.end.usage.output, usage.output);
	assert_int_equal(reading.end.usage.cached, usage.cached);
	assert_int_equal(reading.end.usage.reasoning, usage.reasoning);
	reading_release(&reading);
}

static void
reads_reasoning(const char *wire, const char *bytes, const char *text, const char *reasoning)
{
	struct wanted wanted = { MODEL_COMPLETE, text, reasoning, NULL };

	for (size_t first = 0; first <= strlen(bytes); first++) {
		struct reading reading;

		reading_of(&reading, wire, bytes, first, strlen(bytes) + 1);
		reading_check(&reading, &wanted, first, strlen(bytes) + 1);
		reading_release(&reading);
	}
}

/* --- chat --- */

#define CHUNK(delta) "data: {\"choices\":[{\"index\":0,\"delta\":" delta "}]}\n\n"
#define STOP "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"

static void
chat_reasoning_said_under_two_names_is_said_once(void **state)
{
	(void)state;
	reads_reasoning("openai-chat",
		CHUNK("{\"reasoning\":\"hm\",\"reasoning_content\":\"hm\"}")
			CHUNK("{\"content\":\"a\"}") STOP,
		"a", "hm");
}

static void
chat_content_in_parts_is_all_read(void **state)
{
	(void)state;
	reads_reasoning("openai-chat",
		CHUNK("{\"content\":[{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\","
		      "\"text\":\"hm\"}]},{\"type\":\"text\",\"text\":\"a\"}]}")
			CHUNK("{\"content\":\"b\"}") STOP,
		"ab", "hm");
}

static void
chat_another_choice_is_no_part_of_the_reply(void **state)
{
	(void)state;
	reads_as("openai-chat",
		CHUNK("{\"content\":\"a\"}") "data: {\"choices\":[{\"index\":1,\"delta\":{"
					     "\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\n\n",
		MODEL_CUT, "a", "without saying");
}

static void
chat_an_error_within_a_choice_is_told_in_its_words(void **state)
{
	(void)state;
	reads_as("openai-chat",
		"data: {\"choices\":[{\"error\":{\"code\":502,\"message\":\"upstream died\"},"
		"\"delta\":{},\"finish_reason\":\"error\"}]}\n\n",
		MODEL_ERROR, "", "upstream died (502)");
}

static void
chat_usage_may_stand_anywhere_and_the_last_counts(void **state)
{
	(void)state;
	assert_usage("openai-chat",
		"data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}],\"usage\":{\"prompt_tokens\":"
		"4,\"completion_tokens\":1}}\n\n"
		"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{"
		"\"prompt_tokens\":4,\"completion_tokens\":2}}\n\n"
		"data: {\"choices\":[],\"usage\":null}\n\n",
		(struct model_usage){ 4, 2, -1, -1 });
	assert_usage("openai-chat", STOP, none);
}

/* --- responses --- */

#define TEXT_AT(output, content, event, text)                                         \
	"data: {\"type\":\"response.output_text." event "\",\"output_index\":" output \
	",\"content_index\":" content "," text "}\n\n"
#define DELTA(output, content, text) TEXT_AT(output, content, "delta", "\"delta\":\"" text "\"")
#define DONE(output, content, text) TEXT_AT(output, content, "done", "\"text\":\"" text "\"")
#define COMPLETED \
	"data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n"

static void
responses_parts_that_follow_each_other_are_each_verified(void **state)
{
	(void)state;
	reads_as("openai",
		DELTA("0", "0", "a") DONE("0", "0", "a") DELTA("0", "1", "b") DONE("0", "1", "b")
			DELTA("1", "0", "c") DONE("1", "0", "c") COMPLETED,
		MODEL_COMPLETE, "abc", NULL);
	/* The proof of one part may come after the next began. */
	reads_as("openai",
		DELTA("0", "0", "a") DELTA("0", "1", "b") DONE("0", "0", "a") DONE("0", "1", "b")
			COMPLETED,
		MODEL_COMPLETE, "ab", NULL);
}

static void
responses_what_was_lost_is_completed_only_at_the_end_of_the_text(void **state)
{
	(void)state;
	reads_as("openai", DELTA("0", "0", "a") DONE("0", "0", "ab") COMPLETED, MODEL_COMPLETE,
		"ab", NULL);
	reads_as("openai", DONE("0", "0", "ab") COMPLETED, MODEL_COMPLETE, "ab", NULL);
	reads_as("openai", DELTA("0", "0", "a") DELTA("0", "1", "c") DONE("0", "0", "ab") COMPLETED,
		MODEL_ERROR, "ac", "is not the text");
}

static void
responses_parts_that_mix_are_an_error(void **state)
{
	(void)state;
	reads_as("openai", DELTA("0", "0", "a") DELTA("0", "1", "b") DELTA("0", "0", "c") COMPLETED,
		MODEL_ERROR, "ab", "mixes");
}

static void
responses_text_that_only_the_end_holds_is_read_after_reasoning(void **state)
{
	(void)state;
	reads_reasoning("openai",
		"data: {\"type\":\"response.reasoning_text.delta\",\"delta\":\"hm\"}\n\n"
		"data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\","
		"\"output\":[{\"type\":\"reasoning\",\"content\":[{\"type\":\"reasoning_text\","
		"\"text\":\"hm\"}]},{\"type\":\"message\",\"content\":[{\"type\":\"output_text\","
		"\"text\":\"a\"}]}]}}\n\n",
		"a", "hm");
}

static void
responses_the_name_of_the_last_event_is_its_status(void **state)
{
	(void)state;
	reads_as("openai",
		DELTA("0", "0", "a") "data: {\"type\":\"response.completed\",\"response\":{}}\n\n",
		MODEL_COMPLETE, "a", NULL);
	reads_as("openai",
		DELTA("0", "0", "a") "event: response.completed\ndata: {\"response\":{}}\n\n",
		MODEL_COMPLETE, "a", NULL);
	reads_as("openai",
		DELTA("0", "0", "a") "data: {\"type\":\"response.incomplete\",\"response\":{}}\n\n",
		MODEL_ERROR, "a", "no clean end");
	reads_as("openai",
		DELTA("0", "0", "a") "data: {\"type\":\"response.completed\",\"response\":{"
				     "\"status\":\"in_progress\"}}\n\n",
		MODEL_ERROR, "a", "\"in_progress\", which is no clean end");
}

static void
responses_a_refusal_anywhere_is_one(void **state)
{
	(void)state;
	reads_as("openai",
		DELTA("0", "0", "a") "data: {\"type\":\"response.refusal.done\",\"refusal\":"
				     "\"No.\"}\n\n" COMPLETED,
		MODEL_REFUSAL, "aNo.", NULL);
	reads_as("openai",
		DELTA("0", "0", "a") "data: {\"type\":\"response.refusal.delta\",\"delta\":\"No.\"}"
				     "\n\n"
				     "data: {\"type\":\"response.refusal.done\",\"refusal\":"
				     "\"No.\"}\n\n" COMPLETED,
		MODEL_REFUSAL, "aNo.", NULL);
	reads_as("openai",
		DELTA("0", "0", "a") "data: {\"type\":\"response.completed\",\"response\":{"
				     "\"status\":\"completed\",\"output\":[{\"content\":[{\"type\":"
				     "\"refusal\",\"refusal\":\"No.\"}]}]}}\n\n",
		MODEL_REFUSAL, "a", NULL);
}

/* --- anthropic --- */

static void
anthropic_the_last_value_of_each_field_counts(void **state)
{
	(void)state;
	assert_usage("anthropic",
		"data: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":10,"
		"\"cache_creation_input_tokens\":5,\"cache_read_input_tokens\":25,"
		"\"output_tokens\":1}}}\n\n"
		"data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},"
		"\"usage\":{\"input_tokens\":12,\"output_tokens\":7}}\n\n",
		(struct model_usage){ 42, 7, 25, -1 });
}

static void
anthropic_a_refusal_after_text_is_a_refusal(void **state)
{
	(void)state;
	reads_as("anthropic",
		"data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\","
		"\"text\":\"a\"}}\n\n"
		"data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"refusal\","
		"\"stop_details\":{\"type\":\"refusal\",\"explanation\":\"no\"}}}\n\n"
		"data: {\"type\":\"message_stop\"}\n\n",
		MODEL_REFUSAL, "a", NULL);
}

static void
anthropic_a_tool_call_that_no_stop_ended_is_still_written_out(void **state)
{
	(void)state;
	reads_as("anthropic",
		"data: {\"type\":\"content_block_start\",\"content_block\":{\"type\":\"tool_use\","
		"\"name\":\"f\"}}\n\n"
		"data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"input_json_delta\","
		"\"partial_json\":\"{}\"}}\n\n"
		"data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\n"
		"data: {\"type\":\"message_stop\"}\n\n",
		MODEL_COMPLETE, "{\"name\": \"f\", \"arguments\": {}}\n", NULL);
}

static void
anthropic_is_always_told_how_much_it_may_write(void **state)
{
	static const struct model_message messages[] = { { MODEL_USER, { "x", 1 } } };
	static const struct model_request request = { { "r", 1 }, messages, 1 };
	static const struct wire_options options = { "m", -1, -1, NULL, false };
	AUTO_BUF struct buf body;

	(void)state;
	buf_init(&body, 100000);
	wire_request(wire_find("anthropic"), &options, &request, &body);
	assert_non_null(strstr(body.data, "\"max_tokens\":"));
}

/* --- ollama --- */

static void
ollama_an_end_without_a_reason_is_not_clean(void **state)
{
	(void)state;
	reads_as("ollama", "{\"message\":{\"content\":\"a\"},\"done\":true}\n", MODEL_ERROR, "a",
		"without a reason");
	reads_as("ollama", "{\"message\":{\"content\":\"a\"},\"done\":true,\"done_reason\":\"\"}\n",
		MODEL_ERROR, "a", "without a reason");
}

/* --- errors --- */

static void
an_error_says_whether_another_try_is_of_use(void **state)
{
	static const struct {
		const char *wire;
		int status;
		const char *body;
		enum wire_fault fault;
	} cases[] = {
		{ "anthropic", 200,
			"{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}",
			WIRE_OVERLOADED },
		{ "openai-chat", 200, "{\"error\":{\"code\":502,\"message\":\"upstream\"}}",
			WIRE_OVERLOADED },
		{ "openai-chat", 200, "{\"error\":{\"code\":429,\"message\":\"slowly\"}}",
			WIRE_OVERLOADED },
		{ "openai", 429,
			"{\"error\":{\"type\":\"rate_limit_exceeded\",\"code\":"
			"\"insufficient_quota\",\"message\":\"x\"}}",
			WIRE_NOT_AGAIN },
		{ "openai", 401, "{\"error\":{\"code\":\"invalid_api_key\",\"message\":\"x\"}}",
			WIRE_NOT_AGAIN },
		{ "anthropic", 400,
			"{\"type\":\"error\",\"error\":{\"type\":"
			"\"invalid_request_error\",\"message\":\"prompt is too long: "
			"9 tokens > 8 maximum\"}}",
			WIRE_CONTEXT },
		{ "openai-chat", 400,
			"{\"error\":{\"code\":400,\"type\":"
			"\"exceed_context_size_error\",\"message\":\"x\",\"n_ctx\":8}}",
			WIRE_CONTEXT },
		{ "openai-chat", 400,
			"{\"object\":\"error\",\"message\":\"This model's maximum "
			"context length is 8 tokens\",\"code\":400}",
			WIRE_CONTEXT },
		{ "ollama", 400, "{\"error\":\"the input length exceeds the context length\"}",
			WIRE_CONTEXT },
		{ "openai-chat", 422,
			"{\"object\":\"error\",\"message\":{\"detail\":[{\"loc\":["
			"\"body\",\"stream_options\"],\"msg\":\"Extra inputs are not "
			"permitted\"}]}}",
			WIRE_STREAM_OPTIONS },
		{ "openai-chat", 422, "{\"detail\":[{\"loc\":[\"body\",\"stream_options\"]}]}",
			WIRE_STREAM_OPTIONS },
		{ "openai-chat", 400, "unknown field stream_options", WIRE_STREAM_OPTIONS },
		{ "openai-chat", 500, "", WIRE_NO_FAULT },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(fault_of_body(cases[i].wire, cases[i].status, cases[i].body),
			cases[i].fault);
}

static void
what_is_no_error_is_not_read_as_one(void **state)
{
	(void)state;
	reads_as("openai-chat",
		"data: "
		"{\"error\":null,\"detail\":\"x\",\"choices\":[{\"delta\":{\"content\":\"a\"},"
		"\"finish_reason\":\"stop\"}]}\n\n",
		MODEL_COMPLETE, "a", NULL);
}

static void
an_error_whose_words_are_no_text_is_shown_as_it_came(void **state)
{
	(void)state;
	reads_as("openai-chat", "{\"object\":\"error\",\"message\":{\"why\":\"too odd\"}}",
		MODEL_ERROR, "", "too odd");
}

/* However much a peer says, an end is no book. */
static void
the_words_of_an_end_are_bounded(void **state)
{
	AUTO_BUF struct buf bytes;
	struct reading reading;

	(void)state;
	buf_init(&bytes, 100000);
	buf_str(&bytes, "data: {\"type\":\"message_delta\",\"request_id\":\"");
	for (size_t i = 0; i < 5000; i++)
		buf_byte(&bytes, 'x');
	buf_str(&bytes, "\",\"delta\":{\"stop_reason\":\"refusal\",\"stop_details\":{"
			"\"explanation\":\"");
	for (size_t i = 0; i < 5000; i++)
		buf_str(&bytes, "\xe2\x82\xac");
	buf_str(&bytes, "\"}}}\n\n");
	buf_byte(&bytes, '\0');
	reading_of(&reading, "anthropic", bytes.data, 0, 1000);
	assert_int_equal(reading.end.stop, MODEL_REFUSAL);
	assert_true(strlen(reading.end.reason) < 1000);
	assert_true(text_is_utf8(reading.end.reason, strlen(reading.end.reason)));
	assert_true(strlen(reading.end.request_id) < 1000);
	reading_release(&reading);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chat_reasoning_said_under_two_names_is_said_once),
		cmocka_unit_test(chat_content_in_parts_is_all_read),
		cmocka_unit_test(chat_another_choice_is_no_part_of_the_reply),
		cmocka_unit_test(chat_an_error_within_a_choice_is_told_in_its_words),
		cmocka_unit_test(chat_usage_may_stand_anywhere_and_the_last_counts),
		cmocka_unit_test(responses_parts_that_follow_each_other_are_each_verified),
		cmocka_unit_test(responses_what_was_lost_is_completed_only_at_the_end_of_the_text),
		cmocka_unit_test(responses_parts_that_mix_are_an_error),
		cmocka_unit_test(responses_text_that_only_the_end_holds_is_read_after_reasoning),
		cmocka_unit_test(responses_the_name_of_the_last_event_is_its_status),
		cmocka_unit_test(responses_a_refusal_anywhere_is_one),
		cmocka_unit_test(anthropic_the_last_value_of_each_field_counts),
		cmocka_unit_test(anthropic_a_refusal_after_text_is_a_refusal),
		cmocka_unit_test(anthropic_a_tool_call_that_no_stop_ended_is_still_written_out),
		cmocka_unit_test(anthropic_is_always_told_how_much_it_may_write),
		cmocka_unit_test(ollama_an_end_without_a_reason_is_not_clean),
		cmocka_unit_test(an_error_says_whether_another_try_is_of_use),
		cmocka_unit_test(what_is_no_error_is_not_read_as_one),
		cmocka_unit_test(an_error_whose_words_are_no_text_is_shown_as_it_came),
		cmocka_unit_test(the_words_of_an_end_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
