/*
 * The conversation is a list of messages that only grows; each request sends all of them, so that
 * prompt caches hold, and the record keeps of each request what is new.
 */
#include "config.h"

#include "core/run/author.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/gate/budget.h"
#include "core/model/extract.h"
#include "core/model/model.h"
#include "core/run/account.h"
#include "core/run/author_prompt.h"
#include "core/run/calls.h"
#include "core/run/configuration.h"
#include "core/run/journal.h"
#include "core/run/journal_model.h"
#include "core/run/provider.h"

#define BYTES_A_TOKEN_MOST 8 /* fewer tokens than this makes were not counted of all bytes */
#define BYTES_A_TOKEN 3 /* of a reply whose provider counts none: rather too many than too few */

struct author {
	struct author_parts parts;
	struct author_hooks hooks;
	struct config_model about;
	struct model *model;
	struct calls *calls;
	struct buf instructions;
	struct model_message *messages; /* their texts are owned */
	size_t count, recorded;         /* recorded: of them, in the record */
	unsigned run, turn, repairs_left;
	const char *purpose;
	bool going;
	bool stopping;                /* nothing follows the reply */
	struct model_request request; /* that goes on */
	struct buf reply;
	int64_t sent_bytes;
	int64_t began, first; /* first: -1, nothing came yet */
};

/* --- the conversation --- */

static void
add_message(struct author *author, enum model_role role, struct untrusted text)
{
	struct model_message *message;

	author->messages = mem_grow(author->messages, author->count + 1, sizeof(*author->messages));
	message = &author->messages[author->count++];
	message->role = role;
	message->text = untrusted(mem_strn(text.bytes ? text.bytes : "", text.len), text.len);
}

/* Two messages of the user's side never follow each other: providers refuse that. */
static void
tell(struct author *author, struct untrusted text)
{
	if (author->count > 0 && author->messages[author->count - 1].role == MODEL_USER)
		add_message(author, MODEL_ASSISTANT,
			untrusted_str("(there is no reply to this message)"));
	add_message(author, MODEL_USER, text);
}

/* --- one request --- */

static void ask(struct author *author, const char *purpose);

static void
fail(struct author *author, const char *outcome, const char *why)
{
	if (!author->stopping)
		author->hooks.on_failed(outcome, why, author->hooks.arg);
}

static int64_t
tokens_of(const struct author *author, const struct model_end *end)
{
	int64_t input = end->usage.input, output = end->usage.output;

	/* What never reached a model took nothing. */
	if (input < 0)
		input = end->status >= 400 || (end->stop == MODEL_ERROR && end->status == 0)
				? 0
				: author->sent_bytes / BYTES_A_TOKEN;
	if (output < 0)
		output = (int64_t)author->reply.len / BYTES_A_TOKEN;
	return input + output;
}

static int64_t
price_of(const struct author *author, const struct model_end *end)
{
	const struct config *config = author->parts.config;
	int64_t input = config_int(config, SETTING_MODEL_PRICE_INPUT);
	int64_t cached = config_int(config, SETTING_MODEL_PRICE_CACHED);
	int64_t output = config_int(config, SETTING_MODEL_PRICE_OUTPUT);
	double fresh = (double)end->usage.input, kept = (double)end->usage.cached;

	if (input < 0 || output < 0)
		return -1;
	if (end->usage.input < 0 || end->usage.output < 0)
		return (int64_t)((double)tokens_of(author, end) *
					 (double)(input > output ? input : output) / 1e6 +
				 0.5);
	kept = kept > 0 ? kept : 0;
	fresh -= kept;
	return (int64_t)((fresh * (double)input + kept * (double)(cached < 0 ? input : cached) +
				 (double)end->usage.output * (double)output) /
				 1e6 +
			 0.5);
}

/* Ollama cuts a prompt that does not fit its context from the front, and says nothing. */
static void
warn_of_cut(struct author *author, const struct model_end *end)
{
	AUTO_FREE char *words = NULL;

	if (strcmp(author->about.provider, "ollama") != 0 || end->usage.input < 0 ||
		end->usage.input * BYTES_A_TOKEN_MOST >= author->sent_bytes)
		return;
	words = mem_printf(
		"the model counted %lld tokens in a prompt of %lld bytes: its context may "
		"be too small, and the beginning lost; set model.context_tokens",
		(long long)end->usage.input, (long long)author->sent_bytes);
	journal_alert(author->parts.journal, words);
}

