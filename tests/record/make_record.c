#include "config.h"

#include "tests/record/make_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/record/reader.h"
#include "core/record/writer.h"
#include "core/session/session.h"

#define STEP (250 * NS_PER_MS)

static void
must(int done, const struct err *err)
{
	if (done >= 0)
		return;
	fprintf(stderr, "make_record: %s\n", err->text);
	abort();
}

int
make_file(void)
{
	int fd = memfd_create("record", MFD_CLOEXEC);

	must(fd, &(struct err){ .text = "memfd_create" });
	return fd;
}

void
make_open(struct make *make, int fd)
{
	memset(make, 0, sizeof(*make));
	make->record = record_new(fd, 0);
	event_init(&make->event);
}

void
make_close(struct make *make)
{
	struct err err = { 0 };

	must(record_write(make->record, &err), &err);
	record_free(make->record);
	event_release(&make->event);
}

void
make_append(struct make *make)
{
	struct err err = { 0 };

	must(record_append(make->record, &make->event, NULL, &err), &err);
}

struct content
make_commitment(struct make *make, const char *bytes, size_t len)
{
	struct hash *hash = hash_new();
	struct content content;
	struct digest salt;

	make->salts++;
	hash_bytes(&make->salts, sizeof(make->salts), &salt);
	memcpy(content.salt, salt.bytes, sizeof(salt.bytes));
	hash_begin(hash);
	hash_add(hash, content.salt, sizeof(content.salt));
	hash_add(hash, bytes, len);
	hash_end(hash, &content.commitment);
	hash_free(hash);
	return content;
}

void
make_content(struct make *make, const char *key, const char *bytes, size_t len)
{
	struct content content = make_commitment(make, bytes, len);

	event_content_made(&make->event, key, &content, bytes, len);
}

void
make_text(struct make *make, const char *key, const char *text)
{
	if (text)
		make_content(make, key, text, strlen(text));
	else
		event_str(&make->event, key, NULL);
}

static void
add_json(struct make *make, const char *key, const char *json)
{
	event_json(&make->event, key, json, strlen(json));
}

static const struct {
	const char *name, *python, *effect, *definition;
} tools[] = {
	{ "payroll.list_employees", "list_employees", "read",
		"{\"name\":\"list_employees\",\"description\":\"All employees.\","
		"\"input_schema\":{\"type\":\"object\",\"properties\":{}}}" },
	{ "payroll.get_employee", "get_employee", "read",
		"{\"name\":\"get_employee\",\"description\":\"One employee.\",\"input_schema\":"
		"{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}},"
		"\"required\":[\"name\"]}}" },
	{ "payroll.apply_raise", "apply_raise", "mutate",
		"{\"name\":\"apply_raise\",\"description\":\"Raise a salary.\",\"input_schema\":"
		"{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"},"
		"\"amount\":{\"type\":\"integer\"}},\"required\":[\"name\",\"amount\"]}}" },
};

bool
make_tool_digest(const char *name, struct digest *out)
{
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		if (strcmp(tools[i].name, name) != 0)
			continue;
		hash_bytes(tools[i].definition, strlen(tools[i].definition), out);
		return true;
	}
	return false;
}

static void
make_tools(struct make *make)
{
	struct jsonout *out = &make->event.out;
	char hex[DIGEST_HEX];
	struct digest digest;

	event_begin(&make->event, EVENT_TOOLS);
	event_str(&make->event, "server", "payroll");
	event_str(&make->event, "state", "ready");
	event_bool(&make->event, "isolated", true);
	jsonout_key(out, "added");
	jsonout_array(out);
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		jsonout_object(out);
		jsonout_key_str(out, "name", tools[i].name);
		jsonout_key_str(out, "wire", tools[i].python);
		jsonout_key_str(out, "python", tools[i].python);
		jsonout_key_str(out, "effect", tools[i].effect);
		jsonout_key_str(out, "effect_from", i < 2 ? "mark" : "unmarked");
		make_text(make, "definition", tools[i].definition);
		(void)make_tool_digest(tools[i].name, &digest);
		digest_hex(&digest, hex);
		jsonout_key_str(out, "tool_sha256", hex);
		jsonout_key_str(out, "code_sha256", hex);
		jsonout_key_bool(out, "inverse", false);
		jsonout_object_end(out);
	}
	jsonout_array_end(out);
	add_json(make, "removed", "[]");
	make_append(make);
}

