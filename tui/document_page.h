/*
 * document_page.h - inside of document: what all parts of one page are about.
 *
 * Knows:      document, rows, json, session.
 * Unaware of: the order of the parts.
 */
#ifndef TUI_DOCUMENT_PAGE_H
#define TUI_DOCUMENT_PAGE_H

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/session/session.h"
#include "tui/rows.h"

struct document;

struct page {
	struct rows *rows;
	enum text_mode mode;
	const struct session *session;
	const struct session_call *call;
	const struct session_tool *tool; /* NULL: unknown */
	const struct session_call *last; /* the last approved call of this tool, or NULL */
	struct json_value args;          /* absent: not readable */
	struct json_value before;        /* arguments of last, or absent */
	struct json_value schema;        /* of the tool's input, or absent */
	size_t escapes, non_ascii;       /* in the fields of the arguments, as they are shown */
};

void page_foreign(struct page *page, enum style style, const char *text);     /* NULL is empty */
void page_warning(struct page *page, const char *fmt, ...) ATTR_PRINTF(2, 3); /* a field */

/* The arguments as typed fields, then what is declared and was not given. */
void page_fields(struct page *page);
/* Warnings about what hides in the arguments, at the head of the page. */
void page_argument_warnings(struct page *page);
/* What an edit changed, when the arguments are not those that were asked. */
void page_edited(struct page *page);
/* Line, loop, and the program around it; warns when the line holds no call of the tool. */
void page_place(struct page *page);
void page_rules(struct page *page);      /* who asks, and which rules came near */
void page_every_rule(struct page *page); /* who asks, and every rule that was tried */
/* What must be known first, and which calls wait too. */
void page_warnings(struct page *page, const struct document *document);

#endif
