/*
 * However the guest's bytes are split, the bridge says the same; and no more lines count than there
 * are line ends.  The first byte of the input is the size of the pieces.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/io.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/gate/budget.h"
#include "core/run/bridge.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void
must(bool held)
{
	if (!held)
		abort();
}

static void
on_request(const struct bridge_request *request, void *arg)
{
	buf_printf(arg, "request %llu %zu\n", (unsigned long long)request->id, request->name_len);
}

static void
on_output(bool err, const char *text, size_t len, void *arg)
{
	buf_printf(arg, "output %zu\n", len);
}

static void
on_line(int line, void *arg)
{
	buf_printf(arg, "line %d\n", line);
}

static void
on_end(const char *outcome, int exit_code, const char *error, int line, void *arg)
{
	buf_printf(arg, "end %s %d\n", outcome, exit_code);
}

static void
on_forecast(struct json_value sites, void *arg)
{
	buf_printf(arg, "forecast\n");
}

static void
on_probe(const char *layer, bool proved, const char *detail, void *arg)
{
	buf_printf(arg, "probe\n");
}

static void
on_violation(const char *what, bool last, void *arg)
{
	buf_printf(arg, "violation\n");
}

static void
on_closed(void *arg)
{
}

static int64_t
play(const uint8_t *bytes, size_t len, size_t step, struct buf *log)
{
	struct budget *budget = budget_new(&(struct budget_limits){ 1000, 1000, NULL, 0 });
	struct bridge_limits limits = { .line = 512, .notifications_per_s = 1 << 30 };
	struct bridge_hooks hooks = { on_request, on_probe, on_forecast, on_output, on_line, on_end,
		on_violation, on_closed, log };
	struct loop *loop = loop_new();
	struct bridge *bridge;
	struct budget_counter cap;
	int ours, guest;

	must(io_pair(&ours, &guest, NULL) == 0 && io_nonblocking(ours, NULL) == 0);
	loop_set_now(loop, 1);
	bridge = bridge_new(loop, ours, &limits, &hooks);
	bridge_serve(bridge, budget);
	bridge_load(bridge, "", 0, "p", "[]");
	for (size_t at = 0; at < len; at += step) {
		must(io_write_all(guest, bytes + at, len - at < step ? len - at : step, NULL) == 0);
		loop_turn(loop);
	}
	budget_counter(budget, 0, &cap);
	bridge_free(bridge);
	loop_free(loop);
	budget_free(budget);
	close(ours);
	close(guest);
	return cap.used;
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	AUTO_BUF struct buf whole;
	AUTO_BUF struct buf pieces;
	int64_t counted, lines = 0;

	buf_init(&whole, BUF_UNBOUNDED);
	buf_init(&pieces, BUF_UNBOUNDED);
	if (len < 2 || len > 4096)
		return 0;
	for (size_t i = 1; i < len; i++)
		lines += bytes[i] == '\n';
	counted = play(bytes + 1, len - 1, len, &whole);
	must(counted == play(bytes + 1, len - 1, (size_t)bytes[0] + 1, &pieces));
	must(counted <= lines + 1);
	must(whole.len == pieces.len &&
		(whole.len == 0 || memcmp(whole.data, pieces.data, whole.len) == 0));
	return 0;
}
