/*
 * Streams of the four formats, each read whole and split in two at every offset: what comes out
 * must be the same.  The rules for readers have a stream each.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/model/reading.h"

#define CHAT_END "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
#define CHAT(text) "data: {\"choices\":[{\"delta\":{\"content\":\"" text "\"}}]}\n\n"
#define DELTA(kind, text)                                                  \
	"event: response." kind ".delta\ndata: {\"type\":\"response." kind \
	".delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"" text "\"}\n\n"
#define COMPLETED                                                                         \
	"data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\","  \
	"\"usage\":{\"input_tokens\":40,\"input_tokens_details\":{\"cached_tokens\":30}," \
	"\"output_tokens\":7,\"output_tokens_details\":{\"reasoning_tokens\":2}}}}\n\n"
#define BLOCK(delta)                                                                       \
	"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0," \
	"\"delta\":" delta "}\n\n"
#define MESSAGE_START                                                                          \
	"event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"content\":[]," \
	"\"usage\":{\"input_tokens\":10,\"cache_creation_input_tokens\":5,"                    \
	"\"cache_read_input_tokens\":25,\"output_tokens\":1}}}\n\n"
#define MESSAGE_DELTA(reason)                                                    \
	"data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"" reason \
	"\"},\"usage\":{\"output_tokens\":7}}\n\n"
#define MESSAGE_STOP "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
#define LINE(text) \
	"{\"message\":{\"role\":\"assistant\",\"content\":\"" text "\"},\"done\":false}\n"
#define LAST(reason)                                                              \
	"{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"" reason \
	"\",\"prompt_eval_count\":40,\"eval_count\":7}\n"

struct stream {
	const char *name, *wire;
	int status;
	const char *bytes;
	enum model_stop stop;
	const char *text, *reasoning;
	const char *error; /* a part of it; NULL: none */
	enum wire_fault fault;
};

static const struct stream streams[] = {
#include "tests/model/wire_streams.def"
};

struct got {
	struct buf text[2];
};

static void
on_delta(enum model_part part, const char *bytes, size_t len, void *arg)
{
	struct got *got = arg;

	assert_true(text_is_utf8(bytes, len));
	buf_put(&got->text[part], bytes, len);
}

static void
assert_text(const struct stream *stream, const struct buf *got, const char *wanted, size_t split)
{
	if (got->len != strlen(wanted) || memcmp(got->len ? got->data : "", wanted, got->len) != 0)
		fail_msg("%s, split at %zu: gave \"%s\", wanted \"%s\"", stream->name, split,
			got->len ? got->data : "", wanted);
}

static void
read_split(const struct stream *stream, size_t split)
{
	struct got got;
	struct wire_hooks hooks = { on_delta, &got };
	struct wire_limits limits = { 100000, 100000 };
	struct wire_reader *reader = wire_reader_new(wire_find(stream->wire), &limits, &hooks);
	size_t len = strlen(stream->bytes);
	struct model_end end;

	buf_init(&got.text[0], 100000);
	buf_init(&got.text[1], 100000);
	(void)wire_feed(reader, stream->bytes, split);
	(void)wire_feed(reader, stream->bytes + split, len - split);
	wire_end(reader, stream->status, true, &end);
	if (end.stop != stream->stop)
		fail_msg("%s, split at %zu: stop %s (%s), wanted %s", stream->name, split,
			model_stop_name(end.stop), end.error ? end.error : "-",
			model_stop_name(stream->stop));
	assert_text(stream, &got.text[MODEL_TEXT], stream->text, split);
	assert_text(stream, &got.text[MODEL_REASONING], stream->reasoning, split);
	if (stream->error && (!end.error || !strstr(end.error, stream->error)))
		fail_msg("%s, split at %zu: error \"%s\", wanted \"%s\"", stream->name, split,
			end.error ? end.error : "-", stream->error);
	if (!stream->error)
		assert_null(end.error);
	assert_int_equal(wire_reader_fault(reader), stream->fault);
	wire_reader_free(reader);
	buf_release(&got.text[0]);
	buf_release(&got.text[1]);
}

static void
every_stream_reads_the_same_however_it_is_split(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(streams); i++)
		for (size_t split = 0; split <= strlen(streams[i].bytes); split++)
			read_split(&streams[i], split);
}

/* A cut may fall anywhere: what is left is read the same whole and byte by byte, and where the
 * whole is not a clean reply, no beginning of it is. */
