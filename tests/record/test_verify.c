#include "config.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/mem.h"
#include "core/record/verify.h"
#include "core/record/writer.h"
#include "tests/record/make_record.h"

/* --- records as bytes, and what may happen to them --- */

static void
load(int fd, struct buf *out)
{
	buf_init(out, BUF_UNBOUNDED);
	lseek(fd, 0, SEEK_SET);
	assert_int_equal(io_read_all(fd, out, NULL), 0);
	close(fd);
}

static void
sample(enum make_sample which, struct buf *out)
{
	int fd = make_file();

	make_sample(dup(fd), which);
	load(fd, out);
}

static struct verify_result
verify(const struct buf *bytes, const struct digest *anchor)
{
	struct verify_result result;
	AUTO_CLOSE int fd = make_file();

	assert_int_equal(io_write_all(fd, bytes->data, bytes->len, NULL), 0);
	verify_fd(fd, anchor, &result);
	return result;
}

static char *
must_find(const struct buf *bytes, const char *needle)
{
	char *found = memmem(bytes->data, bytes->len, needle, strlen(needle));

	assert_non_null(found);
	return found;
}

static size_t
line_start(const struct buf *bytes, const char *at)
{
	while (at > bytes->data && at[-1] != '\n')
		at--;
	return (size_t)(at - bytes->data);
}

static size_t
line_end(const struct buf *bytes, const char *at)
{
	return (size_t)((char *)memchr(at, '\n', bytes->len - (size_t)(at - bytes->data)) -
			bytes->data) +
	       1;
}

static void
drop(struct buf *bytes, size_t from, size_t to)
{
	memmove(bytes->data + from, bytes->data + to, bytes->len - to);
	bytes->len -= to - from;
}

/* --- verdicts on bytes --- */

static void
a_whole_record_is_whole(void **state)
{
	AUTO_BUF struct buf bytes;
	struct verify_result result;

	(void)state;
	sample(SAMPLE_ENDED, &bytes);
	result = verify(&bytes, NULL);

	assert_int_equal(result.code, VERIFY_WHOLE);
	assert_int_equal(result.events, 41);
	assert_int_equal(result.contents, 17);
	assert_int_equal(result.undecided, 0);
	assert_false(result.torn);
	assert_non_null(strstr(result.text, "not signed"));
	assert_non_null(strstr(result.text, "2 frames"));
}

static void
a_record_without_an_end_is_not_complete(void **state)
{
	AUTO_BUF struct buf bytes;
	struct verify_result result;

	(void)state;
	sample(SAMPLE_HELD, &bytes);
	result = verify(&bytes, NULL);

	assert_int_equal(result.code, VERIFY_INCOMPLETE);
	assert_int_equal(result.undecided, 1);
	assert_false(result.torn);
}

/* Wherever a crash cuts a record: incomplete, never broken; torn unless between two events. */
static void
every_cut_is_incomplete_and_nothing_worse(void **state)
{
	AUTO_BUF struct buf bytes;
	size_t cut;

	(void)state;
	sample(SAMPLE_ENDED, &bytes);
	for (cut = bytes.len - 1; cut > 0; cut -= cut > 97 ? 97 : cut) {
		struct verify_result result;
		bool at_edge = bytes.data[cut - 1] == '\n' &&
			       bytes.data[line_start(&bytes, bytes.data + cut - 1) + 2] == 'v';

		bytes.len = cut;
		result = verify(&bytes, NULL);
		assert_int_equal(result.code, VERIFY_INCOMPLETE);
		assert_int_equal(result.torn, !at_edge);
	}
}

static void
a_cut_behind_a_content_is_torn(void **state)
{
	AUTO_BUF struct buf bytes;
	struct verify_result result;

	(void)state;
	sample(SAMPLE_ENDED, &bytes);
	bytes.len = line_end(&bytes, must_find(&bytes, "{\"content\""));
	result = verify(&bytes, NULL);

	assert_int_equal(result.code, VERIFY_INCOMPLETE);
	assert_true(result.torn);
	assert_int_equal(result.events, 0);
}

static void
an_empty_file_is_an_incomplete_record(void **state)
{
	AUTO_BUF struct buf bytes;

	(void)state;
	buf_init(&bytes, 16);
	assert_int_equal(verify(&bytes, NULL).code, VERIFY_INCOMPLETE);
}