static void
record_end(struct author *author, const struct model_end *end, const char *refused)
{
	int64_t now = loop_now(author->parts.loop);
	bool script = author->about.scripted;
	struct journal_model_end event = {
		.run = author->run,
		.turn = author->turn,
		.end = end,
		.refused = refused,
		.cost_micro = script ? -1 : price_of(author, end),
		.ms = (now - author->began) / NS_PER_MS,
		.first_ms = author->first < 0 ? -1 : (author->first - author->began) / NS_PER_MS,
	};

	journal_model_end(author->parts.journal, &event);
	if (script)
		return;
	warn_of_cut(author, end);
	budget_reply(calls_budget(author->calls), tokens_of(author, end),
		event.cost_micro < 0 ? 0 : event.cost_micro);
	journal_budget(author->parts.journal, author->run, calls_budget(author->calls), NULL);
}

/* The reply is whole, and holds no program: told, and asked once more while that is allowed. */
static void
no_program(struct author *author, const char *why)
{
	AUTO_BUF struct buf text;

	buf_init(&text, BUF_UNBOUNDED);
	if (author->repairs_left == 0) {
		fail(author, "model", why);
		return;
	}
	author->repairs_left--;
	prompt_no_program(why, &text);
	tell(author, untrusted(text.data, text.len));
	ask(author, "repair");
}

static void
take_reply(struct author *author, const struct model_end *end)
{
	struct untrusted reply =
		untrusted(author->reply.data ? author->reply.data : "", author->reply.len);
	bool answers = strcmp(author->purpose, "answer") == 0;
	struct extract found;

	extract_program(reply, &found);
	record_end(author, end,
		answers || found.rule == EXTRACT_PROGRAM ? NULL : extract_words(found.rule));
	if (author->stopping)
		return;
	add_message(
		author, MODEL_ASSISTANT, reply.len > 0 ? reply : untrusted_str("(an empty reply)"));
	if (answers)
		author->hooks.on_answer(reply, author->hooks.arg);
	else if (found.rule == EXTRACT_PROGRAM)
		author->hooks.on_program(
			untrusted(reply.bytes + found.at, found.len), author->hooks.arg);
	else
		no_program(author, extract_words(found.rule));
}

static void
on_end(const struct model_end *end, void *arg)
{
	static const char *const words[] = {
		[MODEL_COMPLETE] = "",
		[MODEL_LENGTH] = "the reply was cut at a limit of tokens, so it is not run",
		[MODEL_REFUSAL] = "the model refused",
		[MODEL_FILTERED] = "the reply was stopped by a content filter, so it is not run",
		[MODEL_CUT] = "the reply ended before its end, so it is not run",
		[MODEL_ERROR] = "the model could not be asked",
		[MODEL_CANCELLED] = "a person cancelled the reply",
	};
	struct author *author = arg;
	AUTO_FREE char *why = NULL;

	author->going = false;
	if (end->stop == MODEL_COMPLETE) {
		take_reply(author, end);
		return;
	}
	record_end(author, end, NULL);
	why = mem_printf(
		"%s%s%s", words[end->stop], end->error ? ": " : "", end->error ? end->error : "");
	fail(author, "model", why);
}

static void
on_delta(enum model_part part, const char *bytes, size_t len, void *arg)
{
	struct author *author = arg;

	if (author->first < 0)
		author->first = loop_now(author->parts.loop);
	journal_model_delta(
		author->parts.journal, author->run, author->turn, part, untrusted(bytes, len));
	if (part == MODEL_TEXT)
		buf_put(&author->reply, bytes, len);
}

static void
on_retry(const char *cause, int64_t wait_ms, void *arg)
{
	struct author *author = arg;

	journal_model_retry(author->parts.journal, author->run, author->turn, cause, wait_ms);
}

static void
record_request(struct author *author)
{
	struct journal_model_request event = {
		.run = author->run,
		.turn = author->turn,
		.purpose = author->purpose,
		.host = author->about.base_url,
		.messages = author->messages + author->recorded,
		.count = author->count - author->recorded,
	};

	if (author->recorded == 0)
		event.instructions = untrusted(author->instructions.data, author->instructions.len);
	author->sent_bytes = (int64_t)author->instructions.len;
	for (size_t i = 0; i < author->count; i++)
		author->sent_bytes += (int64_t)author->messages[i].text.len;
	event.bytes = author->sent_bytes;
	author->recorded = author->count;
	journal_model_request(author->parts.journal, &event);
}