static void
no_beginning_of_a_stream_is_better_than_the_stream(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(streams); i++)
		for (size_t len = 0; len < strlen(streams[i].bytes); len++) {
			AUTO_FREE char *bytes = mem_strn(streams[i].bytes, len);
			struct reading whole, singly;

			reading_of(&whole, streams[i].wire, bytes, len, 1);
			reading_of(&singly, streams[i].wire, bytes, 0, 1);
			if (whole.end.stop != singly.end.stop ||
				strcmp(whole.text[0].data, singly.text[0].data) != 0)
				fail_msg("%s, cut at %zu: %s and %s", streams[i].name, len,
					model_stop_name(whole.end.stop),
					model_stop_name(singly.end.stop));
			if (whole.end.stop == MODEL_COMPLETE && streams[i].stop != MODEL_COMPLETE &&
				!strstr(streams[i].name, "after done"))
				fail_msg("%s, cut at %zu: complete", streams[i].name, len);
			reading_release(&whole);
			reading_release(&singly);
		}
}

static void
drop(enum model_part part, const char *bytes, size_t len, void *arg)
{
	(void)part;
	(void)bytes;
	(void)len;
	(void)arg;
}

static struct model_usage
usage_of(const char *wire, const char *bytes)
{
	struct wire_hooks hooks = { drop, NULL };
	struct wire_limits limits = { 100000, 100000 };
	struct wire_reader *reader = wire_reader_new(wire_find(wire), &limits, &hooks);
	struct model_end end;

	(void)wire_feed(reader, bytes, strlen(bytes));
	wire_end(reader, 200, true, &end);
	wire_reader_free(reader);
	return end.usage;
}

static void
assert_usage(
	struct model_usage got, int64_t input, int64_t output, int64_t cached, int64_t reasoning)
{
	assert_int_equal(got.input, input);
	assert_int_equal(got.output, output);
	assert_int_equal(got.cached, cached);
	assert_int_equal(got.reasoning, reasoning);
}

static void
usage_means_the_same_in_all_formats(void **state)
{
	(void)state;
	assert_usage(usage_of("openai", COMPLETED), 40, 7, 30, 2);
	assert_usage(usage_of("anthropic", MESSAGE_START MESSAGE_DELTA("end_turn") MESSAGE_STOP),
		40, 7, 25, -1);
	assert_usage(usage_of("ollama", LAST("stop")), 40, 7, -1, -1);
	assert_usage(
		usage_of("openai-chat", "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":40,"
					"\"completion_tokens\":7,\"prompt_tokens_details\":{"
					"\"cached_tokens\":30},\"completion_tokens_details\":{"
					"\"reasoning_tokens\":2}}}\n\n"),
		40, 7, 30, 2);
	assert_usage(usage_of("openai-chat", CHAT("a")), -1, -1, -1, -1);
}