static void
garbage_behind_the_last_event_is_torn(void **state)
{
	AUTO_BUF struct buf bytes;
	struct verify_result result;

	(void)state;
	sample(SAMPLE_ENDED, &bytes);
	buf_put(&bytes, "\0\0\0\n\0\0", 6);
	result = verify(&bytes, NULL);

	assert_int_equal(result.code, VERIFY_INCOMPLETE);
	assert_true(result.torn);
}

static void
a_changed_byte_in_an_event_breaks_the_chain_behind_it(void **state)
{
	AUTO_BUF struct buf bytes;
	struct verify_result result;

	(void)state;
	sample(SAMPLE_ENDED, &bytes);
	*strstr(must_find(&bytes, "\"verdict\":\"deny\""), "person") = 'x';
	result = verify(&bytes, NULL);

	assert_int_equal(result.code, VERIFY_BROKEN);
	assert_non_null(strstr(result.text, "chain broken"));
	assert_in_range(result.bad_seq, 1, 40);
}

static void
a_changed_byte_in_a_content_is_found(void **state)
{
	AUTO_BUF struct buf bytes;
	struct verify_result result;

	(void)state;
	sample(SAMPLE_ENDED, &bytes);
	*must_find(&bytes, "ask his manager") = 'A';
	result = verify(&bytes, NULL);

	assert_int_equal(result.code, VERIFY_BROKEN);
	assert_non_null(strstr(result.text, "commitment"));
	assert_int_equal(result.bad_offset, line_start(&bytes, must_find(&bytes, "Ask his")));
}

static void
a_line_that_is_no_longer_canonical_is_corrupt_when_others_follow(void **state)
{
	AUTO_BUF struct buf bytes;
	struct verify_result result;

	(void)state;
	sample(SAMPLE_ENDED, &bytes);
	*must_find(&bytes, ",\"mono\"") = ' ';
	result = verify(&bytes, NULL);

	assert_int_equal(result.code, VERIFY_BROKEN);
	assert_non_null(strstr(result.text, "corrupt"));
	assert_false(result.torn);
}

static void
swapped_lines_break_the_chain(void **state)
{
	AUTO_BUF struct buf bytes;
	AUTO_FREE char *one = NULL;
	size_t first, second, end;

	(void)state;
	sample(SAMPLE_ENDED, &bytes);
	first = line_start(&bytes, must_find(&bytes, "\"type\":\"checkpoint\""));
	second = line_end(&bytes, bytes.data + first);
	end = line_end(&bytes, bytes.data + second);
	one = mem_copy(bytes.data + first, second - first);
	memmove(bytes.data + first, bytes.data + second, end - second);
	memcpy(bytes.data + first + (end - second), one, second - first);

	assert_int_equal(verify(&bytes, NULL).code, VERIFY_BROKEN);
}

static void
a_dropped_event_breaks_the_chain(void **state)
{
	AUTO_BUF struct buf bytes;
	const char *at;

	(void)state;
	sample(SAMPLE_ENDED, &bytes);
	at = must_find(&bytes, "\"type\":\"call.start\"");
	drop(&bytes, line_start(&bytes, at), line_end(&bytes, at));

	assert_int_equal(verify(&bytes, NULL).code, VERIFY_BROKEN);
}

static void
the_end_of_another_record_does_not_fit(void **state)
{
	AUTO_BUF struct buf bytes;
	AUTO_BUF struct buf other;
	size_t from;

	(void)state;
	sample(SAMPLE_HELD, &bytes);
	sample(SAMPLE_ENDED, &other);
	from = line_start(&other, must_find(&other, "\"type\":\"program.end\""));
	buf_put(&bytes, other.data + from, other.len - from);

	assert_int_equal(verify(&bytes, NULL).code, VERIFY_BROKEN);
}

static void
a_missing_content_is_a_fault(void **state)
{
	AUTO_BUF struct buf bytes;
	struct verify_result result;
	const char *at;

	(void)state;
	sample(SAMPLE_ENDED, &bytes);
	at = must_find(&bytes, "ask his manager");
	drop(&bytes, line_start(&bytes, at), line_end(&bytes, at));
	result = verify(&bytes, NULL);

	assert_int_equal(result.code, VERIFY_CONTENT);
	assert_non_null(strstr(result.text, "missing"));
}

/* A record whose first call's arguments are gone; `redacted` names another content when asked to.
 */
