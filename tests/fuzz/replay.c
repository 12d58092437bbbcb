/*
 * Runs the seeds of a fuzz target through it, without a fuzzer: fuzz_NAME takes them from
 * tests/fuzz/corpus/NAME, or from the files it is given.  Prints TAP.  A target that finds
 * something aborts; the last line then names the input.
 */
#include "config.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/base/io.h"
#include "core/base/mem.h"

#define SEED_MAX ((size_t)1 << 24)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static int
replay(const char *path)
{
	AUTO_BUF struct buf input;
	struct err err = { 0 };

	printf("# %s\n", path);
	fflush(stdout);
	buf_init(&input, SEED_MAX);
	if (io_read_file(path, &input, &err) < 0) {
		printf("not ok - %s\n", err.text);
		return -1;
	}
	LLVMFuzzerTestOneInput((const uint8_t *)input.data, input.len);
	printf("ok - %s\n", strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
	return 0;
}

static int
is_seed(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static char *
corpus_folder(void)
{
	const char *name = strstr(program_invocation_short_name, "fuzz_");
	const char *source = getenv("TEST_SRCDIR");

	assert(name);
	return mem_printf("%s/tests/fuzz/corpus/%s", source ? source : ".", name + strlen("fuzz_"));
}

static int
replay_folder(const char *folder)
{
	struct dirent **seeds;
	int count = scandir(folder, &seeds, is_seed, alphasort);
	int failed = 0;

	if (count <= 0) {
		printf("1..1\nnot ok 1 - %s holds no seeds\n", folder);
		return 1;
	}
	printf("1..%d\n", count);
	for (int i = 0; i < count; i++) {
		AUTO_FREE char *path = mem_printf("%s/%s", folder, seeds[i]->d_name);

		failed |= replay(path);
		free(seeds[i]);
	}
	free(seeds);
	return failed ? 1 : 0;
}

int
main(int argc, char **argv)
{
	AUTO_FREE char *folder = NULL;
	int failed = 0;

	if (argc < 2) {
		folder = corpus_folder();
		return replay_folder(folder);
	}
	printf("1..%d\n", argc - 1);
	for (int i = 1; i < argc; i++)
		failed |= replay(argv[i]);
	return failed ? 1 : 0;
}
