/*
 * journal_event.h - between journal.c and journal_call.c: the scratch event.
 *
 * Knows:      journal, record/event.
 * Unaware of: everything else.
 */
#ifndef CORE_RUN_JOURNAL_EVENT_H
#define CORE_RUN_JOURNAL_EVENT_H

#include "core/run/journal.h"

/* The scratch event, begun anew; and its append (errors are kept by the journal). */
struct event *journal_begin(struct journal *journal, enum event_type type);
void journal_append(struct journal *journal);

#endif
