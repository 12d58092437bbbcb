/*
 * call_words.h - how a call stands, in a glyph, a word and a style.
 *
 * Glyph and word alone tell the states apart: the style only repeats them.
 *
 * Knows:      session, style.
 * Unaware of: where the words are drawn.
 */
#ifndef TUI_CALL_WORDS_H
#define TUI_CALL_WORDS_H

#include "tui/style.h"

struct session_call;

struct call_words {
	const char *glyph; /* one column */
	const char *word;  /* at most 9 columns: "allowed", "denied", "WAITS" */
	enum style style;
};
struct call_words call_words(const struct session_call *call);

/* The word that filters use: as above in lower case. */
const char *call_state_word(const struct session_call *call);
/* Is this one of the words of call_state_word()?  Gives the table's own text, or NULL. */
const char *call_state_known(const char *word);

#endif
