#include "config.h"

#include "core/session/replay_words.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"

#define SLOTS_MIN 256

void
words_init(struct words *words)
{
	memset(words, 0, sizeof(*words));
	words->room = SLOTS_MIN;
	words->slots = mem_zero(words->room, sizeof(*words->slots));
	words->texts = mem_zero(words->room / 2 + 1, sizeof(*words->texts));
	words->count = 1;
}

void
words_release(struct words *words)
{
	for (uint32_t i = 0; i < words->count; i++)
		free(words->texts[i]);
	free(words->texts);
	free(words->slots);
	memset(words, 0, sizeof(*words));
}

uint32_t
words_hash(const char *bytes, size_t len)
{
	static const uint64_t factor = 0x9E3779B97F4A7C15u;
	uint64_t sum = len * factor;
	uint64_t piece;

	for (; len >= sizeof(piece); bytes += sizeof(piece), len -= sizeof(piece)) {
		memcpy(&piece, bytes, sizeof(piece));
		sum = (sum ^ piece) * factor;
		sum ^= sum >> 29;
	}
	piece = 0;
	if (len > 0)
		memcpy(&piece, bytes, len);
	sum = (sum ^ piece) * factor;
	sum ^= sum >> 32;
	return (uint32_t)(sum * factor >> 32);
}

/* The slot of the text, or the free one where it belongs. */
static uint32_t *
slot_of(const struct words *words, const char *bytes, size_t len)
{
	uint32_t at = words_hash(bytes, len) & (words->room - 1);

	for (; words->slots[at]; at = (at + 1) & (words->room - 1)) {
		const char *text = words->texts[words->slots[at]];

		if (strncmp(text, bytes, len) == 0 && text[len] == '\0')
			break;
	}
	return &words->slots[at];
}

static void
grow(struct words *words)
{
	free(words->slots);
	words->room *= 2;
	words->slots = mem_zero(words->room, sizeof(*words->slots));
	words->texts = mem_grow(words->texts, words->room / 2 + 1, sizeof(*words->texts));
	for (uint32_t i = 1; i < words->count; i++)
		*slot_of(words, words->texts[i], strlen(words->texts[i])) = i;
}

uint32_t
words_add(struct words *words, const char *bytes, size_t len)
{
	uint32_t *slot, known;

	if (!bytes)
		return 0;
	slot = slot_of(words, bytes, len);
	known = *slot;
	if (known > 0)
		return known;
	if (words->count > words->room / 2) {
		grow(words);
		slot = slot_of(words, bytes, len);
	}
	words->texts[words->count] = mem_strn(bytes, len);
	*slot = words->count;
	return words->count++;
}
