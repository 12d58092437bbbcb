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

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/model/wire.h"

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

static const struct
	stream
		streams
			[] = {
				/* --- whole replies --- */
				{ "chat", "openai-chat", 200,
					"data: "
					"{\"choices\":[{\"delta\":{\"role\":\"assistant\","
					"\"content\":\"\"}}]}\n\n"
					"data: "
					"{\"choices\":[{\"delta\":{\"reasoning_content\":\"hm\"}}],"
					"\"usage\":null}\n\n"
					"data: "
					"{\"choices\":[{\"delta\":{\"reasoning\":\"m\"}}]}"
					"\n\n" CHAT("h\xc3\xa9ll") CHAT("o \xf0\x9f\x98\x80")
						CHAT_END "data: "
							 "{\"choices\":[],\"usage\":{\"prompt_"
							 "tokens\":40,\"completion_tokens\":7}}\n\n"
							 "data: [DONE]\n\n",
					MODEL_COMPLETE, "h\xc3\xa9llo \xf0\x9f\x98\x80", "hmm",
					NULL, 0 },
				{ "responses", "openai", 200,
					"data: "
					"{\"type\":\"response.created\",\"response\":{\"status\":"
					"\"in_progress\"}}\n\n" DELTA("reasoning_summary_text",
						"hm") DELTA("reasoning_text", "m")
						DELTA("output_text", "he") DELTA("output_text",
							"llo") "data: "
							       "{\"type\":\"response.output_text."
							       "done\",\"output_index\":0,"
							       "\"content_index\":0,\"text\":"
							       "\"hello\"}\n\n" COMPLETED,
					MODEL_COMPLETE, "hello", "hmm", NULL, 0 },
				{ "anthropic", "anthropic", 200,
					MESSAGE_START
					"event: ping\ndata: {\"type\":\"ping\"}\n\n" BLOCK(
						"{\"type\":\"thinking_delta\",\"thinking\":\"hm\"}")
						BLOCK("{\"type\":\"signature_delta\",\"signature\":"
						      "\"abc\"}") "event: "
								  "content_block_start\ndata: "
								  "{\"type\":\"content_block_"
								  "start\",\"index\":1,"
								  "\"content_block\":{\"type\":"
								  "\"text\",\"text\":\"\"}}"
								  "\n\n" BLOCK("{\"type\":\"text_"
									       "delta\",\"text\":"
									       "\"hel\"}") BLOCK(
									  "{\"type\":\"text_"
									  "delta\",\"text\":"
									  "\"lo\"}")
									  MESSAGE_DELTA("end_turn")
										  MESSAGE_STOP,
					MODEL_COMPLETE, "hello", "hm", NULL, 0 },
				{ "ollama", "ollama", 200,
					"{\"message\":{\"content\":\"\",\"thinking\":\"hm\"},"
					"\"done\":false}\n" LINE("hel") LINE("lo") LAST("stop"),
					MODEL_COMPLETE, "hello", "hm", NULL, 0 },
				/* --- stop reasons kept apart --- */
				{ "chat length", "openai-chat", 200,
					CHAT("a") "data: "
						  "{\"choices\":[{\"delta\":{},\"finish_reason\":"
						  "\"length\"}]}\n\n",
					MODEL_LENGTH, "a", "", NULL, 0 },
				{ "chat filter", "openai-chat", 200,
					CHAT("a") "data: "
						  "{\"choices\":[{\"delta\":{},\"finish_reason\":"
						  "\"content_filter\"}]}"
						  "\n\n",
					MODEL_FILTERED, "a", "", NULL, 0 },
				{ "chat unknown word", "openai-chat", 200,
					CHAT("a") "data: "
						  "{\"choices\":[{\"delta\":{},\"finish_reason\":"
						  "\"load\"}]}\n\n",
					MODEL_ERROR, "a", "", "\"load\", which is no clean end",
					WIRE_NOT_AGAIN },
				{ "chat refusal", "openai-chat", 200,
					"data: "
					"{\"choices\":[{\"delta\":{\"refusal\":\"No.\"}}]}"
					"\n\n" CHAT_END,
					MODEL_REFUSAL, "No.", "", NULL, 0 },
				{ "responses length", "openai", 200,
					DELTA("output_text",
						"a") "data: "
						     "{\"type\":\"response.incomplete\","
						     "\"response\":{\"status\":\"incomplete\","
						     "\"incomplete_details\":{\"reason\":\"max_"
						     "output_tokens\"}}}\n\n",
					MODEL_LENGTH, "a", "", NULL, 0 },
				{ "responses filter", "openai", 200,
					"data: "
					"{\"type\":\"response.incomplete\",\"response\":{"
					"\"status\":\"incomplete\","
					"\"incomplete_details\":{\"reason\":\"content_filter\"}}}"
					"\n\n",
					MODEL_FILTERED, "", "", NULL, 0 },
				{ "responses failed", "openai", 200,
					"data: "
					"{\"type\":\"response.failed\",\"response\":{\"status\":"
					"\"failed\",\"error\":"
					"{\"code\":\"server_error\",\"message\":\"sorry\"}}}\n\n",
					MODEL_ERROR, "", "", "sorry (server_error)",
					WIRE_OVERLOADED },
				{ "responses bare error", "openai", 200,
					"event: error\ndata: "
					"{\"type\":\"error\",\"code\":\"rate_limit_exceeded\","
					"\"message\":\"slow down\",\"param\":null}\n\n",
					MODEL_ERROR, "", "", "slow down (rate_limit_exceeded)",
					WIRE_OVERLOADED },
				{ "responses refusal", "openai", 200,
					DELTA("refusal", "I will not.") COMPLETED, MODEL_REFUSAL,
					"I will not.", "", NULL, 0 },
				{ "anthropic length", "anthropic", 200,
					MESSAGE_START BLOCK(
						"{\"type\":\"text_delta\",\"text\":\"a\"}")
						MESSAGE_DELTA("max_tokens") MESSAGE_STOP,
					MODEL_LENGTH, "a", "", NULL, 0 },
				{ "anthropic refusal after text", "anthropic", 200,
					MESSAGE_START BLOCK("{\"type\":\"text_delta\",\"text\":"
							    "\"a\"}") "data: "
								      "{\"type\":\"message_delta\","
								      "\"delta\":{\"stop_reason\":"
								      "\"refusal\","
								      "\"stop_details\":{\"type\":"
								      "\"refusal\",\"explanation\":"
								      "\"no\"}}}\n\n" MESSAGE_STOP,
					MODEL_REFUSAL, "a", "", NULL, 0 },
				{ "anthropic context", "anthropic", 200,
					MESSAGE_START MESSAGE_DELTA("model_context_window_exceeded")
						MESSAGE_STOP,
					MODEL_LENGTH, "", "", NULL, WIRE_CONTEXT },
				{ "anthropic pause", "anthropic", 200,
					MESSAGE_START MESSAGE_DELTA("pause_turn") MESSAGE_STOP,
					MODEL_ERROR, "", "", "pause_turn", WIRE_NOT_AGAIN },
				{ "anthropic overload in the stream", "anthropic", 200,
					"event: error\ndata: "
					"{\"type\":\"error\",\"error\":{\"type\":\"overloaded_"
					"error\","
					"\"message\":\"Overloaded\"},\"request_id\":\"req_1\"}\n\n",
					MODEL_ERROR, "", "", "Overloaded (overloaded_error)",
					WIRE_OVERLOADED },
				{ "ollama length", "ollama", 200, LINE("a") LAST("length"),
					MODEL_LENGTH, "a", "", NULL, 0 },
				{ "ollama loads", "ollama", 200, LAST("load"), MODEL_ERROR, "", "",
					"load", WIRE_NOT_AGAIN },
				{ "ollama error line", "ollama", 200,
					LINE("a") "{\"error\":\"model crashed\"}\n", MODEL_ERROR,
					"a", "", "model crashed", 0 },
				/* --- cut: nothing but the marker makes a reply whole --- */
				{ "chat cut", "openai-chat", 200, CHAT("a"), MODEL_CUT, "a", "",
					"without saying that the reply is whole", 0 },
				{ "chat done without a reason", "openai-chat", 200,
					CHAT("a") "data: [DONE]\n\n", MODEL_CUT, "a", "",
					"without saying", 0 },
				{ "responses cut", "openai", 200, DELTA("output_text", "a"),
					MODEL_CUT, "a", "", "without saying", 0 },
				{ "anthropic cut after its reason", "anthropic", 200,
					MESSAGE_START BLOCK(
						"{\"type\":\"text_delta\",\"text\":\"a\"}")
						MESSAGE_DELTA("end_turn"),
					MODEL_CUT, "a", "", "without saying", 0 },
				{ "ollama cut", "ollama", 200, LINE("a"), MODEL_CUT, "a", "",
					"without saying", 0 },
				{ "nothing", "openai", 200, "", MODEL_CUT, "", "",
					"the reply is empty", 0 },
				/* --- rule 2: line ends --- */
				{ "crlf", "openai-chat", 200,
					"data: "
					"{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\r\n\r\n"
					"data: "
					"{\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}"
					"\r\n\r\n",
					MODEL_COMPLETE, "a", "", NULL, 0 },
				{ "lone cr", "openai-chat", 200,
					"data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\r\r"
					"data: "
					"{\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}"
					"\r\r",
					MODEL_COMPLETE, "a", "", NULL, 0 },
				/* --- rule 3: one byte order mark, at the very beginning only ---
				 */
				{ "mark", "openai-chat", 200, "\xef\xbb\xbf" CHAT("a") CHAT_END,
					MODEL_COMPLETE, "a", "", NULL, 0 },
				{ "mark before a document", "openai-chat", 200,
					"\xef\xbb\xbf{\"choices\":[{\"message\":{\"content\":\"a\"}"
					",\"finish_reason\":"
					"\"stop\"}]}",
					MODEL_COMPLETE, "a", "", NULL, 0 },
				/* --- rule 4: comments --- */
				{ "comments", "openai-chat", 200,
					": OPENROUTER PROCESSING\n\n: keep-alive\n\n" CHAT(
						"a") ":\n\n" CHAT_END,
					MODEL_COMPLETE, "a", "", NULL, 0 },
				/* --- rule 5: fields --- */
				{ "no space after the colon", "openai-chat", 200,
					"data:{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}"
					"\n\n" CHAT_END,
					MODEL_COMPLETE, "a", "", NULL, 0 },
				{ "several data lines", "openai-chat", 200,
					"id: 7\nretry: 10\ndata: {\"choices\":\ndata:   "
					"[{\"delta\":\ndata: {\"content\":"
					"\"a\"}}]}\nunknown\ndata\n\n" CHAT_END,
					MODEL_COMPLETE, "a", "", NULL, 0 },
				{ "an error field", "openai-chat", 200,
					CHAT("a") "error: {\"code\":500,\"message\":\"context size "
						  "exceeded\"}\n\n"
						  "data: [DONE]\n\n",
					MODEL_ERROR, "a", "", "context size exceeded (500)",
					WIRE_CONTEXT },
				/* --- rule 6: empty data --- */
				{ "empty data", "openai-chat", 200,
					"data:\n\ndata: \n\nid: 1\ndata:\n\n" CHAT("a") CHAT_END,
					MODEL_COMPLETE, "a", "", NULL, 0 },
				/* --- rule 7: no blank line at the end --- */
				{ "no blank line", "openai-chat", 200,
					CHAT("a") "data: "
						  "{\"choices\":[{\"delta\":{},\"finish_reason\":"
						  "\"stop\"}]}",
					MODEL_COMPLETE, "a", "", NULL, 0 },
				{ "half an event at the end", "openai-chat", 200,
					CHAT("a") "data: "
						  "{\"choices\":[{\"delta\":{},\"finish_reason\":"
						  "\"sto",
					MODEL_CUT, "a", "", "without saying", 0 },
				/* --- rule 8: [DONE] --- */
				{ "done variants", "openai-chat", 200,
					CHAT("a") CHAT_END
					"data:  [DONE]  \n\ndata: [DONE]\n\ndata: \"[DONE]\"\n\n"
					"data: "
					"{\"choices\":[],\"usage\":{\"prompt_tokens\":1,"
					"\"completion_tokens\":2}}\n\n",
					MODEL_COMPLETE, "a", "", NULL, 0 },
				{ "an error after done", "openai-chat", 200,
					CHAT("a") CHAT_END "data: [DONE]\n\ndata: "
							   "{\"error\":{\"message\":\"late\"}}\n\n",
					MODEL_ERROR, "a", "", "late", 0 },
				/* --- rule 9: sniffed, whatever the type says --- */
				{ "an error as a document", "openai-chat", 200,
					"{\"error\":\"Unexpected endpoint or method.\"}",
					MODEL_ERROR, "", "", "Unexpected endpoint or method.", 0 },
				{ "a page", "openai", 200, "<html><body>Sign in</body></html>",
					MODEL_ERROR, "", "",
					"a page (of a proxy?) came in place of a reply: <html>",
					0 },
				{ "garbage", "openai", 200, "garbage", MODEL_ERROR, "", "",
					"something else came in place of a reply: garbage", 0 },
				{ "a page with a status", "openai", 502, "<html>Bad gateway</html>",
					MODEL_ERROR, "", "", "Bad gateway", 0 },
				{ "an error with a status", "openai", 401,
					"{\"error\":{\"message\":\"Incorrect API "
					"key\",\"type\":\"invalid_request_error\","
					"\"param\":null,\"code\":\"invalid_api_key\"}}",
					MODEL_ERROR, "", "", "Incorrect API key (invalid_api_key)",
					0 },
				{ "quota", "openai", 429,
					"{\"error\":{\"message\":\"You exceeded your "
					"quota\",\"code\":\"insufficient_quota\"}}",
					MODEL_ERROR, "", "", "insufficient_quota", WIRE_NOT_AGAIN },
				{ "stream options", "openai-chat", 400,
					"{\"error\":{\"message\":\"Unknown "
					"parameter\",\"param\":\"stream_options\"}}",
					MODEL_ERROR, "", "", "Unknown parameter",
					WIRE_STREAM_OPTIONS },
				{ "context", "openai", 400,
					"{\"error\":{\"message\":\"too "
					"long\",\"code\":\"context_length_exceeded\"}}",
					MODEL_ERROR, "", "", "too long", WIRE_CONTEXT },
				{ "ollama's plain error", "ollama", 404,
					"{\"error\":\"model \\\"x\\\" not found\"}", MODEL_ERROR,
					"", "", "model \"x\" not found", 0 },
				{ "another server's error", "openai-chat", 400,
					"{\"object\":\"error\",\"message\":\"bad\",\"type\":"
					"\"BadRequestError\",\"code\":400}",
					MODEL_ERROR, "", "", "bad (400)", 0 },
				/* --- rule 10: a whole completion in place of a stream --- */
				{ "chat whole", "openai-chat", 200,
					"\n\n{\"choices\":[{\"message\":{\"content\":\"hello\"},"
					"\"finish_reason\":\"stop\"}]}",
					MODEL_COMPLETE, "hello", "", NULL, 0 },
				{ "responses whole", "openai", 200,
					"{\"object\":\"response\",\"status\":\"completed\","
					"\"error\":null,\"output\":[{"
					"\"type\":\"message\",\"content\":[{\"type\":\"output_"
					"text\",\"text\":\"hello\"}]}]}",
					MODEL_COMPLETE, "hello", "", NULL, 0 },
				{ "anthropic whole", "anthropic", 200,
					"{\"type\":\"message\",\"content\":[{\"type\":\"text\","
					"\"text\":\"hello\"}],"
					"\"stop_reason\":\"end_turn\"}",
					MODEL_COMPLETE, "hello", "", NULL, 0 },
				{ "half a document", "openai-chat", 200,
					"{\"choices\":[{\"message\":{\"content\":\"hel", MODEL_CUT,
					"", "", "without saying", 0 },
				/* --- rule 12: two objects in one data line --- */
				{ "glued", "openai-chat", 200,
					"data: {\"choices\":[]}{\"choices\":[]}\n\n" CHAT("a")
						CHAT_END,
					MODEL_ERROR, "", "", "the stream holds what is no JSON",
					WIRE_NOT_AGAIN },
				/* --- mended JSON --- */
				{ "a pair split over two deltas", "openai-chat", 200,
					CHAT("x\\ud83d") CHAT("\\ude00y") CHAT_END, MODEL_COMPLETE,
					"x\xf0\x9f\x98\x80y", "", NULL, 0 },
				{ "half a pair", "openai-chat", 200,
					CHAT("x\\ud83d") CHAT("y\\ude00") CHAT_END, MODEL_COMPLETE,
					"x\xef\xbf\xbdy\xef\xbf\xbd", "", NULL, 0 },
				{ "half a pair at the end", "openai-chat", 200,
					CHAT("x\\ud83d") CHAT_END, MODEL_COMPLETE, "x\xef\xbf\xbd",
					"", NULL, 0 },
				{ "no utf-8", "openai-chat", 200,
					CHAT("a\xff"
					     "b") CHAT_END,
					MODEL_COMPLETE,
					"a\xef\xbf\xbd"
					"b",
					"", NULL, 0 },
				{ "a number beyond 64 bits", "openai-chat", 200,
					"data: "
					"{\"created\":123456789012345678901234567890,\"choices\":[{"
					"\"delta\":{"
					"\"content\":\"a\"}}]}\n\n" CHAT_END,
					MODEL_COMPLETE, "a", "", NULL, 0 },
				/* --- tool calls are told as what they are --- */
				{ "chat call", "openai-chat", 200,
					"data: "
					"{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,"
					"\"function\":{"
					"\"name\":\"f\",\"arguments\":\"\"}}]}}]}\n\n"
					"data: "
					"{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,"
					"\"function\":{"
					"\"arguments\":\"{}\"}}]}}]}\n\n"
					"data: "
					"{\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_"
					"calls\"}]}\n\n",
					MODEL_COMPLETE, "{\"name\": \"f\", \"arguments\": {}}\n",
					"", NULL, 0 },
				{ "anthropic call", "anthropic", 200,
					"data: "
					"{\"type\":\"content_block_start\",\"index\":0,\"content_"
					"block\":{\"type\":"
					"\"tool_use\",\"name\":\"f\",\"input\":{}}}\n\n" BLOCK(
						"{\"type\":\"input_json_delta\",\"partial_json\":"
						"\"{}\"}") "data: "
							   "{\"type\":\"content_block_stop\","
							   "\"index\":0}\n\n" MESSAGE_DELTA("tool_"
											    "use")
								   MESSAGE_STOP,
					MODEL_COMPLETE, "{\"name\": \"f\", \"arguments\": {}}\n",
					"", NULL, 0 },
				/* --- the text that ends a part --- */
				{ "what was lost is completed", "openai", 200,
					DELTA("output_text",
						"hel") "data: "
						       "{\"type\":\"response.output_text.done\","
						       "\"output_index\":0,"
						       "\"content_index\":0,\"text\":\"hello\"}"
						       "\n\n" COMPLETED,
					MODEL_COMPLETE, "hello", "", NULL, 0 },
				{ "another text than came", "openai", 200,
					DELTA("output_text",
						"hex") "data: "
						       "{\"type\":\"response.output_text.done\","
						       "\"output_index\":0,"
						       "\"content_index\":0,\"text\":\"hello\"}"
						       "\n\n" COMPLETED,
					MODEL_ERROR, "hex", "", "is not the text", WIRE_NOT_AGAIN },
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
		cmocka_unit_test(usage_means_the_same_in_all_formats),
		cmocka_unit_test(what_passes_a_bound_is_an_error),
		cmocka_unit_test(a_broken_connection_is_named_as_one),
		cmocka_unit_test(a_url_is_made_of_what_people_paste),
		cmocka_unit_test(requests_are_written_in_each_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
