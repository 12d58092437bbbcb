#include "config.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/mem.h"
#include "core/record/event.h"
#include "core/record/writer.h"
#include "tests/record/make_record.h"

static void
append_alert(struct record *record, const char *text)
{
	struct event event;
	struct err err = { 0 };

	event_init(&event);
	event_begin(&event, EVENT_ALERT);
	event_str(&event, "text", text);
	assert_int_equal(record_append(record, &event, NULL, &err), 0);
	event_release(&event);
}

static void
an_event_is_one_line_in_its_one_form(void **state)
{
	AUTO_BUF struct buf bytes;
	struct make make;
	int fd = make_file();
	const char *rest;

	(void)state;
	make_open(&make, dup(fd));
	event_begin(&make.event, EVENT_ALERT);
	event_str(&make.event, "text", "\x1b[31m \"\xc3\xa9\"");
	event_int(&make.event, "n", -5);
	event_bool(&make.event, "b", true);
	event_str(&make.event, "none", NULL);
	make_append(&make);
	make_close(&make);
	lseek(fd, 0, SEEK_SET);
	buf_init(&bytes, BUF_UNBOUNDED);
	assert_int_equal(io_read_all(fd, &bytes, NULL), 0);
	close(fd);

	assert_memory_equal(bytes.data, "{\"v\":1,\"seq\":0,\"t\":\"2", 21);
	rest = strstr(bytes.data, ",\"type\"");
	assert_non_null(rest);
	assert_string_equal(rest,
		",\"type\":\"alert\",\"data\":{\"text\":\"\\u001b[31m \\\"\\u00e9\\\"\",\"n\":-5,"
		"\"b\":true,\"none\":null},\"prev\":\"0000000000000000000000000000000000000000"
		"000000000000000000000000\"}\n");
}

static void
a_content_stands_before_its_event_with_text_or_base64(void **state)
{
	AUTO_BUF struct buf bytes;
	struct make make;
	int fd = make_file();

	(void)state;
	make_open(&make, dup(fd));
	event_begin(&make.event, EVENT_OUTPUT);
	make_text(&make, "text", "caf\xc3\xa9\n");
	make_content(&make, "raw", "\xff\x00", 2);
	make_append(&make);
	make_close(&make);
	lseek(fd, 0, SEEK_SET);
	buf_init(&bytes, BUF_UNBOUNDED);
	assert_int_equal(io_read_all(fd, &bytes, NULL), 0);
	close(fd);

	assert_memory_equal(bytes.data, "{\"content\":\"", 12);
	assert_non_null(strstr(bytes.data, ",\"text\":\"caf\\u00e9\\n\"}\n{\"content\":\""));
	assert_non_null(strstr(bytes.data, ",\"base64\":\"/wA=\"}\n{\"v\":1,"));
	assert_non_null(strstr(bytes.data, "\",\"bytes\":2}},\"prev\""));
}

static void
commitments_bind_the_bytes_and_salts_are_not_used_twice(void **state)
{
	struct content first, second;

	(void)state;
	content_make(&first, "abc", 3);
	for (int i = 0; i < 200; i++) {
		content_make(&second, "abc", 3);
		assert_memory_not_equal(first.salt, second.salt, sizeof(first.salt));
	}
	assert_true(content_fits(&first, "abc", 3));
	assert_false(content_fits(&first, "abd", 3));
	first.salt[0] ^= 1;
	assert_false(content_fits(&first, "abc", 3));
}

/* Computed by another program from formats.md alone. */
static void
bind_and_code_are_those_of_the_format(void **state)
{
	struct digest commitment, tool, bind, expected;
	char code[EVENT_CODE_SIZE];

	(void)state;
	memset(&commitment, 0xab, sizeof(commitment));
	memset(&tool, 0x11, sizeof(tool));
	event_bind(MAKE_ID, 7, "payroll.apply_raise", NULL, &commitment, &bind);
	assert_true(digest_parse(
		"ecc13366629ab1493e1e11a3c1fca3ebc94ccf327aa6d6a856830cbf632a9f67", 64, &expected));
	assert_memory_equal(&bind, &expected, sizeof(bind));
	event_code(&bind, code);
	assert_string_equal(code, "M5L7");
	event_bind(MAKE_ID, 7, "payroll.apply_raise", &tool, &commitment, &bind);
	assert_true(digest_parse(
		"afedaeb7af2cdc1d7460aabb8480e617000e962d699fb0ef72bab306c080d75b", 64, &expected));
	assert_memory_equal(&bind, &expected, sizeof(bind));
}

static void
nothing_is_in_the_file_before_it_is_written(void **state)
{
	struct record *record = record_new(make_file(), 0);
	struct err err = { 0 };

	(void)state;
	append_alert(record, "one");
	assert_int_equal(record_written(record), 0);
	assert_int_equal(record_offset(record, 0), -1);
	assert_int_equal(record_write(record, &err), 0);
	assert_true(record_written(record) > 0);
	assert_int_equal(record_offset(record, 0), 0);
	assert_int_equal(record_offset(record, 1), -1);
	record_free(record);
}

