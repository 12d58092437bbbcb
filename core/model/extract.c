/*
 * A reply is looked at line by line.  A fence is a line of at least three ` or ~ behind at most
 * three spaces, with a word or none; it ends at a line of at least as many of the same and nothing
 * else, so that a longer fence may hold shorter ones.  <think>...</think> is passed over.  What is
 * no fence is prose, unless the whole reply reads like a program.
 */
#include "config.h"

#include "core/model/extract.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define FENCE_MIN 3
#define INDENT_MAX 3
#define THINK "<think>"
#define THINK_END "</think>"

struct line {
	const char *text;
	size_t len; /* without its end */
};

struct scan {
	const char *text;
	size_t len, at;
};

struct fence {
	char sign;
	size_t count, indent;
	const char *word; /* behind it */
	size_t word_len;
};

struct block {
	struct fence fence;
	size_t at, len; /* of its content */
	bool closed;
};

static bool
next_line(struct scan *scan, struct line *line)
{
	const char *end;

	if (scan->at >= scan->len)
		return false;
	line->text = scan->text + scan->at;
	end = memchr(line->text, '\n', scan->len - scan->at);
	line->len = end ? (size_t)(end - line->text) : scan->len - scan->at;
	scan->at += line->len + (end != NULL);
	if (line->len > 0 && line->text[line->len - 1] == '\r')
		line->len--;
	return true;
}

static bool
is_blank(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!strchr(" \t\r\n", text[i]))
			return false;
	return true;
}

/* Does the line open a fence, or close one of this sign and length (within)? */
static bool
is_fence(const struct line *line, const struct fence *within, struct fence *out)
{
	size_t at = 0, begin;

	while (at < line->len && line->text[at] == ' ')
		at++;
	out->indent = at;
	if (at > INDENT_MAX || at == line->len || !strchr("`~", line->text[at]))
		return false;
	out->sign = line->text[at];
	begin = at;
	while (at < line->len && line->text[at] == out->sign)
		at++;
	out->count = at - begin;
	while (at < line->len && strchr(" \t", line->text[at]))
		at++;
	out->word = line->text + at;
	out->word_len = line->len - at;
	while (out->word_len > 0 && strchr(" \t", out->word[out->word_len - 1]))
		out->word_len--;
	if (out->count < FENCE_MIN)
		return false;
	if (within)
		return out->sign == within->sign && out->count >= within->count &&
		       out->word_len == 0;
	/* ```print(1)``` on one line is no fence. */
	return !memchr(out->word, out->sign, out->word_len);
}

/* Past what a model thought aloud at the beginning; a thought without an end is the whole reply. */
static void
skip_thought(struct scan *scan)
{
	const char *begin = scan->text + scan->at;
	const char *end;
	size_t blank = 0;

	while (scan->at + blank < scan->len && strchr(" \t\r\n", begin[blank]))
		blank++;
	if (scan->len - scan->at - blank < strlen(THINK) ||
		memcmp(begin + blank, THINK, strlen(THINK)) != 0)
		return;
	end = memmem(begin, scan->len - scan->at, THINK_END, strlen(THINK_END));
	scan->at = end ? (size_t)(end - scan->text) + strlen(THINK_END) : scan->len;
}

static bool
next_block(struct scan *scan, struct block *block)
{
	struct line line;
	struct fence end;

	do {
		if (!next_line(scan, &line))
			return false;
	} while (!is_fence(&line, NULL, &block->fence));
	block->at = scan->at;
	block->len = 0;
	block->closed = false;
	while (next_line(scan, &line)) {
		if (is_fence(&line, &block->fence, &end)) {
			block->closed = true;
			return true;
		}
		block->len = scan->at - block->at;
	}
	return true;
}

enum language { PYTHON, UNNAMED, OTHER };

static enum language
language_of(const struct fence *fence)
{
	static const char *const python[] = { "python", "py", "python3", "python3.11",
		"tool_code" };
	size_t len = 0;

	if (fence->word_len == 0)
		return UNNAMED;
	while (len < fence->word_len && !strchr(" \t{:", fence->word[len]))
		len++;
	for (size_t i = 0; i < sizeof(python) / sizeof(python[0]); i++)
		if (strlen(python[i]) == len && strncasecmp(python[i], fence->word, len) == 0)
			return PYTHON;
	return OTHER;
}

