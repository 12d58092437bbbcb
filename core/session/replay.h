/*
 * replay.h - a record as a film: any point of it as a session, by index and not by reading it all.
 *
 * Opening scans the file once and keeps a few bytes for each event (docs/ARCHITECTURE.md).  A
 * position is the number of events that have happened: 0 is before the first, replay_events() after
 * the last.  The session at a position is the fold of those events, but details of calls and output
 * far from it may not be loaded: replay_load() brings a call's in.  Opens nothing but the file;
 * starts nothing.
 *
 * Knows:      record/reader, session, io.
 * Unaware of: the screen, clocks.
 */
#ifndef CORE_SESSION_REPLAY_H
#define CORE_SESSION_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/attr.h"

struct err;
struct replay;
struct session;

/*
 * The file is opened read only.  Gives NULL with ERR_SYSTEM when it cannot be read, ERR_FORMAT for
 * what is no record, ERR_REFUSED for a format version or a kind of file that is not supported (a
 * folder, a pipe, the second file of a session).  Events up to the first bad line are there.
 */
struct replay *replay_open(const char *path, struct err *err) ATTR_CHECKED;
void replay_close(struct replay *replay); /* NULL is fine */

uint64_t replay_events(const struct replay *replay);
bool replay_torn(const struct replay *replay); /* bytes after the last good line */
/* What is to be said of the record's end: a line torn off, a bad line and where, that the session
 * goes on in another file.  NULL: nothing.  Borrowed. */
const char *replay_end_words(const struct replay *replay);
int64_t replay_length(const struct replay *replay); /* mono of the last event, ns */
/* mono of the event at index (0 is the first), ns. */
int64_t replay_mono(const struct replay *replay, uint64_t index);
/* How many events have a mono of at most this: a position. */
uint64_t replay_at_mono(const struct replay *replay, int64_t mono);

/*
 * A record that was being written at opening may have grown: take the new events in.  Gives how
 * many; replay_events(), marks and end words are then of the record as it is now, the position
 * stays, and what was loaded is not any more.
 */
uint64_t replay_refresh(struct replay *replay);

/*
 * Go to a position (one behind the end is the end).  -1: a line that the index passed does not read
 * (err says where); the position is then the last one before it that can be shown.
 */
int replay_seek(struct replay *replay, uint64_t position, struct err *err) ATTR_CHECKED;
uint64_t replay_position(const struct replay *replay);
/*
 * The session at the position; borrowed, changes with every seek, load and refresh.  Held calls
 * (the first 64), calls with an event shortly before and the latest output are loaded; of the other
 * calls there is what a list shows (session_call.loaded), of output before outputs[] the number of
 * chunks and bytes.  All that is counted is right.
 */
const struct session *replay_session(const struct replay *replay);
/*
 * Bring a call's details in (the session's struct of it is filled); for one that was held also
 * those of the calls its page compares it with.  False: there is no such call at this position, all
 * is loaded already, or it does not read (replay_fault() says why).
 */
bool replay_load(struct replay *replay, uint64_t call);
/* Why the latest load failed; NULL: it did not.  Borrowed. */
const char *replay_fault(const struct replay *replay);

/* What stands out in time: decisions and failures. */
enum replay_mark_kind { REPLAY_APPROVED, REPLAY_DENIED, REPLAY_FAILED };
struct replay_mark {
	uint64_t index; /* of its event */
	int64_t mono;
	enum replay_mark_kind kind;
	bool decision; /* a person's, or a reviewer's, a timeout's: what ] and [ go to */
};
size_t replay_marks(const struct replay *replay);
struct replay_mark replay_mark(const struct replay *replay, size_t i); /* in order of index */

/* The next event (its index) at or after from, or before it when back, whose line or contents hold
 * the bytes, as the record spells them (upper and lower case are one in ASCII); false: none. */
bool replay_search(const struct replay *replay, const char *needle, size_t len, uint64_t from,
	bool back, uint64_t *index);

/*
 * The session as a console had it when `seq` was the last event it had seen, for making a recorded
 * frame again; the call given is loaded, and those its page compares it with.  The position stays.
 * Borrowed until this is asked again or the replay is refreshed; NULL: there is no such call then
 * (ERR_MISSING), or a line does not read.
 */
const struct session *replay_session_at(
	struct replay *replay, uint64_t seq, uint64_t call, struct err *err) ATTR_CHECKED;
/*
 * A call alone, in full, as it was when the record ended: how it was decided and what came of it.
 * Cheap, where a whole session is not.  Borrowed until this is asked again; NULL: there is no such
 * call (ERR_MISSING), or it does not read.
 */
const struct session_call *replay_call_at_end(
	struct replay *replay, uint64_t call, struct err *err) ATTR_CHECKED;

#endif
