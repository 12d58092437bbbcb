/*
 * keys.h - raw bytes from a terminal become keys.
 *
 * Any split of the bytes gives the same keys.  Alt with a letter is one key with KEY_ALT, never
 * the letter.  Bracketed paste is reported as paste, never as keys.  Mouse reports, terminal
 * replies, unknown sequences and bytes that are no UTF-8 are swallowed.  A lone ESC is a key only
 * when nothing follows for 50 ms: the caller drives that timer (keys_waiting, keys_expire).
 *
 * Knows:      utf8, mem, buf.
 * Unaware of: what a key does, the terminal, the loop.
 * Calls back: from keys_feed() and keys_expire(); a hook may call keys_reset(), which drops the
 *             rest of the bytes being fed.
 */
#ifndef TUI_KEYS_H
#define TUI_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEYS_ESC_MS 50

enum key_code {
	KEY_NONE,
	KEY_CHAR, /* ch: U+0020 and above, and with KEY_CTRL 'a' to 'z', '@', '[' to '_' */
	KEY_ESC,
	KEY_ENTER,
	KEY_TAB, /* Shift+Tab: with KEY_SHIFT */
	KEY_BACKSPACE,
	KEY_UP,
	KEY_DOWN,
	KEY_LEFT,
	KEY_RIGHT,
	KEY_HOME,
	KEY_END,
	KEY_PAGE_UP,
	KEY_PAGE_DOWN,
	KEY_INSERT,
	KEY_DELETE,
	KEY_F1, /* and so on to KEY_F1 + 11 */
	KEY_F12 = KEY_F1 + 11,
};

enum key_mod {
	KEY_SHIFT = 1,
	KEY_ALT = 2,
	KEY_CTRL = 4,
};

struct key {
	enum key_code code;
	uint32_t ch;   /* for KEY_CHAR, else 0 */
	unsigned mods; /* of enum key_mod */
};

struct keys_hooks {
	void (*on_key)(struct key key, void *arg);
	/* Pieces of what was pasted, as it came; last with the piece (may be empty) that ends it.
	 */
	void (*on_paste)(const char *bytes, size_t len, bool last, void *arg);
	void *arg;
};

struct keys;

struct keys *keys_new(const struct keys_hooks *hooks);
void keys_free(struct keys *keys); /* NULL is fine */

void keys_feed(struct keys *keys, const char *bytes, size_t len);

/* Is half a sequence held?  Then call keys_expire() when KEYS_ESC_MS have passed without a byte. */
bool keys_waiting(const struct keys *keys);
void keys_expire(struct keys *keys);

/*
 * Was the latest keys_feed() one key, one sequence or one reply and nothing beside it?  False too
 * when bytes were swallowed next to it, or when it left something half there.
 */
bool keys_alone(const struct keys *keys);

/* Drop what is half there, paste too. */
void keys_reset(struct keys *keys);
bool keys_in_paste(const struct keys *keys);

bool key_equal(struct key a, struct key b);

/* "y", "Ctrl-C", "Alt-x", "Shift-Tab", "F10", "Space", "PgUp": for help, hints and settings. */
#define KEY_NAME_MAX 32
const char *key_name(struct key key, char out[KEY_NAME_MAX]);
bool key_parse(const char *name, struct key *key); /* the reverse; false when it is no key */

#endif
