/*
 * arming.h - when a key may say yes: presented, quiet, covered (approval-pane.md, "Arming").
 *
 * A pure state machine: times are handed in (ns of one steady clock), nothing is read or drawn. One
 * machine guards one thing to be approved at a time:
 *
 *   HIDDEN -> PRESENTED   it is to be drawn; a full frame has not left yet
 *          -> QUIET       the frame has left; the keyboard must rest and every byte be painted
 *          -> ARMED       it may be approved; a key pressed again too soon takes it back to QUIET
 *
 * Resize, a new presentation, SIGCONT and a switch of the text mode lead back to PRESENTED.  What
 * was painted stays covered as long as the same thing is presented.
 *
 * Knows:      mem.
 * Unaware of: keys, frames' contents, what is approved.
 */
#ifndef TUI_ARMING_H
#define TUI_ARMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arming;

enum arming_state {
	ARMING_HIDDEN,
	ARMING_PRESENTED,
	ARMING_QUIET,
	ARMING_ARMED,
};

/* Milliseconds; less than the floors of approval-pane.md (500 and 300) is raised to them. */
struct arming *arming_new(int64_t quiet_ms, int64_t rest_ms);
void arming_free(struct arming *arming); /* NULL is fine */
/* Other times from the next presentation on; what the keyboard did and what was decided still
 * count. */
void arming_set_times(struct arming *arming, int64_t quiet_ms, int64_t rest_ms);

/* A new thing with this many bytes that must be painted.  Gives the presentation number, from 1. */
uint64_t arming_open(struct arming *arming, size_t total);
/* The same thing, to be drawn anew.  Gives the new presentation number. */
uint64_t arming_again(struct arming *arming);
/* It was decided here or elsewhere, or left.  decided: the next one is quiet for longer. */
void arming_close(struct arming *arming, bool decided, int64_t now);
/* Never arms while set: too small a terminal, too long arguments, another terminal. */
void arming_block(struct arming *arming, bool blocked);

/* A frame is being painted; then the ranges of source bytes it shows; then it has left. */
void arming_paint(struct arming *arming, uint64_t frame);
void arming_painted(struct arming *arming, size_t from, size_t len);
void arming_frame_left(struct arming *arming, uint64_t frame, int64_t now);

/*
 * One read from the keyboard: call arming_input() for it first, with the number of keys it decoded
 * to (0 for half a sequence, a paste or a reply), then act on the keys.
 */
void arming_input(struct arming *arming, size_t keys, int64_t now);
/* Bytes that were dropped unread (flushed with the frame) are no input. */

/* Was a decision possible just before the latest input, and was that input one key alone? */
bool arming_may_deny(const struct arming *arming);
/* The same, for a key that denies: when it came too early, that is remembered. */
bool arming_deny(struct arming *arming);
/* The key that ends a typed confirmation: all but the rest of the keyboard held just before it. */
bool arming_confirm(struct arming *arming);
/*
 * The key that approves was the latest input.  True: it stands unless another key follows within
 * the burst time; ask arming_settled() after arming_settle_ns().  False: too early (or not at all).
 */
bool arming_approve(struct arming *arming, int64_t now);
int64_t arming_settle_ns(const struct arming *arming, int64_t now);
/* True once: the approval stands. */
bool arming_settled(struct arming *arming, int64_t now);

enum arming_state arming_state(const struct arming *arming, int64_t now);
uint64_t arming_presentation(const struct arming *arming);
size_t arming_covered(const struct arming *arming);
size_t arming_total(const struct arming *arming);
/* How many of these bytes are covered. */
size_t arming_covered_in(const struct arming *arming, size_t from, size_t len);
/* Would a key that denies be taken now? */
bool arming_rested(const struct arming *arming, int64_t now);
/* A key that would have decided was swallowed in this presentation. */
bool arming_too_early(const struct arming *arming);
/* Share of the quiet time that has passed, 0 to 100. */
int arming_progress(const struct arming *arming, int64_t now);
/* ns until quiet can be over by time alone; -1: nothing to wait for. */
int64_t arming_next_ns(const struct arming *arming, int64_t now);
/* ns since the first frame of this thing left (the dwell of a decision). */
int64_t arming_dwell_ns(const struct arming *arming, int64_t now);

#endif
