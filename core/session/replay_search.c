/*
 * The file goes through a buffer piece by piece, in lower case, each piece with as much of the next
 * one as a needle that begins in the first may reach into.  A needle without line feed never
 * matches over two lines.
 */
#include "config.h"

#include "core/session/replay_search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/session/replay_inside.h"

#define PIECE_BYTES ((size_t)1 << 20)
#define NEEDLE_MAX ((size_t)1 << 16)

struct search {
	int fd;
	char *needle; /* in lower case */
	size_t len;
	char *piece;
};

#define ALL(byte) ((uint64_t)(byte)*0x0101010101010101u)

/* Eight bytes at once: what is added to the lower seven bits of each sets its highest bit from 'A'
 * on, or behind 'Z'. */
static void
to_lower(char *bytes, size_t len)
{
	size_t at = 0;
	uint64_t eight;

	for (; at + sizeof(eight) <= len; at += sizeof(eight)) {
		uint64_t low, upper;

		memcpy(&eight, bytes + at, sizeof(eight));
		low = eight & ALL(0x7F);
		upper = (low + ALL(0x80 - 'A')) ^ (low + ALL(0x7F - 'Z'));
		eight |= (upper & ~eight & ALL(0x80)) >> 2;
		memcpy(bytes + at, &eight, sizeof(eight));
	}
	for (; at < len; at++)
		if (bytes[at] >= 'A' && bytes[at] <= 'Z')
			bytes[at] = (char)(bytes[at] - 'A' + 'a');
}

/* Bytes of the piece at offset; fewer where the file ends. */
static size_t
read_piece(const struct search *search, uint64_t offset, size_t len)
{
	size_t have = 0;

	while (have < len) {
		ssize_t got =
			pread(search->fd, search->piece + have, len - have, (off_t)(offset + have));

		if (got > 0)
			have += (size_t)got;
		else if (got == 0 || errno != EINTR)
			break;
	}
	to_lower(search->piece, have);
	return have;
}

/* The first match that begins in `len` bytes at offset, or the last when back. */
static bool
in_piece(const struct search *search, uint64_t offset, size_t len, uint64_t end, bool back,
	uint64_t *found)
{
	uint64_t reach = end - offset - len;
	size_t more = reach < search->len - 1 ? (size_t)reach : search->len - 1;
	size_t have = read_piece(search, offset, len + more);
	const char *at = search->piece, *last = NULL;

	while ((at = memmem(
			at, have - (size_t)(at - search->piece), search->needle, search->len))) {
		last = at++;
		if (!back)
			break;
	}
	if (last)
		*found = offset + (uint64_t)(last - search->piece);
	return last != NULL;
}

static bool
in_range(const struct search *search, uint64_t begin, uint64_t end, bool back, uint64_t *found)
{
	while (begin < end) {
		size_t len = end - begin < PIECE_BYTES ? (size_t)(end - begin) : PIECE_BYTES;
		uint64_t offset = back ? end - len : begin;

		/* What begins here may end in what was looked at before. */
		if (in_piece(search, offset, len, back ? end + search->len : end, back, found))
			return true;
		if (back)
			end = offset;
		else
			begin += len;
	}
	return false;
}

/* The event whose lines hold this offset. */
static uint64_t
event_at(const struct replay_index *index, uint64_t offset)
{
	size_t low = 0, high = index->event_count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (index->events[middle].offset <= offset)
			low = middle;
		else
			high = middle;
	}
	return low;
}

bool
replay_search_bytes(int fd, const struct replay_index *index, const char *needle, size_t len,
	uint64_t from, bool back, uint64_t *found)
{
	size_t count = index->event_count;
	uint64_t edge = from < count ? index->events[from].offset : index->end;
	AUTO_FREE char *lower = NULL;
	AUTO_FREE char *piece = NULL;
	struct search search = { .fd = fd, .len = len };
	uint64_t offset;

	if (len == 0 || len > NEEDLE_MAX || memchr(needle, '\n', len))
		return false;
	search.needle = lower = mem_copy(needle, len);
	search.piece = piece = mem_grow(NULL, PIECE_BYTES + len, 1);
	to_lower(lower, len);
	if (!in_range(&search, back ? 0 : edge, back ? edge : index->end, back, &offset))
		return false;
	*found = event_at(index, offset);
	return true;
}