static const char program_text[] = "# Raises for Engineering.\n"
				   "raised = []\n"
				   "for person in list_employees():\n"
				   "    if person[\"team\"] != \"Engineering\":\n"
				   "        continue\n"
				   "    amount = 9000 if person[\"level\"] > 3 else 5000\n"
				   "    try:\n"
				   "        apply_raise(name=person[\"name\"], amount=amount)\n"
				   "        raised.append(person[\"name\"])\n"
				   "    except ToolDenied as denied:\n"
				   "        print(\"denied:\", denied)\n"
				   "print(\"raised:\", \", \".join(raised))\n";

static void
make_program(struct make *make)
{
	event_begin(&make->event, EVENT_PROGRAM);
	event_int(&make->event, "run", 1);
	event_int(&make->event, "attempt", 1);
	make_text(make, "text", program_text);
	event_int(&make->event, "lines", 12);
	event_str(&make->event, "by", "file");
	make_append(make);

	event_begin(&make->event, EVENT_PROGRAM_FORECAST);
	event_int(&make->event, "attempt", 1);
	add_json(make, "sites",
		"[{\"line\":3,\"tool\":\"payroll.list_employees\",\"loop\":false,"
		"\"effect\":\"read\",\"action\":\"allow\"},"
		"{\"line\":8,\"tool\":\"payroll.apply_raise\",\"loop\":true,"
		"\"effect\":\"mutate\",\"action\":\"depends\"}]");
	make_append(make);
}

static void
make_sandbox(struct make *make)
{
	event_begin(&make->event, EVENT_SANDBOX_START);
	event_int(&make->event, "attempt", 1);
	event_str(&make->event, "backend", "native");
	add_json(make, "badge",
		"[{\"layer\":\"network\",\"state\":\"proved\",\"kind\":\"must\",\"detail\":\"\"},"
		"{\"layer\":\"cgroup\",\"state\":\"absent\",\"kind\":\"best\","
		"\"detail\":\"no delegated cgroup\"}]");
	event_int(&make->event, "start_ms", 21);
	make_append(make);
}

static void
make_budget(struct make *make)
{
	char counters[128];

	snprintf(counters, sizeof(counters),
		"[{\"name\":\"max_tool_calls\",\"used\":%llu,\"limit\":50},"
		"{\"name\":\"max_refused\",\"used\":0,\"limit\":1000}]",
		(unsigned long long)make->calls);
	event_begin(&make->event, EVENT_BUDGET);
	event_int(&make->event, "run", 1);
	add_json(make, "counters", counters);
	make_append(make);
}

static void
make_session(struct make *make, const char *name, const char *mode, const char *model)
{
	event_begin(&make->event, EVENT_SESSION_START);
	event_str(&make->event, "id", MAKE_ID);
	event_str(&make->event, "name", name);
	event_str(&make->event, "version", "0.1.0");
	event_str(&make->event, "unicode", "15.0");
	event_str(&make->event, "host", "desk");
	event_str(&make->event, "boot", "b007");
	event_str(&make->event, "user", "1000");
	event_str(&make->event, "mode", mode);
	make_text(make, "config", "{}");
	add_json(make, "loosened", "[\"budget.max_tool_calls\"]");
	add_json(make, "model", model);
	event_str(&make->event, "sandbox", "native");
	add_json(make, "limits", "{\"budget.max_tool_calls\":50}");
	make_append(make);
	make_tools(make);
	make_task(make, "Raise everyone in Engineering.");
}

void
make_start(struct make *make, const char *name)
{
	make_session(make, name, "program", "null");
	make_program(make);
	make_sandbox(make);
	make_budget(make);
}

void
make_start_modelled(struct make *make)
{
	make_session(
		make, "payroll-2", "model", "{\"provider\":\"openai\",\"name\":\"gpt-5-mini\"}");
	make_sandbox(make);
	make_budget(make);
}

