#include "config.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/mem.h"
#include "core/record/store.h"
#include "core/record/writer.h"
#include "tests/record/make_record.h"

static char home[64];

static int
make_home(void **state)
{
	(void)state;
	snprintf(home, sizeof(home), "/tmp/store-XXXXXX");
	if (!mkdtemp(home) || setenv("XDG_STATE_HOME", home, 1) < 0)
		return -1;
	return 0;
}

static int
remove_home(void **state)
{
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		execl("/bin/rm", "rm", "-rf", home, (char *)NULL);
		_exit(1);
	}
	return child < 0 || waitpid(child, NULL, 0) < 0 ? -1 : 0;
}

static struct store *
must_open(void)
{
	struct err err = { 0 };
	struct store *store = store_open(&err);

	assert_string_equal(err.text, "");
	assert_non_null(store);
	return store;
}

static struct store_session
must_create(struct store *store, const char *base, const char *path)
{
	struct store_session session;
	struct err err = { 0 };

	if (store_create(store, base, path, &session, &err) < 0)
		fail_msg("%s", err.text);
	return session;
}

/* session.start into a record of the store. */
static void
write_start(const struct store_session *session)
{
	struct make make;

	make_open(&make, dup(session->record_fd));
	event_begin(&make.event, EVENT_SESSION_START);
	event_str(&make.event, "id", session->id);
	event_str(&make.event, "name", session->name);
	make_append(&make);
	make_close(&make);
}

static mode_t
mode_of(const char *path)
{
	struct stat stat_of;

	assert_int_equal(stat(path, &stat_of), 0);
	return stat_of.st_mode & 07777;
}

static void
folders_are_made_for_the_user_alone(void **state)
{
	AUTO_FREE char *records = mem_printf("%s/tollbridge/records", home);
	struct store *store;

	(void)state;
	umask(0);
	store = must_open();
	assert_int_equal(mode_of(store_path(store)), 0700);
	assert_int_equal(mode_of(records), 0700);
	store_free(store);
	umask(022);
}

static void
a_folder_that_others_may_read_is_refused(void **state)
{
	AUTO_FREE char *run = mem_printf("%s/tollbridge/run", home);
	struct err err = { 0 };

	(void)state;
	store_free(must_open());
	chmod(run, 0755);
	assert_null(store_open(&err));
	assert_non_null(strstr(err.text, "chmod 700"));
	assert_non_null(strstr(err.text, "/run"));
	chmod(run, 0700);
}

static void
a_link_in_a_folders_place_is_refused(void **state)
{
	AUTO_FREE char *run = mem_printf("%s/tollbridge/run", home);
	AUTO_FREE char *aside = mem_printf("%s/aside", home);
	struct err err = { 0 };

	(void)state;
	store_free(must_open());
	assert_int_equal(rename(run, aside), 0);
	assert_int_equal(symlink(aside, run), 0);
	assert_null(store_open(&err));
	assert_non_null(strstr(err.text, "link"));
	unlink(run);
	rename(aside, run);
}

static void
a_state_home_that_is_not_absolute_is_ignored(void **state)
{
	AUTO_FREE char *expected = mem_printf("%s/.local/state/tollbridge", home);
	AUTO_FREE char *before = mem_str(getenv("HOME"));
	struct store *store;

	(void)state;
	setenv("XDG_STATE_HOME", "relative", 1);
	setenv("HOME", home, 1);
	store = must_open();
	assert_string_equal(store_path(store), expected);
	store_free(store);
	setenv("XDG_STATE_HOME", home, 1);
	if (before)
		setenv("HOME", before, 1);
}

static void
names_are_cleaned_and_given_once(void **state)
{
	struct store *store = must_open();
	struct store_session one = must_create(store, "Raise  ../Pay!", NULL);
	struct store_session two = must_create(store, "raise-pay", NULL);
	struct store_session odd = must_create(store, "\x1b[31m", NULL);
	struct store_session none = must_create(store, "///", NULL);

	(void)state;
	assert_string_equal(one.name, "raise-pay-1");
	assert_string_equal(two.name, "raise-pay-2");
	assert_string_equal(odd.name, "31m-1");
	assert_string_equal(none.name, "session-1");
	assert_string_not_equal(one.id, two.id);
	assert_int_equal(mode_of(one.record_path), 0600);
	store_session_release(&one);
	store_session_release(&two);
	store_session_release(&odd);
	store_session_release(&none);
	store_free(store);
}

static void
a_session_is_live_as_long_as_its_record_is_locked(void **state)
{
	struct store *store = must_open();
	struct store_session session = must_create(store, "live", NULL);
	struct store_entry entry;
	struct err err = { 0 };

	(void)state;
	write_start(&session);
	assert_int_equal(store_find(store, "live-1", &entry, &err), 0);
	assert_true(entry.live);
	assert_string_equal(entry.id, session.id);
	assert_string_equal(entry.record_path, session.record_path);
	store_entry_release(&entry);
	close(session.record_fd);
	session.record_fd = -1;
	assert_int_equal(store_find(store, session.id, &entry, &err), 0);
	assert_false(entry.live);
	store_entry_release(&entry);
	store_session_release(&session);
	store_free(store);
}

