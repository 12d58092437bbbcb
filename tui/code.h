/*
 * code.h - Python source, coloured: a style for each byte, nothing else.
 *
 * Works on lines with a state between them (triple-quoted strings, brackets), never fails, and
 * never changes what is drawn.
 *
 * Knows:      style, text, mem.
 * Unaware of: the screen.
 * Calls back: is_tool, from code_set().
 */
#ifndef TUI_CODE_H
#define TUI_CODE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/text.h"
#include "tui/style.h"

struct code;

typedef bool (*code_tool_fn)(const char *name, size_t len, void *arg);

struct code *code_new(code_tool_fn is_tool, void *arg); /* is_tool may be NULL */
void code_free(struct code *code);                      /* NULL is fine */

void code_set(struct code *code, struct untrusted source); /* source is not kept */
enum style code_style_at(const struct code *code, size_t source_at);

#endif
