/*
 * What a replay of a very long record costs: opening, seeking anywhere, searching, and memory, as
 * ratios to one plain scan for line ends of the same file in the same run.  Times are processor
 * time, which is what passes on a machine that does nothing else.
 *
 *	bench_replay            makes a record of BENCH_EVENTS (1000000) events in TMPDIR, measures
 *	bench_replay FILE       measures this record
 *	bench_replay -o FILE    makes the record and keeps it
 */
#include "config.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/record/writer.h"
#include "core/session/replay.h"
#include "core/session/session.h"
#include "tests/record/make_record.h"

#define SEEKS 300
#define FLUSH_EVENTS 4096

static void
fail(const char *what)
{
	fprintf(stderr, "bench_replay: %s\n", what);
	exit(1);
}

/* --- the record --- */

static void
one_call(struct make *make, unsigned i)
{
	bool asked = i % 50 == 0;
	char args[160], result[420];
	uint64_t call;

	snprintf(args, sizeof(args),
		"{\"name\":\"Employee number %u\",\"amount\":%u,\"comment\":\"a yearly raise as "
		"agreed, reviewed and signed\"}",
		i * 7 % 100003, 1000 + i % 9000);
	snprintf(result, sizeof(result),
		"{\"name\":\"Employee number %u\",\"salary\":%u,\"history\":[61000,64000,70500],"
		"\"team\":\"Engineering\","
		"\"manager\":\"Somebody with rather a long name\",\"notes\":\"%0*u\"}",
		i * 7 % 100003, 60000 + i % 50000, (int)(10 + i % 50), i);
	call = make_request(make, "payroll.apply_raise", args, 8 + (int)(i % 5));
	make_ruled(make, call, asked ? "ask" : "allow", asked ? NULL : "small raises");
	if (asked) {
		make_held(make, call, 300);
		make_presented(make, call);
	}
	make_decided(make, call, "approve", asked ? "person" : "rule", NULL);
	make_call_start(make, call);
	make_call_end(make, call, "ok", result);
	if (i % 10 == 0)
		make_output(make, "stdout", "raised one more, and here is a line about it\n");
}

static void
make_big(int fd, uint64_t events)
{
	struct err err = { 0 };
	struct make make;
	uint64_t written = 0;

	make_open(&make, fd);
	make_start(&make, "big");
	for (unsigned i = 0; record_next_seq(make.record) < events; i++) {
		one_call(&make, i);
		if (record_next_seq(make.record) < written + FLUSH_EVENTS)
			continue;
		written = record_next_seq(make.record);
		if (record_write(make.record, &err) < 0)
			fail(err.text);
	}
	make_end(&make, "ok", 0);
	make_close(&make);
}

/* --- measures --- */

/* Of this process's own work: what others do on the machine does not count. */
static double
work_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* KiB that this process ever had in memory. */
static long
peak_kib(void)
{
	FILE *status = fopen("/proc/self/status", "re");
	char line[256];
	long kib = -1;

	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "VmHWM: %ld", &kib) == 1)
			break;
	if (status)
		fclose(status);
	return kib;
}

static double
scan_ms(const char *path, uint64_t *bytes)
{
	static char chunk[1 << 20];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	double began = work_ms();
	uint64_t lines = 0;
	ssize_t got;

	*bytes = 0;
	while ((got = read(fd, chunk, sizeof(chunk))) > 0) {
		const char *at = chunk, *end = chunk + got;

		while ((at = memchr(at, '\n', (size_t)(end - at)))) {
			lines++;
			at++;
		}
		*bytes += (uint64_t)got;
	}
	close(fd);
	return lines ? work_ms() - began : -1;
}

static int
by_size(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static void
measure_seeks(struct replay *replay, double scan)
{
	double took[SEEKS];
	uint64_t dice = 1, events = replay_events(replay);
	struct err err = { 0 };

	for (int i = 0; i < SEEKS; i++) {
		uint64_t position;
		double began;

		dice = dice * 6364136223846793005u + 1442695040888963407u;
		position = i == 0 ? events : i == 1 ? 0 : (dice >> 20) % (events + 1);
		began = work_ms();
		if (replay_seek(replay, position, &err) < 0)
			fail(err.text);
		took[i] = work_ms() - began;
	}
	qsort(took, SEEKS, sizeof(took[0]), by_size);
	printf("seek: median %.1f ms (%.2f scans), worst of %d %.1f ms (%.2f scans; aim under 100 "
	       "ms)\n",
		took[SEEKS / 2], took[SEEKS / 2] / scan, SEEKS, took[SEEKS - 1],
		took[SEEKS - 1] / scan);
}

static void
measure_frame(struct replay *replay, double scan)
{
	uint64_t at = replay_events(replay) - 1;
	const struct session *session = replay_session(replay);
	struct err err = { 0 };
	double began, first, second;

	if (replay_seek(replay, at, &err) < 0)
		fail(err.text);
	began = work_ms();
	if (!replay_session_at(replay, at, session->call_count, &err))
		fail(err.text);
	first = work_ms() - began;
	if (!replay_session_at(replay, at / 2, 1, &err))
		fail(err.text);
	second = work_ms() - began - first;
	printf("a session of its own for a frame: %.1f ms, the next %.1f ms (%.2f scans)\n", first,
		second, second / scan);
}

static void
measure(const char *path)
{
	struct err err = { 0 };
	uint64_t bytes, index;
	double scan = scan_ms(path, &bytes), began;
	struct replay *replay;

	scan = (scan + scan_ms(path, &bytes)) / 2;
	began = work_ms();
	replay = replay_open(path, &err);
	if (!replay)
		fail(err.text);
	began = work_ms() - began;
	printf("record: %" PRIu64 " events, %.0f MB; a plain scan takes %.0f ms\n",
		replay_events(replay), (double)bytes / 1e6, scan);
	printf("open: %.0f ms (%.1f scans; aim under 2 s)\n", began, began / scan);
	measure_seeks(replay, scan);
	printf("memory at its highest: %.0f MiB (aim under 200)\n", (double)peak_kib() / 1024);
	measure_frame(replay, scan);
	printf("with that: %.0f MiB\n", (double)peak_kib() / 1024);
	began = work_ms();
	(void)!replay_search(replay, "nobody wrote this", 17, 0, false, &index);
	printf("search through all of it: %.0f ms (%.1f scans)\n", work_ms() - began,
		(work_ms() - began) / scan);
	replay_close(replay);
}

/* In a process of its own, whose memory is not counted. */
static void
make_apart(const char *path)
{
	const char *events = getenv("BENCH_EVENTS");
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

		if (fd < 0)
			_exit(1);
		make_big(fd, events ? strtoull(events, NULL, 10) : 1000000);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0)
		fail("the record could not be made");
}

int
main(int argc, char **argv)
{
	const char *folder = getenv("TMPDIR");
	AUTO_FREE char *path = NULL;

	if (argc == 3 && strcmp(argv[1], "-o") == 0) {
		make_apart(argv[2]);
		return 0;
	}
	if (argc == 2) {
		measure(argv[1]);
		return 0;
	}
	path = mem_printf("%s/bench-replay-%d.jsonl", folder ? folder : "/tmp", (int)getpid());
	make_apart(path);
	measure(path);
	unlink(path);
	return 0;
}
