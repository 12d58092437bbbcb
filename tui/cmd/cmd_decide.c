/* decide and stop: requests from a shell.  The supervisor alone says whether they hold. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/record/event.h"
#include "core/record/store.h"
#include "tui/client.h"
#include "tui/cmd/cmd.h"
#include "tui/cmd/fold.h"
#include "tui/cmd/talk.h"

/* What is asked of one call: a verdict, or, with args, other arguments. */
struct asked {
	struct client_decision decision;
	const char *args; /* NULL: a verdict */
};

/* Each option goes with one of the words. */
static int
check_options(
	const struct cmd_line *line, const struct asked *asked, const char *word, struct err *err)
{
	static const struct {
		enum cmd_option option;
		const char *name, *word;
	} goes[] = {
		{ OPTION_CODE, "code", "approve" },
		{ OPTION_REASON, "reason", "deny" },
		{ OPTION_ARGS, "args", "edit" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(goes); i++)
		if (cmd_value(line, goes[i].option) && strcmp(word, goes[i].word) != 0)
			return err_set(
				err, ERR_USAGE, "--%s goes with %s", goes[i].name, goes[i].word);
	if (asked->decision.approve && !asked->decision.code)
		return err_set(err, ERR_USAGE,
			"approve needs --code CODE: `tollbridge pending %s` prints the whole call "
			"and its code",
			line->words[0]);
	if (strcmp(word, "edit") == 0 && !asked->args)
		return err_set(err, ERR_USAGE, "edit needs --args JSON: all arguments of the call");
	return 0;
}

static int
read_verdict(const struct cmd_line *line, struct asked *asked, struct err *err)
{
	const char *word = line->words[2];

	asked->decision.code = cmd_value(line, OPTION_CODE);
	asked->decision.reason = cmd_value(line, OPTION_REASON);
	asked->decision.approve = strcmp(word, "approve") == 0;
	asked->args = cmd_value(line, OPTION_ARGS);
	if (!asked->decision.approve && strcmp(word, "deny") != 0 && strcmp(word, "edit") != 0)
		return err_set(err, ERR_USAGE, "\"%s\": write approve, deny or edit", word);
	return check_options(line, asked, word, err);
}

static int
read_call(const char *word, uint64_t *call, struct err *err)
{
	char *end;

	*call = strtoull(word, &end, 10);
	if (word[0] < '1' || word[0] > '9' || *end)
		return err_set(err, ERR_USAGE, "\"%s\": write the number of the call", word);
	return 0;
}

/* bind as the record has it: what is decided is what stands there. */
static int
find_bind(const struct store_entry *entry, struct client_decision *decision, uint64_t *from,
	struct err *err)
{
	struct fold fold;
	const struct session_call *call = NULL;
	int failed = fold_record(entry, &fold, err);

	if (!failed) {
		call = session_call(&fold.session, decision->call);
		*from = fold.session.seq + 1;
		if (call)
			decision->bind = call->bind;
		else
			failed = err_set(err, ERR_USAGE, "%s has no call %llu", entry->name,
				(unsigned long long)decision->call);
	}
	fold_release(&fold);
	return failed;
}

static uint64_t
send_asked(struct client *client, void *arg)
{
	const struct asked *asked = arg;
	const struct client_decision *decision = &asked->decision;

	if (asked->args)
		return client_edit(client, decision->call, &decision->bind, asked->args);
	return client_decide(client, decision);
}

/* An edit is in the record before it is answered: what waits now, or what became of it. */
static int
say_edited(const struct store_entry *entry, uint64_t number, struct err *err)
{
	struct fold fold;
	const struct session_call *call;
	char code[EVENT_CODE_SIZE];

	if (fold_record(entry, &fold, err) < 0) {
		fold_release(&fold);
		return -1;
	}
	call = session_call(&fold.session, number);
	if (call && call->state == CALL_HELD) {
		event_code(&call->bind, code);
		cmd_say("call %llu of %s was edited and waits under a new code: %s",
			(unsigned long long)number, entry->name, code);
	} else {
		cmd_say("call %llu of %s was edited and no longer waits: `tollbridge show %s` says "
			"what became of it",
			(unsigned long long)number, entry->name, entry->name);
	}
	fold_release(&fold);
	return 0;
}

static int
decide(const struct cmd_line *line, struct err *err)
{
	struct asked asked = { .decision.via = "decide" };
	uint64_t *call = &asked.decision.call;
	struct store_entry entry;
	uint64_t from = 0;
	int failed;

	if (read_verdict(line, &asked, err) < 0 || read_call(line->words[1], call, err) < 0 ||
		fold_find_live(line->words[0], &entry, err) < 0)
		return -1;
	failed = find_bind(&entry, &asked.decision, &from, err);
	if (!failed)
		failed = talk_ask(&entry, from, send_asked, &asked, err);
	if (!failed && asked.args)
		failed = say_edited(&entry, *call, err);
	else if (!failed)
		cmd_say("call %s of %s: %s", line->words[1], line->words[0],
			asked.decision.approve ? "approved" : "denied");
	store_entry_release(&entry);
	return failed;
}

int
cmd_decide(const struct cmd_line *line)
{
	struct err err = { 0 };

	if (cmd_expect_words(line, 3, 3, &err) < 0 || decide(line, &err) < 0)
		return cmd_fail(&err);
	return EXIT_DONE;
}

static uint64_t
send_stop(struct client *client, void *arg)
{
	(void)arg;
	return client_request(client, "stop", "", 0);
}

static int
stop(const char *word, struct err *err)
{
	struct store_entry entry;
	struct fold fold;
	int failed;

	if (fold_find_live(word, &entry, err) < 0)
		return -1;
	failed = fold_record(&entry, &fold, err);
	if (!failed)
		failed = talk_ask(&entry, fold.session.seq + 1, send_stop, NULL, err);
	fold_release(&fold);
	store_entry_release(&entry);
	return failed;
}

int
cmd_stop(const struct cmd_line *line)
{
	struct err err = { 0 };

	if (cmd_expect_words(line, 1, 1, &err) < 0 || stop(line->words[0], &err) < 0)
		return cmd_fail(&err);
	cmd_say("%s is being stopped", line->words[0]);
	return EXIT_DONE;
}
