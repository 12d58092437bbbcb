#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/mem.h"
#include "core/record/reader.h"
#include "tests/record/make_record.h"

static void
sample(struct buf *out)
{
	int fd = make_file();

	make_sample(dup(fd), SAMPLE_ENDED);
	buf_init(out, BUF_UNBOUNDED);
	lseek(fd, 0, SEEK_SET);
	assert_int_equal(io_read_all(fd, out, NULL), 0);
	close(fd);
}

/* What was read, in one text: types, places and all contents. */
struct reading {
	struct buf seen;
	int64_t end;
	struct err err;
};

static void
note_content(struct buf *seen, const struct event_view *view, const char *key)
{
	size_t len;
	const char *bytes = event_view_content(view, key, &len, NULL);

	if (bytes) {
		buf_printf(seen, " %s=", key);
		buf_put(seen, bytes, len);
	}
}

static void
note(struct buf *seen, const struct event_view *view)
{
	buf_printf(seen, "%llu %d @%lld refs %zu missing %zu", (unsigned long long)view->seq,
		(int)view->type, (long long)view->offset, view->references, view->missing);
	note_content(seen, view, "text");
	note_content(seen, view, "args");
	note_content(seen, view, "result");
	buf_byte(seen, '\n');
}

static void
read_in_pieces(const struct buf *bytes, size_t piece, unsigned flags, struct reading *reading)
{
	struct reader *reader = reader_new(flags);
	struct event_view view;
	int next = 0;

	memset(reading, 0, sizeof(*reading));
	buf_init(&reading->seen, BUF_UNBOUNDED);
	for (size_t at = 0; at < bytes->len && next >= 0; at += piece) {
		size_t len = bytes->len - at < piece ? bytes->len - at : piece;

		assert_int_equal(reader_feed(reader, bytes->data + at, len, &reading->err), 0);
		while ((next = reader_next(reader, &view, &reading->err)) > 0)
			note(&reading->seen, &view);
	}
	reading->end = reader_offset(reader);
	reader_free(reader);
}

static void
what_was_written_is_read(void **state)
{
	AUTO_BUF struct buf bytes;
	struct reading reading;

	(void)state;
	sample(&bytes);
	read_in_pieces(&bytes, bytes.len, READER_CHAIN, &reading);

	assert_string_equal(reading.err.text, "");
	assert_int_equal(reading.end, bytes.len);
	assert_non_null(strstr(reading.seen.data, "args={\"name\":\"Bob\",\"amount\":9000}\n"));
	assert_non_null(strstr(reading.seen.data, " text=raised: Ada, Cleo\n"));
	buf_release(&reading.seen);
}

static void
pieces_of_any_size_give_the_same_events(void **state)
{
	static const size_t sizes[] = { 1, 2, 3, 7, 64, 1000, 4096 };
	AUTO_BUF struct buf bytes;
	struct reading whole;

	(void)state;
	sample(&bytes);
	read_in_pieces(&bytes, bytes.len, READER_CHAIN, &whole);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct reading pieces;

		read_in_pieces(&bytes, sizes[i], READER_CHAIN, &pieces);
		assert_string_equal(pieces.seen.data, whole.seen.data);
		assert_int_equal(pieces.end, whole.end);
		buf_release(&pieces.seen);
	}
	buf_release(&whole.seen);
}

/* --- bad lines: one replacement in a good record each --- */

