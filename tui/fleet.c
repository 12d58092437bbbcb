/*
 * A live run has a watch on its record and a trail that is read on when the watch speaks, at most
 * every PACE.  The watch also tells when the writer closed the file; the lock goes a moment later,
 * so liveness is asked after a pause, and once more after a longer one.
 */
#include "config.h"

#include "tui/fleet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/session/session.h"
#include "tui/trail.h"

#define PACE_NS (100 * NS_PER_MS)
#define SECOND_LOOK_NS NS_PER_S
#define BLIND_NS (2 * NS_PER_S) /* between looks where inotify is not to be had */
#define STEPS_PER_TURN 4
#define SUMMARIES_PER_TURN 16

struct member {
	struct fleet_run run;
	struct trail *trail;
	int watch; /* of inotify; -1: none */
	bool attended, behind;
	bool fresh;         /* it began while we looked: no call of it has waited for long */
	uint64_t held_told; /* the highest call that on_held was told of */
	char *fault;
};

struct fleet {
	struct loop *loop;
	struct fleet_hooks hooks;
	struct store *store;
	struct member **members;       /* in order */
	const struct fleet_run **runs; /* the same, for readers */
	size_t count, room;
	uint64_t generation;
	int inotify; /* -1: not to be had */
	int folder;  /* the watch on the run folder */
	struct loop_watch *watch;
	struct loop_timer *pace, *second_look;
	bool opened; /* what there was at first has been looked at */
	bool records, look, reading;
	size_t unread; /* records without a summary yet */
};

static void
changed(struct fleet *fleet)
{
	fleet->generation++;
	if (fleet->hooks.on_change)
		fleet->hooks.on_change(fleet->hooks.arg);
}

/* --- order --- */

size_t
fleet_run_waiting(const struct fleet_run *run)
{
	return run->live && run->session ? run->session->waiting : 0;
}

static int
rank_of(const struct fleet_run *run)
{
	if (!run->live)
		return 2;
	return fleet_run_waiting(run) > 0 ? 0 : 1;
}

/* UTC ns since which the first held call of a run waits. */
static int64_t
waits_since(const struct fleet_run *run)
{
	const struct session_call *call = session_first_held(run->session);

	return run->began + (call ? call->held_mono : 0);
}

static int
by_order(const void *a, const void *b)
{
	const struct member *one = *(struct member *const *)a;
	const struct member *other = *(struct member *const *)b;
	int rank = rank_of(&one->run) - rank_of(&other->run);

	if (rank != 0)
		return rank;
	if (rank_of(&one->run) == 0 && waits_since(&one->run) != waits_since(&other->run))
		return waits_since(&one->run) < waits_since(&other->run) ? -1 : 1;
	if (one->run.began != other->run.began)
		return one->run.began > other->run.began ? -1 : 1;
	return strcmp(one->run.record_path, other->run.record_path);
}

static void
sort(struct fleet *fleet)
{
	if (fleet->count > 0)
		qsort(fleet->members, fleet->count, sizeof(struct member *), by_order);
	for (size_t i = 0; i < fleet->count; i++)
		fleet->runs[i] = &fleet->members[i]->run;
	changed(fleet);
}

/* --- members --- */

static struct member *
member_of(const struct fleet *fleet, const char *record_path)
{
	for (size_t i = 0; i < fleet->count; i++)
		if (strcmp(fleet->members[i]->run.record_path, record_path) == 0)
			return fleet->members[i];
	return NULL;
}

static void
stop_following(struct fleet *fleet, struct member *member)
{
	if (member->watch >= 0)
		(void)inotify_rm_watch(fleet->inotify, member->watch);
	member->watch = -1;
	member->behind = false;
	if (!member->attended)
		member->run.session = NULL;
	trail_free(member->trail);
	member->trail = NULL;
}

static void
member_free(struct fleet *fleet, struct member *member)
{
	stop_following(fleet, member);
	summary_release(&member->run.summary);
	free(member->run.name);
	free(member->run.record_path);
	free(member->fault);
	free(member);
}

static void
read_later(struct fleet *fleet, struct member *member)
{
	member->behind = true;
	loop_timer_in(fleet->pace, PACE_NS);
}

static void
follow(struct fleet *fleet, struct member *member)
{
	struct err err = { 0 };

	if (member->trail || member->fault)
		return;
	/* The watch first: what is written in between is then told. */
	if (fleet->inotify >= 0)
		member->watch = inotify_add_watch(
			fleet->inotify, member->run.record_path, IN_MODIFY | IN_CLOSE_WRITE);
	member->trail = trail_new(member->run.record_path, &err);
	if (!member->trail) {
		member->fault = mem_str(err.text);
		member->run.fault = member->fault;
		return;
	}
	member->run.session = trail_session(member->trail);
	member->behind = true;
}

/* It has ended, or its supervisor has: what is left of it is a record. */
static void
becomes_record(struct fleet *fleet, struct member *member)
{
	member->run.live = false;
	stop_following(fleet, member);
	summary_release(&member->run.summary);
	summary_read(member->run.record_path, &member->run.summary);
	member->run.known = true;
}