static size_t
trim_end(const char *text, size_t at, size_t len)
{
	while (len > 0 && strchr(" \t\r\n", text[at + len - 1]))
		len--;
	return len;
}

static bool
same(const char *text, const struct block *a, const struct block *b)
{
	size_t a_len = trim_end(text, a->at, a->len), b_len = trim_end(text, b->at, b->len);

	return a_len == b_len && memcmp(text + a->at, text + b->at, a_len) == 0;
}

/* {"name": "apply_raise", "arguments": {...}}, bare or in a list: a call in place of a program. */
static bool
is_tool_call(const char *text, size_t len)
{
	static const char *const keys[] = { "\"arguments\"", "\"tool_calls\"", "\"parameters\"",
		"\"input\"", "\"function\"" };
	size_t at = 0;

	while (at < len && strchr(" \t\r\n[", text[at]))
		at++;
	if (at < len && text[at] == '<')
		return len - at > 11 && memcmp(text + at, "<tool_call>", 11) == 0;
	if (at == len || text[at] != '{' ||
		!(memmem(text, len, "\"name\"", 6) || memmem(text, len, "\"tool\"", 6) ||
			memmem(text, len, "\"tool_calls\"", 12)))
		return false;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (memmem(text, len, keys[i], strlen(keys[i])))
			return true;
	return false;
}

/* --- a reply without a fence --- */

static bool
starts(const struct line *line, const char *word)
{
	return line->len >= strlen(word) && memcmp(line->text, word, strlen(word)) == 0;
}

static bool
is_name(char byte)
{
	return isalnum((unsigned char)byte) || strchr("_.[]\"'", byte);
}

/* "total = 0", "print(x)": a name, then an equals sign or a bracket with no space before it. */
static bool
assigns_or_calls(const struct line *line)
{
	size_t at = 0;

	while (at < line->len && is_name(line->text[at]))
		at++;
	if (at == 0)
		return false;
	if (at < line->len && line->text[at] == '(')
		return true;
	while (at < line->len && strchr(" +-*/", line->text[at]))
		at++;
	return at < line->len && line->text[at] == '=';
}

static bool
reads_like_code(const struct line *line)
{
	static const char *const words[] = { "import ", "from ", "def ", "class ", "for ", "while ",
		"if ", "try:", "with ", "@", "#", "\"\"\"", "async ", "return ", "else:", "elif ",
		"except", "finally:", ")", "]", "}" };

	if (line->len > 0 && strchr(" \t", line->text[0]))
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (starts(line, words[i]))
			return !isalpha((unsigned char)words[i][0]) ||
			       memchr(line->text, ':', line->len) || starts(line, "import ") ||
			       (starts(line, "from ") &&
				       memmem(line->text, line->len, " import ", 8));
	return assigns_or_calls(line);
}

/* Every line that begins a statement must read like one: prose with one code line is prose. */
static bool
is_bare_program(const char *text, size_t at, size_t len)
{
	struct scan scan = { text, at + len, at };
	struct line line;
	bool any = false, quoted = false;

	while (next_line(&scan, &line)) {
		bool quotes = memmem(line.text, line.len, "\"\"\"", 3) != NULL;

		if (is_blank(line.text, line.len))
			continue;
		any = any || line.text[0] != '#';
		if (!quoted && !reads_like_code(&line))
			return false;
		if (quotes && !(line.len >= 6 && memmem(line.text + 3, line.len - 3, "\"\"\"", 3)))
			quoted = !quoted;
	}
	return any;
}

static void
bare(const struct scan *scan, struct extract *out)
{
	size_t at = scan->at;

	while (at < scan->len && strchr("\r\n", scan->text[at]))
		at++;
	if (is_blank(scan->text + at, scan->len - at))
		out->rule = EXTRACT_EMPTY;
	else if (is_tool_call(scan->text + at, scan->len - at))
		out->rule = EXTRACT_TOOL_CALL;
	else if (!is_bare_program(scan->text, at, scan->len - at))
		out->rule = EXTRACT_NONE;
	else
		*out = (struct extract){ EXTRACT_PROGRAM, at, scan->len - at };
}

/* --- fences --- */

struct found {
	struct block chosen;
	size_t python, unnamed, other; /* closed blocks of each kind */
	bool differ, open, empty, tool_call;
};

