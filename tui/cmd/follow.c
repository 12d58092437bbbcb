/*
 * The session is folded like everywhere else, so that a line on standard error says what a console
 * would show.  Foreign bytes go out as they are only where no terminal reads them.
 */
#include "config.h"

#include "tui/cmd/follow.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/record/event.h"
#include "core/record/reader.h"
#include "core/session/session.h"
#include "tui/client.h"
#include "tui/cmd/cmd.h"
#include "tui/cmd/outlet.h"

#define ARGS_SHOWN 160
#define DRAIN_NS (20 * NS_PER_MS)

struct follow {
	struct loop *loop;
	struct client *client;
	struct outlet *out;
	struct loop_timer *drained;
	const char *name;
	enum follow_mode mode;
	struct session session;
	struct follow_result *result;
	bool printed; /* output was */
	bool out_is_terminal;
	unsigned signals;
	bool poisoned; /* no session.end can come: the record takes nothing more */
};

/* --- what goes out --- */

static void
put(struct follow *follow, struct untrusted text)
{
	AUTO_FREE char *escaped = follow->out_is_terminal ? text_escape(text, TEXT_LINES) : NULL;

	if (escaped)
		outlet_write(follow->out, escaped, strlen(escaped));
	else
		outlet_write(follow->out, text.bytes, text.len);
}

static bool
has_model(const struct follow *follow)
{
	return follow->session.mode && strcmp(follow->session.mode, "model") == 0;
}

static void
put_output(struct follow *follow, const struct session_output *output)
{
	struct untrusted text = untrusted(output->text.bytes, output->text.len);

	if (!output->text.bytes)
		return;
	/* A model's programs come one after the other, and what a failed one printed is no answer.
	 */
	if (output->err || has_model(follow)) {
		cmd_text(stderr, text, TEXT_LINES);
		return;
	}
	follow->printed = true;
	put(follow, text);
}

static void
put_answer(struct follow *follow)
{
	const struct blob *answer = &follow->session.answer;

	if (follow->printed || !answer->bytes)
		return;
	put(follow, untrusted(answer->bytes, answer->len));
	if (answer->len == 0 || answer->bytes[answer->len - 1] != '\n')
		outlet_write(follow->out, "\n", 1);
}

/* --- lines on standard error --- */

static void
say_held(struct follow *follow, const struct session_call *call)
{
	size_t len = call->args.len < ARGS_SHOWN ? call->args.len : ARGS_SHOWN;
	AUTO_FREE char *args =
		mem_strn(call->args.bytes ? call->args.bytes : "", call->args.bytes ? len : 0);

	cmd_say("call %llu waits: %s %s%s (%s)", (unsigned long long)call->number, call->tool, args,
		len < call->args.len ? "..." : "", call->held_why ? call->held_why : "asked");
	cmd_say("  tollbridge attach %s, or tollbridge pending %s and tollbridge decide %s %llu",
		follow->name, follow->name, follow->name, (unsigned long long)call->number);
}

static void
say_decided(const struct session_call *call)
{
	bool deny = call->verdict && strcmp(call->verdict, "deny") == 0;
	bool person = call->by && strcmp(call->by, "person") == 0;

	if (!deny && !person)
		return;
	cmd_say("call %llu %s by %s%s%.*s", (unsigned long long)call->number,
		deny ? "denied" : "approved", call->by ? call->by : "nobody",
		call->more->reason.bytes && call->more->reason.len > 0 ? ": " : "",
		(int)(call->more->reason.len < 1024 ? call->more->reason.len : 1024),
		call->more->reason.bytes ? call->more->reason.bytes : "");
}

static void
say_program_end(const struct follow *follow)
{
	const struct session_program *program = session_program(&follow->session);

	if (!program || !program->outcome || strcmp(program->outcome, "ok") == 0)
		return;
	if (program->error.bytes && program->error.len > 0) {
		cmd_text(stderr, untrusted(program->error.bytes, program->error.len), TEXT_LINES);
		fputc('\n', stderr);
	}
}

/* The program as a whole waits for a person. */
static void
say_asked(const struct follow *follow)
{
	const struct session_program *program = session_program(&follow->session);

	if (follow->session.state != RUN_ASKING || !program)
		return;
	cmd_say("the program %s: tollbridge attach %s",
		program->outcome ? "failed, and another may be tried" : "waits for your yes",
		follow->name);
}

static void
say_server(const struct event_view *event)
{
	struct json_value data = event->data;
	const char *state = json_text(data, "state");

	if (!state || (strcmp(state, "failed") != 0 && strcmp(state, "died") != 0))
		return;
	cmd_say("tools of %s: %s", json_text(data, "server"), state);
}

/* One line as it is asked, one as it has answered. */
static void
say_turn(const struct session_turn *turn, enum event_type type)
{
	if (!turn)
		return;
	if (type == EVENT_MODEL_REQUEST)
		cmd_say("the model writes %s",
			turn->purpose && strcmp(turn->purpose, "answer") == 0   ? "the answer"
			: turn->purpose && strcmp(turn->purpose, "repair") == 0 ? "another program"
										: "a program");
	else if (type == EVENT_MODEL_RETRY)
		cmd_say("%s; again in %.1f s", turn->retry_cause ? turn->retry_cause : "it failed",
			(double)turn->retry_ms / 1000);
	else if (turn->refused)
		cmd_say("%s", turn->refused);
}