static void
a_session_is_found_by_prefix_when_one_fits(void **state)
{
	struct store *store = must_open();
	struct store_session one = must_create(store, "prefix", NULL);
	struct store_session two = must_create(store, "prefix", NULL);
	struct store_entry entry;
	struct err err = { 0 };
	char word[9];

	(void)state;
	write_start(&one);
	write_start(&two);
	assert_int_equal(store_find(store, "prefix", &entry, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.text, "prefix-2, prefix-1"));
	assert_int_equal(store_find(store, "prefix-2", &entry, &err), 0);
	store_entry_release(&entry);
	snprintf(word, sizeof(word), "%.8s", two.id);
	assert_int_equal(store_find(store, word, &entry, &err), 0);
	assert_string_equal(entry.name, "prefix-2");
	store_entry_release(&entry);
	assert_int_equal(store_find(store, "nothing-9", &entry, &err), -1);
	assert_int_equal(err.kind, ERR_MISSING);
	assert_int_equal(store_find(store, "", &entry, &err), -1);
	assert_int_equal(store_find(store, "./no/such.jsonl", &entry, &err), -1);
	store_session_release(&one);
	store_session_release(&two);
	store_free(store);
}

static void
a_record_elsewhere_is_listed_and_never_overwritten(void **state)
{
	AUTO_FREE char *path = mem_printf("%s/mine.jsonl", home);
	struct store *store = must_open();
	struct store_session session = must_create(store, "elsewhere", path);
	struct store_session again;
	struct store_entry entry;
	struct err err = { 0 };

	(void)state;
	write_start(&session);
	assert_int_equal(store_create(store, "elsewhere", path, &again, &err), -1);
	assert_non_null(strstr(err.text, "never overwritten"));
	assert_int_equal(store_find(store, "elsewhere-1", &entry, &err), 0);
	assert_string_equal(entry.record_path, session.record_path);
	assert_true(entry.live);
	store_entry_release(&entry);
	assert_int_equal(store_find(store, path, &entry, &err), 0);
	assert_string_equal(entry.name, "elsewhere-1");
	store_entry_release(&entry);
	unlink(path);
	assert_int_equal(store_find(store, "elsewhere-1", &entry, &err), -1);
	store_session_release(&session);
	store_free(store);
}

static void
a_list_has_the_newest_first(void **state)
{
	struct store *store = must_open();
	struct store_session one = must_create(store, "order", NULL);
	struct store_session two;
	struct store_entry *entries;
	size_t count, first = 0, second = 0;

	(void)state;
	write_start(&one);
	two = must_create(store, "order", NULL);
	write_start(&two);
	count = store_list(store, &entries, NULL);
	for (size_t i = 0; i < count; i++) {
		if (strcmp(entries[i].id, one.id) == 0)
			first = i;
		if (strcmp(entries[i].id, two.id) == 0)
			second = i;
	}
	assert_true(second < first);
	store_list_free(entries, count);
	store_session_release(&one);
	store_session_release(&two);
	store_free(store);
}

static bool
socket_there(const struct store *store, const char *id)
{
	AUTO_FREE char *path = mem_printf("%s/run/%s.sock", store_path(store), id);

	return access(path, F_OK) == 0;
}

static void
a_dead_sessions_socket_goes_and_a_live_ones_stays(void **state)
{
	struct store *store = must_open();
	struct store_session session = must_create(store, "socket", NULL);
	struct store_entry *entries;
	struct err err = { 0 };
	int fd;
	size_t count;

	(void)state;
	write_start(&session);
	fd = store_listen(store, session.id, &err);
	assert_string_equal(err.text, "");
	count = store_list(store, &entries, NULL);
	store_list_free(entries, count);
	assert_true(socket_there(store, session.id));
	close(fd);
	close(session.record_fd);
	session.record_fd = -1;
	count = store_list(store, &entries, NULL);
	store_list_free(entries, count);
	assert_false(socket_there(store, session.id));
	store_session_release(&session);
	store_free(store);
}

static void
a_socket_is_reached_however_deep_the_home(void **state)
{
	AUTO_FREE char *deep = mem_printf("%s/%080d/%080d", home, 1, 2);
	struct store *store;
	struct err err = { 0 };
	AUTO_CLOSE int listener = -1;
	AUTO_CLOSE int client = -1;
	AUTO_CLOSE int server = -1;
	int pid = 0;

	(void)state;
	setenv("XDG_STATE_HOME", deep, 1);
	store = must_open();
	listener = store_listen(store, MAKE_ID, &err);
	assert_string_equal(err.text, "");
	client = store_connect(store, MAKE_ID, &err);
	assert_string_equal(err.text, "");
	assert_true(client >= 0);
	server = accept(listener, NULL, NULL);
	assert_int_equal(store_check_peer(server, &pid, &err), 0);
	assert_int_equal(pid, getpid());
	store_unlisten(store, MAKE_ID);
	assert_false(socket_there(store, MAKE_ID));
	assert_int_equal(store_connect(store, MAKE_ID, &err), -1);
	assert_int_equal(err.kind, ERR_MISSING);
	assert_int_equal(store_connect(store, "../../etc/x", &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	store_free(store);
	setenv("XDG_STATE_HOME", home, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folders_are_made_for_the_user_alone),
		cmocka_unit_test(a_folder_that_others_may_read_is_refused),
		cmocka_unit_test(a_link_in_a_folders_place_is_refused),
		cmocka_unit_test(a_state_home_that_is_not_absolute_is_ignored),
		cmocka_unit_test(names_are_cleaned_and_given_once),
		cmocka_unit_test(a_session_is_live_as_long_as_its_record_is_locked),
		cmocka_unit_test(a_session_is_found_by_prefix_when_one_fits),
		cmocka_unit_test(a_record_elsewhere_is_listed_and_never_overwritten),
		cmocka_unit_test(a_list_has_the_newest_first),
		cmocka_unit_test(a_dead_sessions_socket_goes_and_a_live_ones_stays),
		cmocka_unit_test(a_socket_is_reached_however_deep_the_home),
	};

	return cmocka_run_group_tests(tests, make_home, remove_home);
}
