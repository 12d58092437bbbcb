/*
 * plan.c - plans as bytes: numbers and length-prefixed strings in a fixed order.
 *
 * A reader that met anything odd stays bad, and a bad reader yields zeros and NULLs; so the getters
 * read straight through and ask once at the end.  A string's bytes include its NUL, which lets the
 * result point into them.
 */
#include "config.h"

#include "core/sandbox/plan.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/mem.h"

#define LIST_MAX 65536u

struct reader {
	const char *at;
	size_t left;
	bool bad;
};

static void
put_u32(struct buf *buf, uint32_t value)
{
	buf_put(buf, &value, sizeof(value));
}

static void
put_i64(struct buf *buf, int64_t value)
{
	buf_put(buf, &value, sizeof(value));
}

/* NULL is a length of zero: a string that is there has at least its NUL. */
static void
put_str(struct buf *buf, const char *str)
{
	size_t len = str ? strlen(str) + 1 : 0;

	put_u32(buf, (uint32_t)len);
	if (str)
		buf_put(buf, str, len);
}

static void
put_list(struct buf *buf, const char *const *list)
{
	uint32_t count = 0;

	while (list && list[count])
		count++;
	put_u32(buf, count);
	for (uint32_t i = 0; i < count; i++)
		put_str(buf, list[i]);
}

static void
take(struct reader *in, void *out, size_t len)
{
	if (in->bad || len > in->left) {
		in->bad = true;
		memset(out, 0, len);
		return;
	}
	memcpy(out, in->at, len);
	in->at += len;
	in->left -= len;
}

static uint32_t
take_u32(struct reader *in)
{
	uint32_t value;

	take(in, &value, sizeof(value));
	return value;
}

static int64_t
take_i64(struct reader *in)
{
	int64_t value;

	take(in, &value, sizeof(value));
	return value;
}

static const char *
take_str(struct reader *in)
{
	uint32_t len = take_u32(in);
	const char *str = in->at;

	if (len == 0)
		return NULL;
	if (in->bad || len > in->left || memchr(str, '\0', len) != str + len - 1) {
		in->bad = true;
		return NULL;
	}
	in->at += len;
	in->left -= len;
	return str;
}

static const char *
take_needed(struct reader *in)
{
	const char *str = take_str(in);

	if (!str)
		in->bad = true;
	return str;
}

static uint32_t
take_count(struct reader *in)
{
	uint32_t count = take_u32(in);

	if (count > LIST_MAX || count > in->left / sizeof(uint32_t))
		in->bad = true;
	return in->bad ? 0 : count;
}

static const char *const *
take_list(struct reader *in)
{
	uint32_t count = take_count(in);
	const char **list = mem_zero(count + 1, sizeof(*list));

	for (uint32_t i = 0; i < count && !in->bad; i++)
		list[i] = take_needed(in);
	return list;
}

static int
finish(const struct reader *in, struct err *err)
{
	if (in->bad || in->left > 0)
		return err_set(err, ERR_FORMAT, "malformed plan");
	return 0;
}

void
plan_put_tool(struct buf *buf, const struct tool_plan *plan)
{
	put_u32(buf, PLAN_TOOL);
	put_u32(buf, plan->isolate);
	put_list(buf, plan->argv);
	put_list(buf, plan->env);
	put_list(buf, plan->covers);
	put_str(buf, plan->cwd);
	put_str(buf, plan->user);
}

int
plan_get_tool(const char *bytes, size_t len, struct tool_plan *plan, struct err *err)
{
	struct reader in = { .at = bytes, .left = len };
	uint32_t isolate;

	in.bad = take_u32(&in) != PLAN_TOOL;
	isolate = take_u32(&in);
	plan->isolate = isolate != 0;
	plan->argv = take_list(&in);
	plan->env = take_list(&in);
	plan->covers = take_list(&in);
	plan->cwd = take_needed(&in);
	plan->user = take_str(&in);
	if (isolate > 1 || !plan->argv[0])
		in.bad = true;
	return finish(&in, err);
}

void
plan_tool_release(struct tool_plan *plan)
{
	free((void *)plan->argv);
	free((void *)plan->env);
	free((void *)plan->covers);
	plan->argv = plan->env = plan->covers = NULL;
}

void
plan_put_sandbox(struct buf *buf, const struct sandbox_plan *plan)
{
	put_u32(buf, PLAN_SANDBOX);
	put_i64(buf, plan->limits.memory_bytes);
	put_i64(buf, plan->limits.pids);
	put_i64(buf, plan->limits.cpu_s);
	put_i64(buf, plan->limits.cpus);
	put_i64(buf, plan->limits.tmp_bytes);
	put_str(buf, plan->python);
	put_str(buf, plan->runner);
	put_u32(buf, (uint32_t)plan->mount_count);
	for (size_t i = 0; i < plan->mount_count; i++) {
		put_str(buf, plan->mounts[i].from);
		put_str(buf, plan->mounts[i].to);
	}
}

static void
take_limits(struct reader *in, struct sandbox_limits *limits)
{
	limits->memory_bytes = take_i64(in);
	limits->pids = take_i64(in);
	limits->cpu_s = take_i64(in);
	limits->cpus = take_i64(in);
	limits->tmp_bytes = take_i64(in);
	if (limits->memory_bytes <= 0 || limits->pids <= 0 || limits->cpu_s < -1 ||
		limits->cpus <= 0 || limits->tmp_bytes <= 0)
		in->bad = true;
}

int
plan_get_sandbox(const char *bytes, size_t len, struct sandbox_plan *plan, struct err *err)
{
	struct reader in = { .at = bytes, .left = len };
	struct sandbox_mount *mounts;

	in.bad = take_u32(&in) != PLAN_SANDBOX;
	take_limits(&in, &plan->limits);
	plan->python = take_needed(&in);
	plan->runner = take_needed(&in);
	plan->mount_count = take_count(&in);
	mounts = mem_zero(plan->mount_count + 1, sizeof(*mounts));
	for (size_t i = 0; i < plan->mount_count && !in.bad; i++) {
		mounts[i].from = take_needed(&in);
		mounts[i].to = take_needed(&in);
	}
	plan->mounts = mounts;
	return finish(&in, err);
}

void
plan_sandbox_release(struct sandbox_plan *plan)
{
	free((void *)plan->mounts);
	plan->mounts = NULL;
	plan->mount_count = 0;
}