static const struct bad_case {
	const char *was, *is;
	enum err_kind kind;
	const char *says;
} bad_cases[] = {
	{ "{\"v\":1,\"seq\":3,", "{\"v\":2,\"seq\":3,", ERR_REFUSED, "version" },
	{ "{\"v\":1,\"seq\":3,", "{\"v\":1,\"seq\":4,", ERR_MISMATCH, "seq 4" },
	{ "{\"v\":1,\"seq\":3,", "{\"v\":1,\"seq\":03,", ERR_FORMAT, "canonical" },
	{ "{\"v\":1,\"seq\":3,", "{\"v\":1, \"seq\":3,", ERR_FORMAT, "canonical" },
	{ "{\"v\":1,\"seq\":3,", "{\"seq\":3,\"v\":1,", ERR_FORMAT, "canonical" },
	{ "\"type\":\"program\"", "\"type\":\"Program\"", ERR_FORMAT, "canonical" },
	{ "\"verdict\":\"deny\"", "\"verdict\":\"den\\u0079\"", ERR_FORMAT, "canonical" },
	{ "\"verdict\":\"deny\"", "\"verdict\":\"de\\/y\"", ERR_FORMAT, "canonical" },
	{ "\"verdict\":\"deny\"", "\"verdict\":\"de\\u00A9\"", ERR_FORMAT, "canonical" },
	{ "\"verdict\":\"deny\"", "\"verdict\":\"de\\u000a\"", ERR_FORMAT, "canonical" },
	{ "\"verdict\":\"deny\"", "\"verdict\":\"de\\ud800\"", ERR_FORMAT, "canonical" },
	{ "\"verdict\":\"deny\"", "\"verdict\":\"\xc3\xa9\"", ERR_FORMAT, "canonical" },
	{ "\"verdict\":\"deny\"", "\"verdict\":\"\x7f\"", ERR_FORMAT, "canonical" },
	{ "\"verdict\":\"deny\"", "\"verdict\": \"deny\"", ERR_FORMAT, "canonical" },
	{ "\"verdict\":\"deny\"", "\"verdict\":\"deny\"\t", ERR_FORMAT, "canonical" },
	{ "\"verdict\":\"deny\"", "\"bind\":\"twice\"", ERR_FORMAT, "data" },
	{ "\"verdict\":\"deny\"", "\"verdict\":deny", ERR_FORMAT, "data" },
	{ "\"verdict\":\"deny\"", "\"verdict\":\"oops\"", ERR_MISMATCH, "chain broken" },
	{ "{\"$content\":\"", "{\"x\":1,\"$content\":\"", ERR_FORMAT, "reference" },
	{ "{\"$content\":\"", "{\"$content\":\"f", ERR_FORMAT, "reference" },
	{ "\"bytes\":2}", "\"bytes\":3}", ERR_MISMATCH, "number of bytes" },
	{ "\"bytes\":2}", "\"bytes\":2,\"x\":1}", ERR_FORMAT, "reference" },
	{ "\"text\":\"ask his", "\"text\":\"ask Her", ERR_MISMATCH, "commitment" },
	{ "\"text\":\"ask his", "\"text\":\"\\u0061sk his", ERR_FORMAT, "canonical" },
	{ "\"text\":\"ask his manager first\"", "\"base64\":\"YXNr\"", ERR_FORMAT, "canonical" },
	{ "\"text\":\"ask his", "\"what\":\"ask his", ERR_FORMAT, "canonical" },
	{ "{\"content\":\"", "{\"content\":\"g", ERR_FORMAT, "canonical" },
	{ ",\"salt\":\"", ",\"sale\":\"", ERR_FORMAT, "canonical" },
	{ "\"prev\":\"0", "\"prev\":\"1", ERR_MISMATCH, "chain broken" },
	{ "\"}\n{\"v\":1,\"seq\":3,", "\"} \n{\"v\":1,\"seq\":3,", ERR_FORMAT, "canonical" },
	{ "\"type\":\"checkpoint\",\"data\":{", "\"type\":\"checkpoint\",\"data\":[", ERR_FORMAT,
		"canonical" },
};

static void
replace(const struct buf *bytes, const char *was, const char *is, struct buf *out)
{
	char *at = memmem(bytes->data, bytes->len, was, strlen(was));
	size_t before;

	assert_non_null(at);
	before = (size_t)(at - bytes->data);
	buf_init(out, BUF_UNBOUNDED);
	buf_put(out, bytes->data, before);
	buf_str(out, is);
	at += strlen(was);
	buf_put(out, at, bytes->len - before - strlen(was));
}

