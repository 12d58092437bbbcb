/*
 * writer.h - the one place where events become lines of a record.
 *
 * Appends are chained and buffered; record_write() hands them to the file in one write, and
 * record_sync() adds fdatasync.  A failed or short write or a failed sync poisons the record for
 * good: every later call fails with ERR_RECORD and nothing is tried again on that file.
 *
 * Knows:      event, hash, buf, clock.
 * Unaware of: what an event means; who follows the file (readers use the file itself).
 * Calls back: nothing.
 */
#ifndef CORE_RECORD_WRITER_H
#define CORE_RECORD_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/attr.h"
#include "core/base/hash.h"

struct err;
struct event;
struct record;

/*
 * Take over a new, empty, open record file (store_create() made and locked it).  max_bytes: the
 * record's ceiling (0: none); an append beyond it fails with ERR_LIMIT and does not poison, so
 * that the run can be ended in order (exit 7): record_last_words() opens some room past it.
 */
struct record *record_new(int fd /* takes */, int64_t max_bytes);
void record_free(struct record *record); /* NULL is fine; closes, writes nothing */

/* Append an event; *seq (may be NULL) gets its number.  Not yet written. */
int record_append(
	struct record *record, struct event *event, uint64_t *seq, struct err *err) ATTR_CHECKED;
/* Appends from now on may pass max_bytes, by what ending a session in order takes. */
void record_last_words(struct record *record);

int record_write(struct record *record, struct err *err) ATTR_CHECKED;
int record_sync(struct record *record, struct err *err) ATTR_CHECKED;
/* Append a checkpoint event over what stands so far (no signature yet: key and signature null). */
int record_checkpoint(struct record *record, struct err *err) ATTR_CHECKED;
bool record_poisoned(const struct record *record);

/* mono of now: nanoseconds of CLOCK_BOOTTIME since the record began. */
int64_t record_mono(const struct record *record);
int record_fd(const struct record *record);        /* for pread by followers */
off_t record_written(const struct record *record); /* bytes that are in the file */
uint64_t record_next_seq(const struct record *record);
/* File offset where the lines of event seq begin (its contents first); -1: not written yet. */
off_t record_offset(const struct record *record, uint64_t seq);

#endif
