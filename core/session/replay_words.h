/*
 * replay_words.h - texts that come again and again (names of tools, rules, verdicts), kept once.
 *
 * Knows:      mem.
 * Unaware of: what they name.
 */
#ifndef CORE_SESSION_REPLAY_WORDS_H
#define CORE_SESSION_REPLAY_WORDS_H

#include <stddef.h>
#include <stdint.h>

struct words {
	char **texts; /* texts[0] is NULL: no text */
	uint32_t count;
	uint32_t *slots; /* by hash; 0: free */
	uint32_t room;   /* of slots, a power of two */
};

void words_init(struct words *words);
void words_release(struct words *words);
/* The number of this text, now and ever; 0 for NULL. */
uint32_t words_add(struct words *words, const char *bytes, size_t len);
/* NUL-terminated, at the same place until words_release(); NULL for 0. */
static inline char *
words_text(const struct words *words, uint32_t number)
{
	return words->texts[number];
}

/* A quick hash of bytes; equal bytes have equal ones. */
uint32_t words_hash(const char *bytes, size_t len);

#endif
