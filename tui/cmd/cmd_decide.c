/* decide and stop: requests from a shell.  The supervisor alone says whether they hold. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/record/store.h"
#include "tui/client.h"
#include "tui/cmd/cmd.h"
#include "tui/cmd/fold.h"
#include "tui/cmd/talk.h"

static int
read_verdict(const struct cmd_line *line, struct client_decision *decision, struct err *err)
{
	const char *verdict = line->words[2];

	decision->code = cmd_value(line, OPTION_CODE);
	decision->reason = cmd_value(line, OPTION_REASON);
	decision->approve = strcmp(verdict, "approve") == 0;
	if (strcmp(verdict, "edit") == 0)
		return err_set(err, ERR_USAGE, "decide ... edit is not available in this version");
	if (!decision->approve && strcmp(verdict, "deny") != 0)
		return err_set(err, ERR_USAGE, "\"%s\": write approve or deny", verdict);
	if (decision->approve && !decision->code)
		return err_set(err, ERR_USAGE,
			"approve needs --code CODE: `tollbridge pending %s` prints the whole call "
			"and its code",
			line->words[0]);
	if (!decision->approve && decision->code)
		return err_set(err, ERR_USAGE, "--code goes with approve");
	if (decision->approve && decision->reason)
		return err_set(err, ERR_USAGE, "--reason goes with deny");
	return 0;
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
send_decision(struct client *client, void *arg)
{
	return client_decide(client, arg);
}

static int
decide(const struct cmd_line *line, struct err *err)
{
	struct client_decision decision = { .via = "decide" };
	struct store_entry entry;
	uint64_t from = 0;
	int failed;

	if (read_verdict(line, &decision, err) < 0 ||
		read_call(line->words[1], &decision.call, err) < 0 ||
		fold_find_live(line->words[0], &entry, err) < 0)
		return -1;
	failed = find_bind(&entry, &decision, &from, err);
	if (!failed)
		failed = talk_ask(&entry, from, send_decision, &decision, err);
	store_entry_release(&entry);
	return failed;
}

int
cmd_decide(const struct cmd_line *line)
{
	struct err err = { 0 };

	if (cmd_expect_words(line, 3, 3, &err) < 0 || decide(line, &err) < 0)
		return cmd_fail(&err);
	cmd_say("call %s of %s: %s", line->words[1], line->words[0],
		strcmp(line->words[2], "approve") == 0 ? "approved" : "denied");
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
