/*
 * The line is a tool's own process speaking: nothing beyond its bytes is believed.
 */
#include "config.h"

#include "core/tools/worker_line.h"

#include <string.h>

#include "core/base/json.h"
#include "core/base/mem.h"

#define DIGITS_MAX 18 /* always fit a uint64_t */

/* The first word if it is this one: what follows it begins at the result. */
static const char *
after_word(const char *at, const char *end, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(end - at) < len || memcmp(at, word, len) != 0)
		return NULL;
	return at + len;
}

static const char *
after_number(const char *at, const char *end, uint64_t *number)
{
	const char *begin = at;

	for (*number = 0; at < end && *at >= '0' && *at <= '9'; at++) {
		if (at - begin == DIGITS_MAX)
			return NULL;
		*number = *number * 10 + (uint64_t)(*at - '0');
	}
	return at > begin && at < end && *at == ' ' ? at + 1 : NULL;
}

bool
worker_line_read(const char *bytes, size_t len, struct worker_line *line)
{
	static const struct {
		const char *word;
		enum worker_kind kind;
		bool numbered;
	} kinds[] = {
		{ "ok ", WORKER_OK, true },
		{ "error ", WORKER_ERROR, true },
		{ "tools ", WORKER_TOOLS, false },
		{ "failed ", WORKER_FAILED, false },
	};
	const char *end = bytes + len, *at;

	*line = (struct worker_line){ 0 };
	at = after_number(bytes, end, &line->number);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const char *from = kinds[i].numbered ? at : bytes;

		line->text = from ? after_word(from, end, kinds[i].word) : NULL;
		if (!line->text)
			continue;
		line->kind = kinds[i].kind;
		line->text_len = (size_t)(end - line->text);
		return true;
	}
	return false;
}

char *
worker_line_words(const struct worker_line *line)
{
	AUTO_JSON struct json *doc = json_read(line->text, line->text_len, NULL);
	const char *words = json_string(json_root(doc), NULL);

	return mem_str(words ? words : "it failed without words");
}
