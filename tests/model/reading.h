/*
 * reading.h - one stream through a reader, split by a step, and what came of it; for tests.
 *
 * Knows:      wire, cmocka.
 */
#ifndef TESTS_MODEL_READING_H
#define TESTS_MODEL_READING_H

#include <stddef.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/model/wire.h"

struct reading {
	struct wire_reader *reader; /* holds the words of end */
	struct buf text[2];         /* by enum model_part */
	size_t deltas;
	struct model_end end;
};

static inline void
reading_delta(enum model_part part, const char *bytes, size_t len, void *arg)
{
	struct reading *reading = arg;

	assert_true(len > 0 && text_is_utf8(bytes, len));
	buf_put(&reading->text[part], bytes, len);
	reading->deltas++;
}

/* first: bytes of the first piece; step: of each further one. */
static inline void
reading_begin(struct reading *reading, const char *wire, struct wire_limits limits)
{
	struct wire_hooks hooks = { reading_delta, reading };

	*reading = (struct reading){ .deltas = 0 };
	buf_init(&reading->text[MODEL_TEXT], BUF_UNBOUNDED);
	buf_init(&reading->text[MODEL_REASONING], BUF_UNBOUNDED);
	reading->reader = wire_reader_new(wire_find(wire), &limits, &hooks);
}

static inline void
reading_end(struct reading *reading, int status)
{
	wire_end(reading->reader, status, true, &reading->end);
	buf_byte(&reading->text[MODEL_TEXT], '\0');
	buf_byte(&reading->text[MODEL_REASONING], '\0');
}

static inline void
reading_release(struct reading *reading)
{
	wire_reader_free(reading->reader);
	buf_release(&reading->text[MODEL_TEXT]);
	buf_release(&reading->text[MODEL_REASONING]);
}

/* The whole of it: a first piece, then pieces of step bytes. */
static inline void
reading_of(struct reading *reading, const char *wire, const char *bytes, size_t first, size_t step)
{
	struct wire_limits limits = { 100000, 100000 };
	size_t len = strlen(bytes);

	reading_begin(reading, wire, limits);
	(void)wire_feed(reading->reader, bytes, first);
	for (size_t at = first; at < len; at += step)
		(void)wire_feed(reading->reader, bytes + at, len - at < step ? len - at : step);
	reading_end(reading, 200);
}

struct wanted {
	enum model_stop stop;
	const char *text, *reasoning;
	const char *error; /* a part of it; NULL: none */
};

static inline void
reading_check(const struct reading *reading, const struct wanted *wanted, size_t first, size_t step)
{
	const struct model_end *end = &reading->end;

	if (end->stop != wanted->stop)
		fail_msg("pieces of %zu and %zu: stop %s (%s), wanted %s", first, step,
			model_stop_name(end->stop), end->error ? end->error : "-",
			model_stop_name(wanted->stop));
	assert_string_equal(reading->text[MODEL_TEXT].data, wanted->text);
	assert_string_equal(reading->text[MODEL_REASONING].data, wanted->reasoning);
	if (!wanted->error)
		assert_null(end->error);
	else if (!end->error || !strstr(end->error, wanted->error))
		fail_msg("pieces of %zu and %zu: error \"%s\", wanted \"%s\"", first, step,
			end->error ? end->error : "-", wanted->error);
}

/* Split in two at every offset, and into bytes, the same comes of it, in as many deltas. */
static inline void
reads_as(const char *wire, const char *bytes, enum model_stop stop, const char *text,
	const char *error)
{
	struct wanted wanted = { stop, text, "", error };
	size_t len = strlen(bytes), deltas = 0;

	for (size_t first = 0; first <= len + 1; first++) {
		bool singly = first == len + 1;
		struct reading reading;

		reading_of(&reading, wire, bytes, singly ? 0 : first, singly ? 1 : len + 1);
		reading_check(&reading, &wanted, singly ? 0 : first, singly ? 1 : len + 1);
		if (first > 0)
			assert_int_equal(reading.deltas, deltas);
		deltas = reading.deltas;
		reading_release(&reading);
	}
}

/* What the error was about, for a whole body of that status. */
static inline enum wire_fault
fault_of_body(const char *wire, int status, const char *body)
{
	struct wire_limits limits = { 100000, 100000 };
	struct reading reading;
	enum wire_fault fault;

	reading_begin(&reading, wire, limits);
	(void)wire_feed(reading.reader, body, strlen(body));
	reading_end(&reading, status);
	assert_int_equal(reading.end.stop, MODEL_ERROR);
	assert_non_null(reading.end.error);
	fault = wire_reader_fault(reading.reader);
	reading_release(&reading);
	return fault;
}

#endif
