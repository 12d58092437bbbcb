/*
 * A command's output is read to its end, however slow it is (a person may have to type a passphrase
 * elsewhere); what it printed counts only when it left with 0.
 */
#include "config.h"

#include "core/run/key.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/run/configuration.h"
#include "core/run/spawn.h"

#define KEY_MAX 16384 /* bytes */

struct key {
	struct loop *loop;
	struct key_hooks hooks;
	const struct config_tool *command; /* NULL: a variable */
	struct config_model model;
	struct proc *proc;
	struct loop_watch *watch;
	int fd; /* -1: at its end */
	struct buf text;
	char *why; /* it failed; NULL: not so far */
	bool exited;
};

/* A key is one line of visible ASCII: anything else could not stand in a header. */
static bool
fits_header(const char *key)
{
	for (const char *at = key; *at; at++)
		if (*at < '!' || *at > '~')
			return false;
	return key[0] != '\0';
}

static void
answer(struct key *key, const char *text)
{
	AUTO_FREE char *why = key->why ? mem_str(key->why) : NULL;

	key->hooks.on_key(why ? NULL : text, why, key->hooks.arg);
}

static void
read_variable(void *arg)
{
	struct key *key = arg;
	const char *text = key->model.key_env ? getenv(key->model.key_env) : NULL;

	if (text && !text[0])
		text = NULL;
	if (text && !fits_header(text))
		key->why = mem_printf(
			"%s: a key is one line of ASCII without spaces", key->model.key_env);
	else if (!text && key->model.key_needed)
		key->why = mem_printf("%s is not set", key->model.key_env);
	answer(key, text);
}

/* --- a command --- */

static void
close_output(struct key *key)
{
	loop_unwatch(key->watch);
	key->watch = NULL;
	if (key->fd >= 0)
		close(key->fd);
	key->fd = -1;
}

static void
maybe_done(struct key *key)
{
	if (!key->exited || key->fd >= 0)
		return;
	while (key->text.len > 0 && strchr("\r\n", key->text.data[key->text.len - 1]))
		key->text.data[--key->text.len] = '\0';
	if (!key->why && !fits_header(key->text.data ? key->text.data : ""))
		key->why = mem_printf("model.key_command: %s did not print one line of ASCII",
			key->command->argv[0]);
	answer(key, key->text.data);
}

static void
on_output(int fd, unsigned events, void *arg)
{
	struct key *key = arg;
	struct err err = { 0 };
	ssize_t got = io_read_some(fd, &key->text, KEY_MAX, &err);

	(void)events;
	if (got > 0 || (got < 0 && (err.errnum == EAGAIN || err.errnum == EINTR)))
		return;
	close_output(key);
	maybe_done(key);
}

static void
on_exit_of(struct proc *proc, const struct proc_exit *end, void *arg)
{
	struct key *key = arg;
	const char *name = key->command->argv[0];

	(void)proc;
	key->proc = NULL;
	key->exited = true;
	if (!end->started)
		key->why = mem_printf("model.key_command: %s", end->error);
	else if (end->signaled || end->code != 0)
		key->why = mem_printf("model.key_command: %s %s %d", name,
			end->signaled ? "was killed by signal" : "failed with status", end->code);
	maybe_done(key);
}

static void
fail_later(void *arg)
{
	answer(arg, NULL);
}

static void
start_command(struct key *key, struct spawner *spawner)
{
	struct proc_hooks hooks = { NULL, on_exit_of, key };
	struct spawn_tool request = {
		.argv = (const char *const *)key->command->argv,
		.cwd = key->command->folder,
		.user = geteuid() == 0 ? "root" : NULL, /* the person's own, as they are */
		.fds = { -1, -1, -1 },
		.extra_fd = -1,
	};
	struct err err = { 0 };

	if (io_pipe(&key->fd, &request.fds[1], &err) == 0) {
		key->watch =
			loop_watch(key->loop, key->fd, LOOP_READ, LOOP_STREAMS, on_output, key);
		key->proc = spawn_tool(spawner, &request, &hooks, &err);
	}
	if (key->proc)
		return;
	close_output(key);
	key->why = mem_printf("model.key_command: %s", err.text);
	loop_defer(key->loop, fail_later, key);
}

/* --- both --- */

struct key *
key_read(struct loop *loop, struct spawner *spawner, const struct config *config,
	const struct key_hooks *hooks)
{
	struct key *key = mem_zero(1, sizeof(*key));

	key->loop = loop;
	key->hooks = *hooks;
	key->fd = -1;
	buf_init(&key->text, KEY_MAX);
	config_model(config, &key->model);
	key->command = key->model.scripted ? NULL : config_key_command(config);
	if (key->command)
		start_command(key, spawner);
	else
		loop_defer(loop, read_variable, key);
	return key;
}

void
key_drop(struct key *key)
{
	if (!key)
		return;
	loop_undefer(key->loop, key);
	if (key->proc)
		proc_drop(key->proc);
	close_output(key);
	if (key->text.data)
		explicit_bzero(key->text.data, key->text.len);
	buf_release(&key->text);
	free(key->why);
	free(key);
}

int
key_check(const struct config *config, struct err *err)
{
	struct config_model model;
	const char *text;

	config_model(config, &model);
	if (!model.key_needed || config_key_command(config))
		return 0;
	text = getenv(model.key_env);
	if (text && text[0])
		return 0;
	return err_set(err, ERR_USAGE,
		"the model %s/%s needs a key: set %s, or model.key_command to a program that "
		"prints it",
		model.provider, model.name, model.key_env);
}