static void
redacted_record(struct buf *out, bool name_another)
{
	struct make make;
	struct err err = { 0 };
	int fd = make_file();
	char items[128];
	const char *at;

	make_open(&make, dup(fd));
	make_start(&make, "x-1");
	make_request(&make, "payroll.apply_raise", "{\"secret\":1}", 1);
	make_decided(&make, 1, "deny", "rule", "never");
	make_call_end(&make, 1, "denied", NULL);
	make_end(&make, "ok", 0);
	assert_int_equal(record_write(make.record, &err), 0);
	load(dup(fd), out);
	at = must_find(out, "{\\\"secret\\\":1}");
	at = out->data + line_start(out, at);
	snprintf(items, sizeof(items), "[[7,\"%.64s\"]]", at + 12);
	if (name_another)
		items[5] = items[5] == '0' ? '1' : '0';
	event_begin(&make.event, EVENT_REDACTED);
	event_json(&make.event, "items", items, strlen(items));
	make_append(&make);
	assert_int_equal(record_checkpoint(make.record, &err), 0);
	make_close(&make);
	buf_release(out);
	load(fd, out);
	at = must_find(out, "{\\\"secret\\\":1}");
	drop(out, line_start(out, at), line_end(out, at));
}

static void
a_redacted_content_may_be_missing(void **state)
{
	AUTO_BUF struct buf bytes;
	struct verify_result result;

	(void)state;
	redacted_record(&bytes, false);
	result = verify(&bytes, NULL);

	assert_int_equal(result.code, VERIFY_WHOLE);
	assert_int_equal(result.redacted, 1);
	assert_non_null(strstr(result.text, "redacted: 1"));
}

static void
a_redaction_of_one_content_does_not_cover_another(void **state)
{
	AUTO_BUF struct buf bytes;

	(void)state;
	redacted_record(&bytes, true);
	assert_int_equal(verify(&bytes, NULL).code, VERIFY_CONTENT);
}

static void
other_versions_and_other_files_are_of_an_unknown_format(void **state)
{
	AUTO_BUF struct buf bytes;

	(void)state;
	sample(SAMPLE_ENDED, &bytes);
	*(must_find(&bytes, "{\"v\":1,") + 5) = '2';
	assert_int_equal(verify(&bytes, NULL).code, VERIFY_FORMAT);
	buf_clear(&bytes);
	buf_str(&bytes, "# A text\n\nthat is no record.\n");
	assert_int_equal(verify(&bytes, NULL).code, VERIFY_FORMAT);
}

static void
an_anchor_must_be_the_digest_of_an_event(void **state)
{
	AUTO_BUF struct buf bytes;
	struct digest anchor;
	size_t from;

	(void)state;
	sample(SAMPLE_ENDED, &bytes);
	from = line_start(&bytes, must_find(&bytes, "\"type\":\"call.held\""));
	hash_bytes(bytes.data + from, line_end(&bytes, bytes.data + from) - from, &anchor);
	assert_int_equal(verify(&bytes, &anchor).code, VERIFY_WHOLE);
	anchor.bytes[31] ^= 1;
	assert_int_equal(verify(&bytes, &anchor).code, VERIFY_ANCHOR);
}

static void
a_file_that_cannot_be_read_is_an_io_fault(void **state)
{
	struct verify_result result;
	AUTO_CLOSE int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	(void)state;
	verify_fd(fd, NULL, &result);
	assert_int_equal(result.code, VERIFY_IO);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_record_is_whole),
		cmocka_unit_test(a_record_without_an_end_is_not_complete),
		cmocka_unit_test(every_cut_is_incomplete_and_nothing_worse),
		cmocka_unit_test(a_cut_behind_a_content_is_torn),
		cmocka_unit_test(an_empty_file_is_an_incomplete_record),
		cmocka_unit_test(garbage_behind_the_last_event_is_torn),
		cmocka_unit_test(a_changed_byte_in_an_event_breaks_the_chain_behind_it),
		cmocka_unit_test(a_changed_byte_in_a_content_is_found),
		cmocka_unit_test(a_line_that_is_no_longer_canonical_is_corrupt_when_others_follow),
		cmocka_unit_test(swapped_lines_break_the_chain),
		cmocka_unit_test(a_dropped_event_breaks_the_chain),
		cmocka_unit_test(the_end_of_another_record_does_not_fit),
		cmocka_unit_test(a_missing_content_is_a_fault),
		cmocka_unit_test(a_redacted_content_may_be_missing),
		cmocka_unit_test(a_redaction_of_one_content_does_not_cover_another),
		cmocka_unit_test(other_versions_and_other_files_are_of_an_unknown_format),
		cmocka_unit_test(an_anchor_must_be_the_digest_of_an_event),
		cmocka_unit_test(a_file_that_cannot_be_read_is_an_io_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
