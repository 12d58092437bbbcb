/* The optimal string alignment distance, three rows at a time, in half edits. */
#include "config.h"

#include "core/run/near.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define WORD_MAX 63
#define EDIT 2
#define PREFIX_MIN 4

static unsigned
least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned
change_cost(char a, char b)
{
	if (a == b)
		return 0;
	return tolower((unsigned char)a) == tolower((unsigned char)b) ? 1 : EDIT;
}

static unsigned
distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	unsigned rows[3][WORD_MAX + 1];

	for (size_t j = 0; j <= b_len; j++)
		rows[0][j] = (unsigned)j * EDIT;
	for (size_t i = 1; i <= a_len; i++) {
		unsigned *row = rows[i % 3];
		const unsigned *up = rows[(i + 2) % 3];
		const unsigned *up2 = rows[(i + 1) % 3];

		row[0] = (unsigned)i * EDIT;
		for (size_t j = 1; j <= b_len; j++) {
			row[j] = least(least(up[j] + EDIT, row[j - 1] + EDIT),
				up[j - 1] + change_cost(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], up2[j - 2] + EDIT);
		}
	}
	return rows[a_len % 3][b_len];
}

/* A word that someone left off in the middle of is near enough. */
static bool
begins(const char *name, const char *word, size_t len)
{
	return len >= PREFIX_MIN && strncmp(name, word, len) == 0;
}

const char *
near_name(const char *word, const char *const *names, size_t count)
{
	size_t len = strlen(word);
	unsigned best = (unsigned)len * EDIT / 3 + 1;
	const char *found = NULL;

	if (len > WORD_MAX)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		size_t name_len = strlen(names[i]);
		unsigned far;

		if (name_len > WORD_MAX)
			continue;
		far = begins(names[i], word, len) ? EDIT : distance(word, len, names[i], name_len);
		if (far < best || (far == best && !found)) {
			best = far;
			found = names[i];
		}
	}
	return found;
}
