/*
 * view_page.h - a document to read: rows made for the width, scrolled, in strict or text mode.
 *
 * Knows:      view, rows.
 * Unaware of: what the document says: its owner makes it.
 * Calls back: make, while painting.
 */
#ifndef TUI_VIEW_PAGE_H
#define TUI_VIEW_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/text.h"
#include "tui/keymap.h"

struct rows;
struct view;
struct view_scene;

struct view_page_look {
	const char *title; /* our words, copied */
	enum map map;
	bool foreign;        /* holds foreign text: strict and text mode can be switched */
	enum text_mode mode; /* to begin with */
	/* Gives finished rows. */
	struct rows *(*make)(
		const struct view_scene *scene, int cols, enum text_mode mode, const void *about);
	const void *about; /* handed to make: a call's number, a map; copied */
	size_t about_size;
};

struct view *view_page_new(const struct view_page_look *look);

#endif
