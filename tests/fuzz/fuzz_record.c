/*
 * A record gives the same events, and the same refusal at the same place, in one piece and in many;
 * what it gives folds into a session; and a search behind each bad line comes to an end.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/record/reader.h"
#include "core/record/verify_order.h"
#include "core/session/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void
must(bool held)
{
	if (!held)
		abort();
}

struct outcome {
	uint64_t events, contents, missing, calls, waiting;
	int64_t offset;
	struct digest head;
	struct err err;
};

static void
check_contents(const struct event_view *view, struct outcome *out)
{
	static const char *const keys[] = { "args", "text", "result", "config" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		bool missing;
		size_t len;
		const char *content = event_view_content(view, keys[i], &len, &missing);

		must(!content || (!missing && strnlen(content, len) <= len));
	}
	must(view->missing <= view->references);
	out->contents += view->references;
	out->missing += view->missing;
}

static void
read_all(const char *bytes, size_t len, size_t piece, struct outcome *out)
{
	struct reader *reader = reader_new(READER_CHAIN | READER_LENIENT);
	struct order *order = order_new();
	struct session session;
	struct event_view view;
	int next = 0;

	memset(out, 0, sizeof(*out));
	session_init(&session);
	for (size_t at = 0; at < len && next >= 0; at += piece) {
		must(reader_feed(reader, bytes + at, len - at < piece ? len - at : piece, NULL) ==
			0);
		while ((next = reader_next(reader, &view, &out->err)) > 0) {
			out->events++;
			check_contents(&view, out);
			session_apply(&session, &view);
			(void)!order_event(order, &view, NULL);
		}
	}
	out->offset = reader_offset(reader);
	out->calls = session.call_count;
	out->waiting = session.waiting;
	must((session_first_held(&session) != NULL) == (session.waiting > 0));
	reader_head(reader, &out->head);
	do
		next = reader_next(reader, &view, NULL);
	while (next > 0 || (next < 0 && reader_resync(reader)));
	session_release(&session);
	order_free(order);
	reader_free(reader);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct outcome whole, pieces;

	read_all((const char *)bytes, len, len ? len : 1, &whole);
	read_all((const char *)bytes, len, 5, &pieces);
	must(whole.events == pieces.events && whole.offset == pieces.offset);
	must(whole.contents == pieces.contents && whole.missing == pieces.missing);
	must(whole.calls == pieces.calls && whole.waiting == pieces.waiting);
	must(memcmp(&whole.head, &pieces.head, sizeof(whole.head)) == 0);
	must(strcmp(whole.err.text, pieces.err.text) == 0);
	return 0;
}