static void
add(struct fleet *fleet, const struct store_entry *entry)
{
	struct member *member = mem_zero(1, sizeof(*member));

	if (fleet->count == fleet->room) {
		fleet->room = fleet->room ? 2 * fleet->room : 32;
		fleet->members = mem_grow(fleet->members, fleet->room, sizeof(struct member *));
		fleet->runs = mem_grow(fleet->runs, fleet->room, sizeof(const struct fleet_run *));
	}
	fleet->runs[fleet->count] = &member->run;
	fleet->members[fleet->count++] = member;
	memcpy(member->run.id, entry->id, sizeof(member->run.id));
	member->run.name = mem_str(entry->name);
	member->run.record_path = mem_str(entry->record_path);
	member->run.live = entry->live;
	member->run.began = entry->began;
	member->watch = -1;
	member->fresh = fleet->opened;
	if (entry->live)
		follow(fleet, member);
	else
		fleet->unread++;
}

/* --- reading --- */

static void
tell_held(struct fleet *fleet, struct member *member)
{
	const struct session *session = member->run.session;
	uint64_t newest = 0;

	if (session->waiting == 0)
		return;
	for (size_t i = session->call_count; i-- > 0 && newest == 0;)
		if (session->calls[i].state == CALL_HELD)
			newest = session->calls[i].number;
	if (newest <= member->held_told)
		return;
	member->held_told = newest;
	if ((member->run.known || member->fresh) && fleet->hooks.on_held)
		fleet->hooks.on_held(&member->run, newest, fleet->hooks.arg);
}

/* A record found before its first line was there is known by the part of its id that its file's
 * name holds, and its age is not known. */
static void
take_first_line(struct member *member)
{
	const char *id = member->run.session->id;
	struct summary summary;

	if (!id || strlen(id) >= sizeof(member->run.id) ||
		(strcmp(id, member->run.id) == 0 && member->run.began > 0))
		return;
	memcpy(member->run.id, id, strlen(id) + 1);
	summary_read(member->run.record_path, &summary);
	member->run.began = summary.began;
	summary_release(&summary);
}

/* True when there is more to read at once. */
static bool
read_on(struct fleet *fleet, struct member *member)
{
	struct err err = { 0 };
	int more = 1;

	for (int i = 0; i < STEPS_PER_TURN && more > 0; i++)
		more = trail_step(member->trail, &err);
	if (more < 0) {
		member->fault = mem_str(err.text);
		member->run.fault = member->fault;
	}
	member->behind = more > 0;
	take_first_line(member);
	if (more == 0) {
		tell_held(fleet, member);
		member->run.known = true;
	}
	return more > 0;
}

static void on_read(void *arg);

static void
read_now(struct fleet *fleet)
{
	if (!fleet->reading)
		loop_defer(fleet->loop, on_read, fleet);
	fleet->reading = true;
}

static bool
read_summaries(struct fleet *fleet)
{
	size_t done = 0;

	for (size_t i = 0; i < fleet->count && fleet->unread > 0; i++) {
		struct member *member = fleet->members[i];

		if (member->run.known || member->run.live)
			continue;
		if (done++ == SUMMARIES_PER_TURN)
			return true;
		summary_read(member->run.record_path, &member->run.summary);
		member->run.known = true;
		fleet->unread--;
	}
	return false;
}

static void
on_read(void *arg)
{
	struct fleet *fleet = arg;
	bool more = false;

	fleet->reading = false;
	for (size_t i = 0; i < fleet->count; i++)
		if (fleet->members[i]->behind && fleet->members[i]->trail)
			more |= read_on(fleet, fleet->members[i]);
	more |= fleet->unread > 0 && read_summaries(fleet);
	sort(fleet);
	if (more)
		read_now(fleet);
}

/* --- which there are --- */

static bool
is_known(const char *record_path, void *arg)
{
	return member_of(arg, record_path) != NULL;
}

static void
look_at_live(struct fleet *fleet)
{
	for (size_t i = 0; i < fleet->count; i++) {
		struct member *member = fleet->members[i];

		if (member->run.live && !store_is_live(member->run.record_path))
			becomes_record(fleet, member);
	}
}

static void
look(struct fleet *fleet)
{
	struct store_filter filter = { !fleet->records, is_known, fleet };
	struct store_entry *entries;
	size_t count = store_list_some(fleet->store, &filter, &entries, NULL);

	look_at_live(fleet);
	for (size_t i = 0; i < count; i++)
		add(fleet, &entries[i]);
	store_list_free(entries, count);
	read_now(fleet);
}

static void
on_pace(void *arg)
{
	struct fleet *fleet = arg;

	if (fleet->look)
		look(fleet);
	fleet->look = fleet->inotify < 0;
	if (fleet->look)
		loop_timer_in(fleet->pace, BLIND_NS);
	for (size_t i = 0; fleet->inotify < 0 && i < fleet->count; i++)
		fleet->members[i]->behind = fleet->members[i]->trail != NULL;
	read_now(fleet);
}

