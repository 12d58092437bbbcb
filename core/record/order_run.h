/*
 * order_run.h - what a record's order says beyond single calls: absence, and verdicts on programs.
 *
 * While the person is away nothing is approved by itself and nothing times out.  A program that was
 * refused, or whose edit has not been recorded yet, makes no calls; another attempt follows only on
 * a verdict that asks for it, or on the end of the one before.
 *
 * Knows:      reader, event.
 * Unaware of: the order within a call.
 */
#ifndef CORE_RECORD_ORDER_RUN_H
#define CORE_RECORD_ORDER_RUN_H

#include <stdbool.h>
#include <stdint.h>

struct event_view;

struct order_run { /* zeroed: nothing yet */
	bool away;
	int64_t attempt; /* of the latest program */
	bool ended;      /* it did */
	bool asked;      /* a person says how to go on after it */
	bool closed;     /* its latest verdict lets it make no calls */
};

/* Each gives NULL, or what breaks the order. */
const char *order_run_event(struct order_run *run, const struct event_view *event);
const char *order_run_request(const struct order_run *run, const struct event_view *request);
const char *order_run_decided(const struct order_run *run, const struct event_view *decided);

#endif
