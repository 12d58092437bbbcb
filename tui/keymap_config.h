/*
 * keymap_config.h - the keys of the configuration, bound.
 *
 * Knows:      keymap, configuration, near.
 * Unaware of: who uses the keymap.
 */
#ifndef TUI_KEYMAP_CONFIG_H
#define TUI_KEYMAP_CONFIG_H

#include "core/base/attr.h"

struct config;
struct err;
struct keymap;

/*
 * First everything that is unbound, then the others in their order, so that a key may be given
 * away and taken.  config may be NULL.  Fails with ERR_USAGE, naming the place, at the first that
 * is unknown or that keymap_bind() refuses.
 */
int keymap_configure(
	struct keymap *keymap, const struct config *config, struct err *err) ATTR_CHECKED;
/* Could they be bound?  On the keys as they come. */
int keymap_check(const struct config *config, struct err *err) ATTR_CHECKED;

#endif