uint64_t
make_request(struct make *make, const char *tool, const char *args, int line)
{
	struct content content = make_commitment(make, args, strlen(args));
	uint64_t call = ++make->calls;
	struct digest *bind = &make->binds[call % (MAKE_CALLS + 1)];
	struct digest sha256;
	bool known = make_tool_digest(tool, &sha256);

	event_bind(MAKE_ID, call, tool, known ? &sha256 : NULL, &content.commitment, bind);
	event_begin(&make->event, EVENT_CALL_REQUEST);
	event_int(&make->event, "run", make->run ? make->run : 1);
	event_int(&make->event, "attempt", make->attempt ? make->attempt : 1);
	event_int(&make->event, "call", (int64_t)call);
	event_str(&make->event, "tool", tool);
	event_content_made(&make->event, "args", &content, args, strlen(args));
	event_digest(&make->event, "bind", bind);
	event_int(&make->event, "line", line);
	event_str(&make->event, "origin", "program");
	event_str(&make->event, "of", NULL);
	make_append(make);
	return call;
}

void
make_ruled(struct make *make, uint64_t call, const char *action, const char *rule)
{
	event_begin(&make->event, EVENT_CALL_RULED);
	event_int(&make->event, "call", (int64_t)call);
	event_str(&make->event, "action", action);
	event_str(&make->event, "rule", rule);
	event_str(&make->event, "at", rule ? "tollbridge.json:14" : NULL);
	event_str(&make->event, "reason", NULL);
	add_json(make, "tried",
		"[{\"rule\":\"small raises\",\"at\":\"tollbridge.json:14\",\"action\":\"allow\","
		"\"matched\":false,\"why\":\"amount: 9000 is more than 5000\"}]");
	make_append(make);
}

void
make_held(struct make *make, uint64_t call, int timeout_s)
{
	make_held_why(make, call, "default", timeout_s);
}

void
make_held_why(struct make *make, uint64_t call, const char *why, int timeout_s)
{
	event_begin(&make->event, EVENT_CALL_HELD);
	event_int(&make->event, "call", (int64_t)call);
	event_str(&make->event, "why", why);
	event_str(&make->event, "confirm", "key");
	event_bool(&make->event, "person_only", false);
	if (timeout_s < 0)
		event_str(&make->event, "timeout_s", NULL);
	else
		event_int(&make->event, "timeout_s", timeout_s);
	event_str(&make->event, "repeat_of", NULL);
	make_append(make);
}

static void
add_bind(struct make *make, uint64_t call)
{
	event_digest(&make->event, "bind", &make->binds[call % (MAKE_CALLS + 1)]);
}

void
make_presented(struct make *make, uint64_t call)
{
	event_begin(&make->event, EVENT_CALL_PRESENTED);
	event_int(&make->event, "call", (int64_t)call);
	add_bind(make, call);
	event_str(&make->event, "console", MAKE_CONSOLE);
	event_int(&make->event, "presentation", 1);
	event_int(&make->event, "seen_seq", (int64_t)record_next_seq(make->record) - 1);
	event_int(&make->event, "cols", 80);
	event_int(&make->event, "rows", 24);
	event_str(&make->event, "mode", "text");
	event_digest(&make->event, "frame", &make->binds[0]);
	make_append(make);
}

void
make_decided(
	struct make *make, uint64_t call, const char *verdict, const char *by, const char *reason)
{
	bool person = strcmp(by, "person") == 0;

	event_begin(&make->event, EVENT_CALL_DECIDED);
	event_int(&make->event, "call", (int64_t)call);
	add_bind(make, call);
	event_str(&make->event, "verdict", verdict);
	event_str(&make->event, "by", by);
	event_str(&make->event, "via", person ? "console" : NULL);
	event_str(&make->event, "who", person ? "uid 1000 pid 4711" : NULL);
	make_text(make, "reason", reason);
	event_str(&make->event, "comment", NULL);
	if (person) {
		event_str(&make->event, "console", MAKE_CONSOLE);
		event_int(&make->event, "presentation", 1);
		event_int(&make->event, "dwell_ms", 1200);
		event_int(&make->event, "covered", 29);
		event_int(&make->event, "total", 29);
	}
	event_bool(&make->event, "stop", false);
	make_append(make);
}

void
make_call_start(struct make *make, uint64_t call)
{
	event_begin(&make->event, EVENT_CALL_START);
	event_int(&make->event, "call", (int64_t)call);
	add_bind(make, call);
	make_append(make);
}

void
make_call_end(struct make *make, uint64_t call, const char *outcome, const char *result)
{
	event_begin(&make->event, EVENT_CALL_END);
	event_int(&make->event, "call", (int64_t)call);
	event_str(&make->event, "outcome", outcome);
	make_text(make, "result", result);
	event_int(&make->event, "ms", 3);
	make_append(make);
	make_budget(make);
}

