/*
 * pager.h - foreign text in rows: wrapped, scrolled, searched, with a gutter of the console's own.
 *
 * Rows are never scrolled sideways and nothing is left out.  Each row begins with the gutter.
 *
 * Knows:      canvas, command, coverage, find, text, mem.
 * Unaware of: where the text comes from.
 * Calls back: the hooks of struct pager_look, while drawing.
 */
#ifndef TUI_PAGER_H
#define TUI_PAGER_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/text.h"
#include "tui/canvas.h"
#include "tui/command.h"
#include "tui/coverage.h"
#include "tui/find.h"

struct pager;

struct pager_row {
	size_t line;     /* line of the text, from 0 */
	bool first;      /* the line's first row, else a continuation */
	size_t from, to; /* its source bytes, to exclusive, the line break included */
};

struct pager_look { /* hooks may be NULL */
	int gutter_width, margin_width;
	enum style style; /* of the text without style_at */
	/* Without it the gutter is "│ ", on continued rows "· ". */
	void (*gutter)(
		struct canvas *canvas, struct rect rect, const struct pager_row *row, void *arg);
	void (*margin)(
		struct canvas *canvas, struct rect rect, const struct pager_row *row, void *arg);
	/* Does this line (from 0) need its margin?  One that does not has the columns for its text.
	 * NULL: all do. */
	bool (*has_margin)(size_t line, void *arg);
	enum style (*style_at)(size_t source_at, void *arg);
	/* Restyle this whole row?  STYLE_COUNT: no. */
	enum style (*row_style)(const struct pager_row *row, void *arg);
	void *arg;
};

struct pager *pager_new(enum text_mode mode, const struct pager_look *look);
void pager_free(struct pager *pager); /* NULL is fine */

/* Text is borrowed until the next set; with keep the place stays (text that grew at its end). */
void pager_set(struct pager *pager, struct untrusted text, bool keep);
void pager_set_mode(struct pager *pager, enum text_mode mode);
void pager_switch_mode(struct pager *pager); /* between TEXT_STRICT and TEXT_LINES */
enum text_mode pager_mode(const struct pager *pager);
void pager_follow(struct pager *pager, bool follow); /* stay at the end as text grows */
bool pager_at_end(const struct pager *pager);

bool pager_command(struct pager *pager, enum command command); /* true when it was for it */
/* Would the command move anything? */
bool pager_offers(const struct pager *pager, enum command command);
void pager_show_line(struct pager *pager, size_t line); /* scroll it into view */

/* On from the last match, or from the first row in view, around the ends.  All matches are lit,
 * the one found apart; they stay so until another search or text.  False: none. */
bool pager_search(struct pager *pager, struct find *find);
/* Matches of the search in force; 0 without. */
size_t pager_matches(const struct pager *pager);

/* Other lines have a margin now. */
void pager_wrap_anew(struct pager *pager);

void pager_draw(struct pager *pager, struct canvas *canvas, struct rect rect);

/* Adds to seen the source bytes whose cells the last drawing showed whole. */
void pager_seen(const struct pager *pager, struct coverage *seen);

/* Rows in all and the first row in view, at the width of the last drawing. */
size_t pager_rows(const struct pager *pager);
size_t pager_top(const struct pager *pager);
/* Rows the text takes at a width of cols, gutter and margin included. */
size_t pager_rows_at(struct pager *pager, int cols);

#endif