static void
a_bad_line_is_refused_and_says_where(void **state)
{
	AUTO_BUF struct buf bytes;

	(void)state;
	sample(&bytes);
	for (size_t i = 0; i < ARRAY_SIZE(bad_cases); i++) {
		const struct bad_case *bad = &bad_cases[i];
		AUTO_BUF struct buf changed;
		struct reading reading, pieces;

		replace(&bytes, bad->was, bad->is, &changed);
		read_in_pieces(&changed, changed.len, READER_CHAIN, &reading);
		read_in_pieces(&changed, 1, READER_CHAIN, &pieces);
		if (reading.err.kind != bad->kind || !strstr(reading.err.text, bad->says) ||
			strncmp(reading.err.text, "seq ", 4) != 0)
			fail_msg("%s: %d %s", bad->is, reading.err.kind, reading.err.text);
		assert_string_equal(pieces.err.text, reading.err.text);
		assert_int_equal(pieces.end, reading.end);
		buf_release(&reading.seen);
		buf_release(&pieces.seen);
	}
}

static void
without_content(const struct buf *bytes, const char *text, struct buf *out)
{
	char *at = memmem(bytes->data, bytes->len, text, strlen(text));
	char *end;

	assert_non_null(at);
	end = strchr(at, '\n') + 1;
	while (at > bytes->data && at[-1] != '\n')
		at--;
	buf_init(out, BUF_UNBOUNDED);
	buf_put(out, bytes->data, (size_t)(at - bytes->data));
	buf_put(out, end, bytes->len - (size_t)(end - bytes->data));
}

static void
a_missing_content_is_told_when_that_is_allowed(void **state)
{
	AUTO_BUF struct buf bytes;
	AUTO_BUF struct buf changed;
	struct reading reading;

	(void)state;
	sample(&bytes);
	without_content(&bytes, "ask his manager", &changed);
	read_in_pieces(&changed, 100, READER_CHAIN, &reading);
	assert_int_equal(reading.err.kind, ERR_MISSING);
	buf_release(&reading.seen);
	read_in_pieces(&changed, 100, READER_CHAIN | READER_LENIENT, &reading);
	assert_string_equal(reading.err.text, "");
	assert_non_null(strstr(reading.seen.data, "refs 1 missing 1"));
	buf_release(&reading.seen);
}

/* Each of three tools' definitions is found, with the second one gone. */
static void
contents_behind_a_missing_one_are_not_mixed_up(void **state)
{
	AUTO_BUF struct buf bytes;
	AUTO_BUF struct buf changed;
	struct reader *reader = reader_new(READER_CHAIN | READER_LENIENT);
	struct event_view view;
	struct json_value added;
	bool missing;
	size_t len;

	(void)state;
	sample(&bytes);
	without_content(&bytes, "One employee", &changed);
	assert_int_equal(reader_feed(reader, changed.data, changed.len, NULL), 0);
	assert_int_equal(reader_next(reader, &view, NULL), 1);
	assert_int_equal(reader_next(reader, &view, NULL), 1);
	assert_int_equal(view.type, EVENT_TOOLS);
	added = json_get(view.data, "added");
	assert_non_null(strstr(event_view_content_of(&view,
				       json_get(json_at(added, 0), "definition"), &len, &missing),
		"list_employees"));
	assert_null(event_view_content_of(
		&view, json_get(json_at(added, 1), "definition"), &len, &missing));
	assert_true(missing);
	assert_non_null(strstr(event_view_content_of(&view,
				       json_get(json_at(added, 2), "definition"), &len, &missing),
		"apply_raise"));
	assert_false(missing);
	reader_free(reader);
}