/* Rule 11: a bound that is passed is an error, neither a crash nor a short reply. */
static void
what_passes_a_bound_is_an_error(void **state)
{
	static const struct {
		const char *wire, *bytes;
		struct wire_limits limits;
		const char *error;
	} cases[] = {
		{ "openai-chat", CHAT("aaaaaaaaaa") CHAT_END, { 1000, 9 }, "longer than 9 bytes" },
		{ "openai-chat", CHAT("aaaaaaaaaa") CHAT_END, { 20, 1000 },
			"longer than 20 bytes" },
		{ "openai-chat", "data: a\ndata: b\ndata: cccccccc\n\n", { 10, 1000 },
			"longer than 10 bytes" },
		{ "openai-chat", "{\"choices\":[{\"message\":{}}]}", { 10, 1000 },
			"longer than 10 bytes" },
		{ "ollama", LINE("aaaaaaaaaa") LAST("stop"), { 20, 1000 }, "longer than 20 bytes" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct wire_hooks hooks = { drop, NULL };
		struct wire_reader *reader =
			wire_reader_new(wire_find(cases[i].wire), &cases[i].limits, &hooks);
		struct model_end end;

		assert_false(wire_feed(reader, cases[i].bytes, strlen(cases[i].bytes)));
		wire_end(reader, 200, true, &end);
		assert_int_equal(end.stop, MODEL_ERROR);
		assert_non_null(strstr(end.error, cases[i].error));
		wire_reader_free(reader);
	}
}

static void
a_broken_connection_is_named_as_one(void **state)
{
	struct wire_hooks hooks = { drop, NULL };
	struct wire_limits limits = { 1000, 1000 };
	struct wire_reader *reader = wire_reader_new(wire_find("openai-chat"), &limits, &hooks);
	struct model_end end;

	(void)state;
	(void)wire_feed(reader, CHAT("a"), strlen(CHAT("a")));
	wire_end(reader, 200, false, &end);
	assert_int_equal(end.stop, MODEL_CUT);
	assert_string_equal(end.error, "the connection broke before the reply was whole");
	wire_reader_free(reader);
}

static void
a_url_is_made_of_what_people_paste(void **state)
{
	static const struct {
		const char *wire, *base, *url;
	} cases[] = {
		{ "openai", "https://api.openai.com", "https://api.openai.com/v1/responses" },
		{ "openai", "https://api.openai.com/v1", "https://api.openai.com/v1/responses" },
		{ "openai", "https://api.openai.com/v1/", "https://api.openai.com/v1/responses" },
		{ "openai-chat", "http://127.0.0.1:8080",
			"http://127.0.0.1:8080/v1/chat/completions" },
		{ "openai-chat", "https://openrouter.ai/api/v1",
			"https://openrouter.ai/api/v1/chat/completions" },
		{ "openai-chat", "https://host/v1/chat/completions",
			"https://host/v1/chat/completions" },
		{ "anthropic", "https://api.anthropic.com",
			"https://api.anthropic.com/v1/messages" },
		{ "ollama", "http://127.0.0.1:11434/", "http://127.0.0.1:11434/api/chat" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_FREE char *url = wire_url(wire_find(cases[i].wire), cases[i].base);

		assert_string_equal(url, cases[i].url);
	}
}

static void
requests_are_written_in_each_format(void **state)
{
	static const struct model_message messages[] = {
		{ MODEL_USER, { "do \"it\"", 7 } },
		{ MODEL_ASSISTANT, { "done", 4 } },
		{ MODEL_USER, { "again", 5 } },
	};
	static const struct model_request request = { { "rules", 5 }, messages, 3 };
	static const struct {
		const char *wire;
		struct wire_options options;
		const char *body;
	} cases[] = {
		{ "openai", { "m", 100, -1, "low", false },
			"{\"model\":\"m\",\"instructions\":\"rules\",\"input\":[{\"role\":\"user\","
			"\"content\":\"do "
			"\\\"it\\\"\"},{\"role\":\"assistant\",\"content\":\"done\"},"
			"{\"role\":\"user\",\"content\":\"again\"}],\"stream\":true,\"store\":"
			"false,"
			"\"max_output_tokens\":100,\"reasoning\":{\"effort\":\"low\"}}" },
		{ "openai-chat", { "m", -1, -1, NULL, true },
			"{\"model\":\"m\",\"messages\":[{\"role\":\"system\",\"content\":\"rules\"}"
			","
			"{\"role\":\"user\",\"content\":\"do \\\"it\\\"\"},{\"role\":\"assistant\","
			"\"content\":\"done\"},{\"role\":\"user\",\"content\":\"again\"}],"
			"\"stream\":true}" },
		{ "openai-chat", { "m", 5, -1, NULL, false }, NULL },
		{ "anthropic", { "m", 100, -1, NULL, false },
			"{\"model\":\"m\",\"max_tokens\":100,\"system\":[{\"type\":\"text\","
			"\"text\":"
			"\"rules\",\"cache_control\":{\"type\":\"ephemeral\"}}],\"messages\":[{"
			"\"role\":\"user\",\"content\":\"do \\\"it\\\"\"},{\"role\":\"assistant\","
			"\"content\":\"done\"},{\"role\":\"user\",\"content\":\"again\"}],"
			"\"stream\":true}" },
		{ "ollama", { "m", 100, 8192, "true", false },
			"{\"model\":\"m\",\"messages\":[{\"role\":\"system\",\"content\":\"rules\"}"
			","
			"{\"role\":\"user\",\"content\":\"do \\\"it\\\"\"},{\"role\":\"assistant\","
			"\"content\":\"done\"},{\"role\":\"user\",\"content\":\"again\"}],"
			"\"stream\":true,\"truncate\":false,\"options\":{\"num_predict\":100,"
			"\"num_ctx\":8192},\"think\":true}" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_BUF struct buf body;

		buf_init(&body, 100000);
		wire_request(wire_find(cases[i].wire), &cases[i].options, &request, &body);
		if (cases[i].body)
			assert_string_equal(body.data, cases[i].body);
		else
			assert_non_null(
				strstr(body.data, "\"stream_options\":{\"include_usage\":true},"
						  "\"max_completion_tokens\":5}"));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_stream_reads_the_same_however_it_is_split),
		cmocka_unit_test(no_beginning_of_a_stream_is_better_than_the_stream),
		cmocka_unit_test(usage_means_the_same_in_all_formats),
		cmocka_unit_test(what_passes_a_bound_is_an_error),
		cmocka_unit_test(a_broken_connection_is_named_as_one),
		cmocka_unit_test(a_url_is_made_of_what_people_paste),
		cmocka_unit_test(requests_are_written_in_each_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
