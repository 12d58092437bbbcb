/*
 * Calls are told by their numbers, which rise; those of an ended run are dropped.  A run may make a
 * great many calls with large arguments, and a model needs no more than what each did: only the
 * beginning of an argument text is kept.
 */
#include "config.h"

#include "core/run/account.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

#define ARGS_KEPT 512 /* bytes */

struct account {
	struct account_call *calls;
	size_t count, room;
};

struct account *
account_new(void)
{
	return mem_zero(1, sizeof(struct account));
}

static void
release(struct account_call *call)
{
	free(call->tool);
	free(call->args);
	free(call->asked);
	free(call->reason);
	free(call->outcome);
}

void
account_next_run(struct account *account)
{
	for (size_t i = 0; i < account->count; i++)
		release(&account->calls[i]);
	account->count = 0;
}

void
account_free(struct account *account)
{
	if (!account)
		return;
	account_next_run(account);
	free(account->calls);
	free(account);
}

static struct account_call *
find(struct account *account, uint64_t number)
{
	for (size_t i = account->count; i-- > 0;)
		if (account->calls[i].number == number)
			return &account->calls[i];
	return NULL;
}

static void
keep_args(struct account_call *call, struct untrusted args)
{
	call->args_len = args.len < ARGS_KEPT ? args.len : ARGS_KEPT;
	call->args_more = args.len - call->args_len;
	call->args = mem_strn(args.bytes, call->args_len);
}

void
account_request(struct account *account, uint64_t number, unsigned attempt, const char *tool,
	struct untrusted args, int line)
{
	struct account_call *call;

	if (account->count == account->room) {
		account->room = account->room ? account->room * 2 : 16;
		account->calls = mem_grow(account->calls, account->room, sizeof(*account->calls));
	}
	call = &account->calls[account->count++];
	*call = (struct account_call){
		.number = number, .attempt = attempt, .tool = mem_str(tool), .line = line
	};
	keep_args(call, args);
}

void
account_edited(struct account *account, uint64_t number, struct untrusted args)
{
	struct account_call *call = find(account, number);

	if (!call)
		return;
	if (call->asked)
		free(call->args);
	else
		call->asked = call->args;
	keep_args(call, args);
}

void
account_unedited(struct account *account, uint64_t number)
{
	struct account_call *call = find(account, number);

	if (!call || !call->asked)
		return;
	free(call->args);
	call->args = call->asked;
	call->args_len = strlen(call->args);
	call->asked = NULL;
}

void
account_decided(struct account *account, uint64_t number, const char *reason)
{
	struct account_call *call = find(account, number);

	if (!call)
		return;
	free(call->reason);
	call->reason = mem_str(reason && reason[0] ? reason : NULL);
}

void
account_start(struct account *account, uint64_t number)
{
	struct account_call *call = find(account, number);

	if (call)
		call->started = true;
}

void
account_end(struct account *account, uint64_t number, const char *outcome)
{
	struct account_call *call = find(account, number);

	if (!call)
		return;
	free(call->outcome);
	call->outcome = mem_str(outcome);
}

const struct account_call *
account_calls(const struct account *account, size_t *count)
{
	*count = account->count;
	return account->calls;
}
