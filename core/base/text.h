/*
 * text.h - foreign text, and the one way it becomes cells.
 *
 * Whatever comes from outside the binary is a struct untrusted.  text_next() turns it into cells
 * that are safe to draw on any terminal: in strict mode U+0020-U+007E as themselves and everything
 * else as an escape; in text mode also assigned letters, digits, punctuation and symbols on whose
 * width utf8proc and wcwidth agree, less the dangerous classes (bidi controls, default-ignorable,
 * format, separators, odd spaces, private use, unassigned, frame characters, right-to-left,
 * compatibility look-alikes, combining marks after the first).  Notation: <U+202E>, <x9B> (a bad
 * byte), <SP x 40> (8 or more equal spaces, <TAB x 9>, <NL x 12> for tabs and blank lines), and
 * <U+000A> followed by a line break.  Spaces at the end of a line or of the text are a token too,
 * however few (TEXT_LINES draws them, and up to 39 that begin a line).  A literal "<U+", "<x" +
 * hex, "<SP x", "<TAB x" or "<NL x" shows its "<" as <U+003C>: two different inputs never make the
 * same cells, attributes ignored.
 *
 * A text is turned into cells as a whole: pieces of one, each begun anew, could join to a forged
 * token.  In a process whose locale is not UTF-8 text mode draws ASCII only.
 *
 * Knows:      utf8proc, utf8, mem, buf.
 * Unaware of: the screen.
 */
#ifndef CORE_BASE_TEXT_H
#define CORE_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

struct untrusted {
	const char *bytes; /* borrowed */
	size_t len;
};

static inline struct untrusted
untrusted(const char *bytes, size_t len)
{
	struct untrusted text = { bytes, len };

	return text;
}
struct untrusted untrusted_str(const char *str); /* NULL is empty */

enum text_mode {
	TEXT_STRICT,
	TEXT_TEXT,
	TEXT_LINES, /* as TEXT_TEXT, but a lone LF is a line break only and a TAB up to 8 spaces:
		     * for program source and output panes, never for what is approved */
};

/* One drawn piece: a character (one base and at most one mark) or one whole escape token. */
struct text_cell {
	char utf8[24];   /* NUL-terminated; ASCII for escapes */
	uint8_t len;     /* bytes of utf8 */
	uint8_t width;   /* columns: 1 or 2 for characters, the length of escapes, to 8 for a TAB of
			  * TEXT_LINES, 0: break only */
	bool escape;     /* to be drawn in the escape style */
	bool line_break; /* the line ends after this cell */
	size_t source_at; /* offset of the first source byte it stands for */
	size_t source_len;
};

struct text_iter {
	struct untrusted text;
	enum text_mode mode;
	size_t at;
	unsigned column; /* internal: of the line, for tabs */
	unsigned spaces; /* internal: of a run that is drawn as it is, still to come */
	bool ascii;      /* internal: no character beyond ASCII is drawn as itself */
};

void text_begin(struct text_iter *iter, struct untrusted text, enum text_mode mode);
bool text_next(struct text_iter *iter, struct text_cell *cell); /* false at the end */

struct text_counts {
	size_t bytes, lines, escapes, non_ascii,
		hidden;     /* hidden: zero-width, bidi, format, ignorable */
	bool mixed_scripts; /* one token of letters mixes Latin, Cyrillic, Greek, Armenian, Cherokee
			     */
};
void text_count(struct untrusted text, enum text_mode mode, struct text_counts *counts);

/* The cells as one UTF-8 text; for output of commands.  Gives memory.  Breaks become LF. */
char *text_escape(struct untrusted text, enum text_mode mode);
void text_escape_to(struct buf *out, struct untrusted text, enum text_mode mode);

/* Seen by nobody: bidi controls, default-ignorable and other format characters. */
bool text_is_hidden(uint32_t code);

bool text_is_utf8(const char *bytes, size_t len);

#endif