/* A marked block counts before an unmarked one; two of a kind must be equal. */
static void
take(struct found *found, const char *text, const struct block *block)
{
	enum language language = language_of(&block->fence);
	size_t *count = language == PYTHON    ? &found->python
			: language == UNNAMED ? &found->unnamed
					      : &found->other;

	if (!block->closed) {
		found->open = found->open || language != OTHER;
		return;
	}
	if (is_tool_call(text + block->at, block->len)) {
		found->tool_call = true;
		return;
	}
	if (language == OTHER) {
		found->other++;
		return;
	}
	if (is_blank(text + block->at, block->len)) {
		found->empty = true;
		return;
	}
	if (language == UNNAMED && found->python > 0)
		return;
	if (*count > 0 && !same(text, &found->chosen, block))
		found->differ = true;
	if (language == PYTHON && found->python == 0)
		found->differ = false;
	if (*count == 0)
		found->chosen = *block;
	(*count)++;
}

static enum extract_rule
rule_of(const struct found *found)
{
	/* A program that may be cut is none, whatever stands before it. */
	if (found->open)
		return EXTRACT_OPEN;
	if (found->differ)
		return EXTRACT_SEVERAL;
	if (found->python + found->unnamed > 0)
		return EXTRACT_PROGRAM;
	if (found->tool_call)
		return EXTRACT_TOOL_CALL;
	return found->empty ? EXTRACT_EMPTY : EXTRACT_LANGUAGE;
}

void
extract_program(struct untrusted reply, struct extract *out)
{
	struct scan scan = { reply.bytes ? reply.bytes : "", reply.len, 0 }, blocks;
	struct found found = { .differ = false };
	struct block block;
	bool fenced = false;

	*out = (struct extract){ EXTRACT_NONE, 0, 0 };
	skip_thought(&scan);
	blocks = scan;
	while (next_block(&blocks, &block)) {
		take(&found, scan.text, &block);
		fenced = true;
	}
	if (fenced)
		out->rule = rule_of(&found);
	else
		bare(&scan, out);
	if (fenced && out->rule == EXTRACT_PROGRAM)
		*out = (struct extract){ EXTRACT_PROGRAM, found.chosen.at, found.chosen.len };
	if (out->len > 0 && memchr(scan.text + out->at, '\0', out->len))
		*out = (struct extract){ EXTRACT_CONTROL, 0, 0 };
}

void
extract_preview(struct untrusted reply, struct extract *out)
{
	struct scan scan = { reply.bytes ? reply.bytes : "", reply.len, 0 }, blocks;
	struct block block, unmarked = { .len = 0 };

	*out = (struct extract){ EXTRACT_NONE, 0, 0 };
	skip_thought(&scan);
	blocks = scan;
	while (next_block(&blocks, &block)) {
		enum language language = language_of(&block.fence);

		if (language == PYTHON) {
			*out = (struct extract){ EXTRACT_PROGRAM, block.at, block.len };
			return;
		}
		if (language == UNNAMED && unmarked.len == 0)
			unmarked = block;
	}
	if (unmarked.len > 0)
		*out = (struct extract){ EXTRACT_PROGRAM, unmarked.at, unmarked.len };
}

const char *
extract_words(enum extract_rule rule)
{
	static const char *const words[] = {
		[EXTRACT_PROGRAM] = "the reply holds one program",
		[EXTRACT_NONE] = "the reply holds no program: one Python program in one "
				 "```python fence is wanted",
		[EXTRACT_EMPTY] = "the reply is empty, or its fence is: one Python program in one "
				  "```python fence is wanted",
		[EXTRACT_OPEN] = "the fence of the program is not closed, so the program may be "
				 "cut: it must end with a line of ```",
		[EXTRACT_SEVERAL] = "the reply holds several programs that differ: exactly one in "
				    "one ```python fence is wanted",
		[EXTRACT_TOOL_CALL] = "the reply is a tool call as JSON: the tools are Python "
				      "functions, to be called from one program in one ```python "
				      "fence",
		[EXTRACT_LANGUAGE] = "the only fence of the reply is marked as another language: "
				     "one Python program in one ```python fence is wanted",
		[EXTRACT_CONTROL] = "the program holds NUL bytes, which no Python source has",
	};

	return words[rule];
}
