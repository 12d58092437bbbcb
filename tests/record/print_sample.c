/* Prints the sample record, for programs that check it with no code of ours. */
#include "config.h"

#include <stdio.h>
#include <unistd.h>

#include "tests/record/make_record.h"

int
main(void)
{
	char chunk[16384];
	int fd = make_file();
	ssize_t got;
	off_t at = 0;

	make_sample(dup(fd), SAMPLE_ENDED);
	while ((got = pread(fd, chunk, sizeof(chunk), at)) > 0) {
		fwrite(chunk, 1, (size_t)got, stdout);
		at += got;
	}
	close(fd);
	return got < 0;
}