static void
on_second_look(void *arg)
{
	look(arg);
}

/* A session begins or ends: what there is, is looked at in a moment. */
static void
look_later(struct fleet *fleet)
{
	fleet->look = true;
	loop_timer_in(fleet->pace, PACE_NS);
	loop_timer_in(fleet->second_look, SECOND_LOOK_NS);
}

static void
take_notice(struct fleet *fleet, const struct inotify_event *event)
{
	if (event->wd == fleet->folder || event->mask & (IN_CLOSE_WRITE | IN_Q_OVERFLOW))
		look_later(fleet);
	for (size_t i = 0; i < fleet->count; i++) {
		struct member *member = fleet->members[i];

		if (member->trail && (member->watch == event->wd || event->mask & IN_Q_OVERFLOW) &&
			!member->behind)
			read_later(fleet, member);
	}
}

static void
on_inotify(int fd, unsigned events, void *arg)
{
	char buffer[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
	ssize_t got = read(fd, buffer, sizeof(buffer));

	(void)events;
	for (ssize_t at = 0; at < got;) {
		const struct inotify_event *event = (const void *)(buffer + at);

		take_notice(arg, event);
		at += (ssize_t)(sizeof(*event) + event->len);
	}
}

/* --- life --- */

static void
watch_folder(struct fleet *fleet)
{
	AUTO_FREE char *path = mem_printf("%s/run", store_path(fleet->store));

	fleet->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (fleet->inotify < 0)
		return;
	fleet->folder = inotify_add_watch(fleet->inotify, path, IN_CREATE | IN_DELETE);
	fleet->watch =
		loop_watch(fleet->loop, fleet->inotify, LOOP_READ, LOOP_STREAMS, on_inotify, fleet);
}

struct fleet *
fleet_new(struct loop *loop, const struct fleet_hooks *hooks, struct err *err)
{
	struct store *store = store_open(err);
	struct fleet *fleet;

	if (!store)
		return NULL;
	fleet = mem_zero(1, sizeof(*fleet));
	fleet->loop = loop;
	fleet->hooks = *hooks;
	fleet->store = store;
	fleet->pace = loop_timer_new(loop, on_pace, fleet);
	fleet->second_look = loop_timer_new(loop, on_second_look, fleet);
	watch_folder(fleet);
	look(fleet);
	fleet->opened = true;
	if (fleet->inotify < 0)
		look_later(fleet);
	return fleet;
}

void
fleet_free(struct fleet *fleet)
{
	if (!fleet)
		return;
	loop_undefer(fleet->loop, fleet);
	while (fleet->count > 0)
		member_free(fleet, fleet->members[--fleet->count]);
	free(fleet->members);
	free(fleet->runs);
	loop_unwatch(fleet->watch);
	if (fleet->inotify >= 0)
		close(fleet->inotify);
	loop_timer_free(fleet->pace);
	loop_timer_free(fleet->second_look);
	store_free(fleet->store);
	free(fleet);
}

struct store *
fleet_store(const struct fleet *fleet)
{
	return fleet->store;
}

void
fleet_want_records(struct fleet *fleet)
{
	if (fleet->records)
		return;
	fleet->records = true;
	look(fleet);
}

/* --- attended --- */

static struct member *
member_by_id(const struct fleet *fleet, const char *id)
{
	for (size_t i = 0; i < fleet->count; i++)
		if (strcmp(fleet->members[i]->run.id, id) == 0)
			return fleet->members[i];
	return NULL;
}

static void
leave(struct fleet *fleet, struct member *member)
{
	member->attended = false;
	member->run.session = NULL;
	if (member->run.live)
		follow(fleet, member);
	else if (!member->run.known)
		becomes_record(fleet, member);
}

void
fleet_attend(struct fleet *fleet, const char *id, const struct session *session)
{
	struct member *member = id ? member_by_id(fleet, id) : NULL;

	for (size_t i = 0; i < fleet->count; i++)
		if (fleet->members[i]->attended)
			leave(fleet, fleet->members[i]);
	look_later(fleet);
	if (member) {
		member->attended = true;
		stop_following(fleet, member);
		member->run.session = session;
		member->run.known = true;
	}
	sort(fleet);
	read_now(fleet);
}

/* --- reading it --- */

const struct fleet_run *const *
fleet_runs(const struct fleet *fleet, size_t *count)
{
	*count = fleet->count;
	return fleet->runs;
}

const struct fleet_run *
fleet_find(const struct fleet *fleet, const char *id)
{
	const struct member *member = member_by_id(fleet, id);

	return member ? &member->run : NULL;
}

bool
fleet_complete(const struct fleet *fleet)
{
	return !fleet->reading && fleet->unread == 0;
}

uint64_t
fleet_generation(const struct fleet *fleet)
{
	return fleet->generation;
}

int64_t
fleet_run_mono(const struct fleet_run *run, int64_t utc)
{
	int64_t now = utc - run->began;

	return run->session && run->session->mono > now ? run->session->mono : now;
}