static void
a_content_without_its_event_is_refused(void **state)
{
	AUTO_BUF struct buf bytes;
	AUTO_BUF struct buf changed;
	struct reading reading;
	char *line_end;

	(void)state;
	sample(&bytes);
	line_end = strchr(bytes.data, '\n') + 1;
	buf_init(&changed, BUF_UNBOUNDED);
	buf_put(&changed, bytes.data, (size_t)(line_end - bytes.data));
	buf_put(&changed, bytes.data, bytes.len);
	read_in_pieces(&changed, 100, READER_CHAIN | READER_LENIENT, &reading);

	assert_int_equal(reading.err.kind, ERR_MISMATCH);
	assert_non_null(strstr(reading.err.text, "does not name it"));
	buf_release(&reading.seen);
}

static void
a_stream_may_start_late_and_still_has_no_gaps(void **state)
{
	AUTO_BUF struct buf bytes;
	AUTO_BUF struct buf late;
	struct reading reading;
	char *at;

	(void)state;
	sample(&bytes);
	at = strstr(bytes.data, "{\"v\":1,\"seq\":20,");
	buf_init(&late, BUF_UNBOUNDED);
	buf_put(&late, at, bytes.len - (size_t)(at - bytes.data));
	read_in_pieces(&late, 100, READER_CHAIN | READER_LENIENT, &reading);
	assert_int_equal(reading.err.kind, ERR_MISMATCH);
	buf_release(&reading.seen);
	read_in_pieces(&late, 100, READER_LENIENT, &reading);
	assert_string_equal(reading.err.text, "");
	assert_memory_equal(reading.seen.data, "20 ", 3);
	buf_release(&reading.seen);
}

static void
a_bad_line_stays_bad_until_it_is_dropped(void **state)
{
	AUTO_BUF struct buf bytes;
	AUTO_BUF struct buf changed;
	struct reader *reader = reader_new(READER_CHAIN | READER_LENIENT);
	struct event_view view;
	struct err err = { 0 };
	int64_t at;

	(void)state;
	sample(&bytes);
	replace(&bytes, "{\"v\":1,\"seq\":3,", "{\"v\":1,\"seq\":3;", &changed);
	assert_int_equal(reader_feed(reader, changed.data, changed.len, NULL), 0);
	while (reader_next(reader, &view, NULL) == 1)
		;
	at = reader_offset(reader);
	assert_int_equal(reader_next(reader, &view, &err), -1);
	assert_int_equal(reader_offset(reader), at);
	assert_true(reader_resync(reader));
	assert_int_equal(reader_next(reader, &view, &err), 1);
	assert_int_equal(view.seq, 4);
	reader_free(reader);
}

static void
the_head_is_the_digest_of_the_last_event_line(void **state)
{
	AUTO_BUF struct buf bytes;
	struct reader *reader = reader_new(READER_CHAIN);
	struct event_view view;
	struct digest head, expected;
	char *last;

	(void)state;
	sample(&bytes);
	assert_int_equal(reader_feed(reader, bytes.data, bytes.len, NULL), 0);
	while (reader_next(reader, &view, NULL) == 1)
		;
	reader_head(reader, &head);
	last = memrchr(bytes.data, '\n', bytes.len - 1);
	last++;
	hash_bytes(last, bytes.len - (size_t)(last - bytes.data), &expected);

	assert_memory_equal(&head, &expected, sizeof(head));
	assert_int_equal(reader_pending(reader), 0);
	assert_int_equal(reader_feed(reader, "abc", 3, NULL), 0);
	assert_int_equal(reader_pending(reader), 3);
	reader_free(reader);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_read),
		cmocka_unit_test(pieces_of_any_size_give_the_same_events),
		cmocka_unit_test(a_bad_line_is_refused_and_says_where),
		cmocka_unit_test(a_missing_content_is_told_when_that_is_allowed),
		cmocka_unit_test(contents_behind_a_missing_one_are_not_mixed_up),
		cmocka_unit_test(a_content_without_its_event_is_refused),
		cmocka_unit_test(a_stream_may_start_late_and_still_has_no_gaps),
		cmocka_unit_test(a_bad_line_stays_bad_until_it_is_dropped),
		cmocka_unit_test(the_head_is_the_digest_of_the_last_event_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