static void
ask(struct author *author, const char *purpose)
{
	struct model_hooks hooks = { on_delta, on_retry, on_end, author };
	struct err err = { 0 };

	if (budget_turn(calls_budget(author->calls), &err) < 0) {
		fail(author, "budget", err.text);
		return;
	}
	author->purpose = purpose;
	author->turn++;
	author->began = loop_now(author->parts.loop);
	author->first = -1;
	buf_clear(&author->reply);
	record_request(author);
	/* What cannot be recorded is not sent. */
	if (journal_flush(author->parts.journal, false, &err) < 0) {
		fail(author, "record", err.text);
		return;
	}
	author->request = (struct model_request){
		.instructions = untrusted(author->instructions.data, author->instructions.len),
		.messages = author->messages,
		.count = author->count,
	};
	author->going = true;
	model_ask(author->model, &author->request, &hooks);
}

/* --- what is asked --- */

void
author_run(struct author *author, unsigned run, struct calls *calls, struct untrusted task)
{
	AUTO_BUF struct buf text;

	author->run = run;
	author->calls = calls;
	author->stopping = false;
	author->repairs_left =
		(unsigned)config_int(author->parts.config, SETTING_MODEL_MAX_REPAIRS);
	if (author->count == 0)
		author_instructions(author->parts.config, author->parts.registry,
			calls_policy(calls), &author->instructions);
	buf_init(&text, BUF_UNBOUNDED);
	author_tell_task(calls_budget(calls), task, &text);
	tell(author, untrusted(text.data, text.len));
	ask(author, "program");
}

bool
author_may_repair(const struct author *author)
{
	return author->repairs_left > 0;
}

void
author_repair(struct author *author, const struct author_failure *failure)
{
	AUTO_BUF struct buf text;

	if (!failure->word && author->repairs_left > 0)
		author->repairs_left--;
	buf_init(&text, BUF_UNBOUNDED);
	author_tell_failure(calls_budget(author->calls), author->parts.registry,
		author->parts.account, failure, &text);
	tell(author, untrusted(text.data, text.len));
	ask(author, "repair");
}

void
author_again(struct author *author, const char *word)
{
	if (word && word[0])
		tell(author, untrusted_str(word));
	else if (author->count == 0 || author->messages[author->count - 1].role != MODEL_USER)
		tell(author, untrusted_str("Write the program anew."));
	ask(author, strcmp(author->purpose, "answer") == 0 ? "answer" : "repair");
}

void
author_answer(struct author *author, struct untrusted printed)
{
	AUTO_BUF struct buf text;

	buf_init(&text, BUF_UNBOUNDED);
	prompt_answer(printed, (size_t)config_int(author->parts.config, SETTING_MODEL_ANSWER_BYTES),
		&text);
	tell(author, untrusted(text.data, text.len));
	ask(author, "answer");
}

void
author_done(struct author *author)
{
	tell(author,
		untrusted_str("The program ended well.  What it printed went to the person and "
			      "is not shown here."));
	add_message(author, MODEL_ASSISTANT, untrusted_str("Understood."));
}

int
author_cancel(struct author *author, unsigned turn, struct err *err)
{
	if (!author->going)
		return err_set(err, ERR_STATE, "no reply is being written");
	if (turn != author->turn)
		return err_set(
			err, ERR_MISMATCH, "reply %u is being written, not %u", author->turn, turn);
	model_cancel(author->model);
	return 0;
}

void
author_stop(struct author *author)
{
	struct model_end end = { .stop = MODEL_CANCELLED, .usage = MODEL_USAGE_UNKNOWN };

	author->stopping = true;
	if (!author->going)
		return;
	author->going = false;
	model_free(author->model);
	author->model = NULL;
	record_end(author, &end, NULL);
}

struct author *
author_new(const struct author_parts *parts, const struct author_hooks *hooks, struct err *err)
{
	struct author *author = mem_zero(1, sizeof(*author));

	author->parts = *parts;
	author->hooks = *hooks;
	author->purpose = "program";
	config_model(parts->config, &author->about);
	buf_init(&author->instructions, BUF_UNBOUNDED);
	buf_init(&author->reply, BUF_UNBOUNDED);
	author->model = provider_new(parts->loop, parts->http, parts->config, parts->key, err);
	if (author->model)
		return author;
	author_free(author);
	return NULL;
}

void
author_free(struct author *author)
{
	if (!author)
		return;
	model_free(author->model);
	for (size_t i = 0; i < author->count; i++)
		free((char *)author->messages[i].text.bytes);
	free(author->messages);
	buf_release(&author->instructions);
	buf_release(&author->reply);
	free(author);
}