void
make_output(struct make *make, const char *stream, const char *text)
{
	event_begin(&make->event, EVENT_OUTPUT);
	event_int(&make->event, "attempt", 1);
	event_str(&make->event, "stream", stream);
	make_text(make, "text", text);
	make_append(make);
}

void
make_end(struct make *make, const char *outcome, int exit_code)
{
	struct err err = { 0 };

	make_program_end(make, make->attempt ? make->attempt : 1, outcome);
	event_begin(&make->event, EVENT_ANSWER);
	event_int(&make->event, "run", 1);
	make_text(make, "text", "raised: Ada, Cleo\n");
	make_append(make);
	event_begin(&make->event, EVENT_RUN_END);
	event_int(&make->event, "run", 1);
	event_str(&make->event, "outcome", outcome);
	event_int(&make->event, "exit_code", exit_code);
	event_int(&make->event, "calls", (int64_t)make->calls);
	event_int(&make->event, "denied", 1);
	event_int(&make->event, "duration_ms", 9000);
	make_append(make);
	must(record_checkpoint(make->record, &err), &err);
	event_begin(&make->event, EVENT_SESSION_END);
	event_str(&make->event, "outcome", outcome);
	event_int(&make->event, "exit_code", exit_code);
	event_str(&make->event, "closed_by", "end");
	make_append(make);
}

static void
make_allowed(struct make *make, const char *tool, const char *args, int line, const char *result)
{
	uint64_t call = make_request(make, tool, args, line);
	bool small = strcmp(tool, "payroll.apply_raise") == 0;

	make_ruled(make, call, "allow", small ? "small raises" : NULL);
	make_decided(make, call, "approve", small ? "rule" : "default", NULL);
	make_call_start(make, call);
	make_call_end(make, call, "ok", result);
}

static uint64_t
make_waiting(struct make *make, const char *args)
{
	uint64_t call = make_request(make, "payroll.apply_raise", args, 8);

	make_ruled(make, call, "ask", NULL);
	make_held(make, call, 300);
	make_presented(make, call);
	return call;
}

void
make_sample(int fd, enum make_sample sample)
{
	struct make make;
	uint64_t call;

	make_open(&make, fd);
	make_start(&make, "payroll-1");
	make_allowed(&make, "payroll.list_employees", "{}", 3,
		"[{\"name\":\"Ada\",\"level\":2,\"team\":\"Engineering\"},"
		"{\"name\":\"Bob\",\"level\":4,\"team\":\"Engineering\"},"
		"{\"name\":\"Cleo\",\"level\":5,\"team\":\"Engineering\"}]");
	make_allowed(&make, "payroll.apply_raise", "{\"name\":\"Ada\",\"amount\":5000}", 8,
		"{\"name\":\"Ada\",\"salary\":85000}");
	call = make_waiting(&make, "{\"name\":\"Bob\",\"amount\":9000}");
	make_decided(&make, call, "deny", "person", "ask his manager first");
	make_call_end(&make, call, "denied", NULL);
	make_output(&make, "stdout", "denied: ask his manager first\n");
	call = make_waiting(&make, "{\"name\":\"Cleo\",\"amount\":9000}");
	if (sample == SAMPLE_ENDED) {
		make_decided(&make, call, "approve", "person", NULL);
		make_call_start(&make, call);
		make_call_end(&make, call, "ok", "{\"name\":\"Cleo\",\"salary\":119000}");
		make_output(&make, "stdout", "raised: Ada, Cleo\n");
		make_end(&make, "ok", 0);
	}
	make_close(&make);
}

void
make_sample_session(struct session *session, enum make_sample sample)
{
	struct reader *reader = reader_new(READER_CHAIN);
	struct err err = { 0 };
	struct event_view view;
	char chunk[16384];
	int fd = make_file();
	ssize_t got;
	off_t at = 0;

	make_sample(dup(fd), sample);
	session_init(session);
	while ((got = pread(fd, chunk, sizeof(chunk), at)) > 0) {
		at += got;
		must(reader_feed(reader, chunk, (size_t)got, &err), &err);
		for (int event; (event = reader_next(reader, &view, &err)) != 0;) {
			must(event, &err);
			view.mono = (int64_t)(view.seq + 1) * STEP;
			session_apply(session, &view);
		}
	}
	reader_free(reader);
	close(fd);
}