/* More events than the index has places, several times over. */
static void
every_event_is_found_at_its_offset(void **state)
{
	enum { EVENTS = 20000 };
	AUTO_FREE off_t *offsets = mem_zero(EVENTS, sizeof(off_t));
	struct err err = { 0 };
	struct make make;
	struct record *record;

	(void)state;
	make_open(&make, make_file());
	record = make.record;
	for (int i = 0; i < EVENTS; i++) {
		offsets[i] = record_written(record);
		event_begin(&make.event, EVENT_OUTPUT);
		if (i % 3 == 0)
			make_text(&make, "text", "v v v");
		make_append(&make);
		assert_int_equal(record_write(record, &err), 0);
	}
	for (int i = 0; i < EVENTS; i += i < 70 || i > EVENTS - 70 ? 1 : 61)
		assert_int_equal(record_offset(record, (uint64_t)i), offsets[i]);
	make_close(&make);
}

static void
assert_poisoned(struct record *record)
{
	struct event event;
	struct err err = { 0 };

	assert_true(record_poisoned(record));
	event_init(&event);
	event_begin(&event, EVENT_ALERT);
	assert_int_equal(record_append(record, &event, NULL, &err), -1);
	assert_int_equal(err.kind, ERR_RECORD);
	event_release(&event);
	err.kind = ERR_NONE;
	assert_int_equal(record_write(record, &err), -1);
	assert_int_equal(err.kind, ERR_RECORD);
	assert_int_equal(record_sync(record, &err), -1);
}

static void
a_full_disk_poisons_the_record(void **state)
{
	int fd = open("/dev/full", O_RDWR | O_CLOEXEC);
	struct record *record = record_new(fd, 0);
	struct err err = { 0 };

	(void)state;
	append_alert(record, "one");
	assert_int_equal(record_write(record, &err), -1);
	assert_int_equal(err.kind, ERR_RECORD);
	assert_non_null(strstr(err.text, "No space left"));
	assert_poisoned(record);
	record_free(record);
}

static void
a_short_write_poisons_the_record_and_is_not_continued(void **state)
{
	struct rlimit before, limit;
	int fd = make_file();
	struct record *record = record_new(dup(fd), 0);
	struct err err = { 0 };

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	limit = (struct rlimit){ 300, before.rlim_max };
	append_alert(record, "one");
	append_alert(record, "two");
	setrlimit(RLIMIT_FSIZE, &limit);
	assert_int_equal(record_write(record, &err), -1);
	setrlimit(RLIMIT_FSIZE, &before);

	assert_int_equal(lseek(fd, 0, SEEK_END), 300);
	assert_poisoned(record);
	assert_int_equal(lseek(fd, 0, SEEK_END), 300);
	record_free(record);
	close(fd);
}

static void
a_failed_sync_poisons_the_record(void **state)
{
	int ends[2];
	struct record *record;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(pipe(ends), 0); /* cannot be synced */
	record = record_new(ends[1], 0);
	append_alert(record, "one");
	assert_int_equal(record_sync(record, &err), -1);
	assert_int_equal(err.kind, ERR_RECORD);
	assert_poisoned(record);
	record_free(record);
	close(ends[0]);
}

static void
a_record_at_its_ceiling_still_takes_its_last_words(void **state)
{
	struct record *record = record_new(make_file(), 2000);
	struct event event;
	struct err err = { 0 };
	int appended = 0;

	(void)state;
	event_init(&event);
	event_begin(&event, EVENT_ALERT);
	event_str(&event, "text", "again");
	while (record_append(record, &event, NULL, &err) == 0)
		appended++;
	assert_int_equal(err.kind, ERR_LIMIT);
	assert_in_range(appended, 4, 10);
	assert_false(record_poisoned(record));
	assert_int_equal(record_next_seq(record), appended);

	record_last_words(record);
	assert_int_equal(record_append(record, &event, NULL, &err), 0);
	assert_int_equal(record_checkpoint(record, &err), 0);
	assert_int_equal(record_sync(record, &err), 0);
	event_release(&event);
	record_free(record);
}

static void
every_name_of_an_event_leads_back_to_it(void **state)
{
	(void)state;
	for (int i = 0; i < EVENT_COUNT; i++)
		assert_int_equal(event_type_of(event_name((enum event_type)i)), i);
	assert_int_equal(event_type_of("call.forgotten"), EVENT_COUNT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_event_is_one_line_in_its_one_form),
		cmocka_unit_test(a_content_stands_before_its_event_with_text_or_base64),
		cmocka_unit_test(commitments_bind_the_bytes_and_salts_are_not_used_twice),
		cmocka_unit_test(bind_and_code_are_those_of_the_format),
		cmocka_unit_test(nothing_is_in_the_file_before_it_is_written),
		cmocka_unit_test(every_event_is_found_at_its_offset),
		cmocka_unit_test(a_full_disk_poisons_the_record),
		cmocka_unit_test(a_short_write_poisons_the_record_and_is_not_continued),
		cmocka_unit_test(a_failed_sync_poisons_the_record),
		cmocka_unit_test(a_record_at_its_ceiling_still_takes_its_last_words),
		cmocka_unit_test(every_name_of_an_event_leads_back_to_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
