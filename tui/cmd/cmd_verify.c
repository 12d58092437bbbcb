/*
 * tollbridge verify: each file's verdict in one line; the exit code is the highest (formats.md 1).
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/hash.h"
#include "core/base/io.h"
#include "core/base/jsonout.h"
#include "core/base/mem.h"
#include "core/record/store.h"
#include "core/record/verify.h"
#include "tui/cmd/cmd.h"

static void
say_for_people(const char *word, const struct verify_result *result)
{
	cmd_text(stdout, untrusted_str(word), TEXT_TEXT);
	fputs(": ", stdout);
	cmd_text(stdout, untrusted_str(result->text), TEXT_TEXT);
	fputc('\n', stdout);
}

static void
say_as_json(const char *word, const struct verify_result *result)
{
	AUTO_BUF struct buf line;
	struct jsonout out;
	char head[DIGEST_HEX];

	buf_init(&line, BUF_UNBOUNDED);
	jsonout_init(&out, &line);
	digest_hex(&result->head, head);
	jsonout_object(&out);
	jsonout_key_str(&out, "file", word);
	jsonout_key_int(&out, "code", result->code);
	jsonout_key_str(&out, "text", result->text);
	jsonout_key_int(&out, "events", (int64_t)result->events);
	jsonout_key_int(&out, "contents", (int64_t)result->contents);
	jsonout_key_int(&out, "redacted", (int64_t)result->redacted);
	jsonout_key_str(&out, "head", head);
	if (result->code >= VERIFY_BROKEN && result->code <= VERIFY_CONTENT) {
		jsonout_key_int(&out, "bad_seq", (int64_t)result->bad_seq);
		jsonout_key_int(&out, "bad_offset", result->bad_offset);
	}
	jsonout_key_int(&out, "undecided", (int64_t)result->undecided);
	jsonout_key_int(&out, "unknown", (int64_t)result->unknown);
	jsonout_key_bool(&out, "torn", result->torn);
	jsonout_object_end(&out);
	buf_byte(&line, '\n');
	fwrite(line.data, 1, line.len, stdout);
}

/* A file of that name, or else the session of that name.  Gives a descriptor. */
static int
open_record(const char *word, struct verify_result *result)
{
	struct store_entry entry = { .name = NULL };
	struct err err = { 0 };
	struct store *store;
	int fd = open(word, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd >= 0)
		return fd;
	if (errno != ENOENT || strchr(word, '/')) {
		result->code = VERIFY_IO;
		snprintf(result->text, sizeof(result->text), "%s", strerror(errno));
		return -1;
	}
	result->code = VERIFY_USAGE;
	store = store_open(&err);
	if (store && store_find(store, word, &entry, &err) == 0) {
		fd = open(entry.record_path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW);
		if (fd < 0)
			err_sys(&err, errno, "%s", entry.record_path);
	}
	store_entry_release(&entry);
	store_free(store);
	snprintf(result->text, sizeof(result->text), "%s", err.text);
	return fd;
}

static int
verify_one(const char *word, const struct digest *anchor, bool as_json)
{
	struct verify_result result = { .code = VERIFY_IO };
	AUTO_CLOSE int fd = open_record(word, &result);

	if (fd >= 0)
		verify_fd(fd, anchor, &result);
	if (as_json)
		say_as_json(word, &result);
	else
		say_for_people(word, &result);
	return result.code;
}

static int
usage(const struct err *err)
{
	cmd_say("%s", err->text);
	return VERIFY_USAGE;
}

int
cmd_verify(const struct cmd_line *line)
{
	const char *head = cmd_value(line, OPTION_ANCHOR);
	bool as_json = cmd_has(line, OPTION_JSON);
	struct err err = { 0 };
	struct digest anchor;
	int worst = 0;

	if (line->given_count > (size_t)(as_json + (head != NULL)))
		(void)err_set(&err, ERR_USAGE,
			"verify takes --anchor and --json, each once: signatures are not checked "
			"in "
			"this version");
	else if (head && !digest_parse(head, strlen(head), &anchor))
		(void)err_set(&err, ERR_USAGE, "--anchor takes a head: 64 lower-case hex digits");
	if (err.kind != ERR_NONE || cmd_expect_words(line, 1, 0, &err) < 0)
		return usage(&err);
	for (size_t i = 0; i < line->word_count; i++) {
		int code = verify_one(line->words[i], head ? &anchor : NULL, as_json);

		if (code > worst)
			worst = code;
	}
	return worst;
}