static void
say_forecast(const struct session *session)
{
	char words[SESSION_REACH_BYTES];
	struct session_reach reach;

	session_reach(session, &reach);
	session_reach_words(&reach, words);
	cmd_say("%s", words);
}

static void
say_event(struct follow *follow, const struct event_view *event)
{
	const struct session *session = &follow->session;
	int64_t number = 0;
	const struct session_call *call = NULL;

	if (json_int(json_get(event->data, "call"), 1, INT64_MAX, &number))
		call = session_call(session, (uint64_t)number);
	switch (event->type) {
	case EVENT_MODEL_REQUEST:
	case EVENT_MODEL_RETRY:
	case EVENT_MODEL_END:
		say_turn(session_turn(session), event->type);
		break;
	case EVENT_CALL_HELD:
		if (call)
			say_held(follow, call);
		break;
	case EVENT_CALL_DECIDED:
		if (call)
			say_decided(call);
		break;
	case EVENT_ALERT:
		cmd_say("%s",
			session->alert_count > 0 && session->alerts[session->alert_count - 1].text
				? session->alerts[session->alert_count - 1].text
				: "alert");
		break;
	case EVENT_TOOLS:
		say_server(event);
		break;
	case EVENT_PROGRAM_FORECAST:
		if (has_model(follow))
			say_forecast(session);
		say_asked(follow);
		break;
	case EVENT_PROGRAM_END:
		say_program_end(follow);
		say_asked(follow);
		break;
	case EVENT_SESSION_END:
		if (follow->mode == FOLLOW_TEXT || session->exit_code != 0)
			cmd_say("%s ended: %s, %zu call%s, %llu denied", follow->name,
				session->outcome ? session->outcome : "?", session->call_count,
				session->call_count == 1 ? "" : "s",
				(unsigned long long)session->denied);
		break;
	default:
		break;
	}
}

/* --- the stream --- */

static void
when_drained(void *arg)
{
	struct follow *follow = arg;

	if (outlet_left(follow->out) > 0)
		loop_timer_in(follow->drained, DRAIN_NS);
	else
		loop_stop(follow->loop, 0);
}

static void
end_with(struct follow *follow, int exit_code)
{
	follow->result->exit_code = exit_code;
	when_drained(follow);
}

static void
on_lines(const char *bytes, size_t len, void *arg)
{
	struct follow *follow = arg;

	if (follow->mode == FOLLOW_LINES)
		outlet_write(follow->out, bytes, len);
}

static void
on_event(const struct event_view *event, void *arg)
{
	struct follow *follow = arg;
	size_t outputs = follow->session.output_count;

	session_apply(&follow->session, event);
	if (follow->mode == FOLLOW_LINES) {
		if (event->type == EVENT_SESSION_END)
			end_with(follow, follow->session.exit_code);
		return;
	}
	if (event->type == EVENT_CALL_HELD && follow->mode == FOLLOW_CALL) {
		follow->result->held = true;
		loop_stop(follow->loop, 0);
		return;
	}
	if (event->type == EVENT_OUTPUT && follow->session.output_count > outputs)
		put_output(follow, &follow->session.outputs[outputs]);
	say_event(follow, event);
	if (event->type == EVENT_SESSION_END) {
		put_answer(follow);
		end_with(follow, follow->session.exit_code);
	}
}

static void
on_notice(struct json_value notice, void *arg)
{
	struct follow *follow = arg;

	if (!json_is(json_get(notice, "notice"), "poisoned"))
		return;
	follow->poisoned = true;
	cmd_say("the record cannot be written: the run is being ended");
}

static void
on_closed(const char *why, void *arg)
{
	struct follow *follow = arg;

	if (!why)
		return;
	cmd_say("%s: %s; `tollbridge show %s` tells what was undecided", follow->name, why,
		follow->name);
	end_with(follow, follow->poisoned ? EXIT_RECORD : EXIT_FAILED);
}

static void
on_signal(int signo, void *arg)
{
	struct follow *follow = arg;
	AUTO_FREE char *members = mem_printf("\"signal\":%d", signo);

	if (follow->signals++ > 0) {
		cmd_say("%s goes on to its end; `tollbridge attach %s`", follow->name,
			follow->name);
		follow->result->exit_code = 128 + signo;
		loop_stop(follow->loop, 0);
		return;
	}
	client_request(follow->client, "stop", members, strlen(members));
}

void
follow_run(int socket, const char *name, enum follow_mode mode, struct follow_result *result)
{
	struct follow follow = { .loop = loop_new(),
		.name = name,
		.mode = mode,
		.result = result,
		.out_is_terminal = isatty(STDOUT_FILENO) };
	struct client_hooks hooks = { .on_lines = on_lines,
		.on_event = on_event,
		.on_notice = on_notice,
		.on_closed = on_closed,
		.arg = &follow };

	*result = (struct follow_result){ .exit_code = EXIT_FAILED };
	session_init(&follow.session);
	follow.out = outlet_new(follow.loop, STDOUT_FILENO);
	follow.drained = loop_timer_new(follow.loop, when_drained, &follow);
	loop_on_signal(follow.loop, SIGINT, on_signal, &follow);
	loop_on_signal(follow.loop, SIGTERM, on_signal, &follow);
	follow.client = client_new(follow.loop, socket, 0, &hooks);
	loop_run(follow.loop);
	client_free(follow.client);
	loop_timer_free(follow.drained);
	outlet_free(follow.out);
	session_release(&follow.session);
	loop_free(follow.loop);
}
