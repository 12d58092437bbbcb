/*
 * keys.c - a state machine over bytes, so that any split of them gives the same keys.
 *
 * After ESC everything up to the end of a sequence is taken; what is not known is dropped whole.
 * OSC, DCS, APC, PM and SOS strings (replies) end with ST or BEL.  Invariant: no byte between an
 * ESC and the end of its sequence is ever a key by itself.
 */
#include "config.h"

#include "tui/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/utf8.h"

#define ESC 0x1B
#define PARAMS_MAX 32    /* longer control sequences are none of ours */
#define STRING_MAX 65536 /* a reply without an end is given up here */

enum state {
	STATE_GROUND,
	STATE_UTF8,       /* a character begun: held */
	STATE_ESC,        /* ESC */
	STATE_ESC_UTF8,   /* ESC and a character begun: held */
	STATE_CSI,        /* ESC [ and params */
	STATE_SS3,        /* ESC O */
	STATE_LINUX_F,    /* ESC [ [ : function keys of the Linux console */
	STATE_STRING,     /* ESC ] P _ ^ X ... */
	STATE_STRING_ESC, /* ... ESC, perhaps of its ST */
	STATE_MOUSE,      /* ESC [ M and three bytes */
	STATE_PASTE,      /* between the brackets; held: a piece of the closing one */
};

struct keys {
	struct keys_hooks hooks;
	enum state state;
	char held[PARAMS_MAX + 1];
	size_t held_len;
	size_t left; /* bytes of the character or report to come; of a string, those seen */
	bool overlong;
	unsigned resets; /* tells a hook's reset apart */
	size_t pieces;   /* ended in the latest keys_feed(): keys, sequences, stray bytes */
};

static const char paste_end[] = "\033[201~";
#define PASTE_END_LEN (sizeof(paste_end) - 1)

struct keys *
keys_new(const struct keys_hooks *hooks)
{
	struct keys *keys = mem_zero(1, sizeof(*keys));

	keys->hooks = *hooks;
	return keys;
}

void
keys_free(struct keys *keys)
{
	free(keys);
}

static void
go(struct keys *keys, enum state state)
{
	keys->state = state;
	keys->held_len = 0;
	keys->left = 0;
	keys->overlong = false;
}

void
keys_reset(struct keys *keys)
{
	go(keys, STATE_GROUND);
	keys->resets++;
}

bool
keys_waiting(const struct keys *keys)
{
	return keys->state != STATE_GROUND && keys->state != STATE_PASTE;
}

bool
keys_alone(const struct keys *keys)
{
	return keys->pieces == 1 && keys->state == STATE_GROUND;
}

bool
keys_in_paste(const struct keys *keys)
{
	return keys->state == STATE_PASTE;
}

static void
emit(struct keys *keys, enum key_code code, uint32_t ch, unsigned mods)
{
	struct key key = { code, code == KEY_CHAR ? ch : 0, mods };

	if (code != KEY_NONE && keys->hooks.on_key)
		keys->hooks.on_key(key, keys->hooks.arg);
}

static void
emit_paste(struct keys *keys, const char *bytes, size_t len, bool last)
{
	if ((len > 0 || last) && keys->hooks.on_paste)
		keys->hooks.on_paste(bytes, len, last, keys->hooks.arg);
}

void
keys_expire(struct keys *keys)
{
	bool lone = keys->state == STATE_ESC;

	if (!keys_waiting(keys))
		return;
	go(keys, STATE_GROUND);
	if (lone)
		emit(keys, KEY_ESC, 0, 0);
}

/* One byte that is a key as it stands, with Alt when ESC came before it. */
static void
single(struct keys *keys, unsigned char byte, unsigned mods)
{
	if (byte == '\r' || byte == '\n')
		emit(keys, KEY_ENTER, 0, mods);
	else if (byte == '\t')
		emit(keys, KEY_TAB, 0, mods);
	else if (byte == 0x7F || byte == '\b')
		emit(keys, KEY_BACKSPACE, 0, mods);
	else if (byte == 0)
		emit(keys, KEY_CHAR, '@', mods | KEY_CTRL);
	else if (byte <= 26)
		emit(keys, KEY_CHAR, byte + 'a' - 1u, mods | KEY_CTRL);
	else if (byte < ' ')
		emit(keys, KEY_CHAR, byte + '@', mods | KEY_CTRL);
	else
		emit(keys, KEY_CHAR, byte, mods);
}

static size_t
utf8_more(unsigned char byte)
{
	return byte >= 0xC2 && byte < 0xE0   ? 1
	       : byte >= 0xE0 && byte < 0xF0 ? 2
	       : byte >= 0xF0 && byte < 0xF5 ? 3
					     : 0;
}

static void
begin_utf8(struct keys *keys, unsigned char byte, enum state state)
{
	size_t more = utf8_more(byte);

	go(keys, more ? state : STATE_GROUND);
	keys->held[keys->held_len++] = (char)byte;
	keys->left = more;
}

static void ground(struct keys *keys, unsigned char byte);

static void
in_utf8(struct keys *keys, unsigned char byte)
{
	unsigned mods = keys->state == STATE_ESC_UTF8 ? KEY_ALT : 0;
	uint32_t code;
	bool whole;

	if ((byte & 0xC0) != 0x80) {
		/* Cut short: it was no character.  Behind an ESC this byte is still no key of its
		 * own, unless it begins something else. */
		go(keys, STATE_GROUND);
		keys->pieces++;
		if (mods == 0 || byte == ESC)
			ground(keys, byte);
		return;
	}
	keys->held[keys->held_len++] = (char)byte;
	if (--keys->left > 0)
		return;
	whole = utf8_decode(keys->held, keys->held_len, &code) == keys->held_len;
	go(keys, STATE_GROUND);
	if (whole && code >= 0xA0)
		emit(keys, KEY_CHAR, code, mods);
}

static void
ground(struct keys *keys, unsigned char byte)
{
	if (byte == ESC)
		go(keys, STATE_ESC);
	else if (byte < 0x80)
		single(keys, byte, 0);
	else
		begin_utf8(keys, byte, STATE_UTF8);
}

static void
after_esc(struct keys *keys, unsigned char byte)
{
	switch (byte) {
	case '[':
		go(keys, STATE_CSI);
		break;
	case 'O':
		go(keys, STATE_SS3);
		break;
	case ']':
	case 'P':
	case '_':
	case '^':
	case 'X':
		go(keys, STATE_STRING);
		break;
	case ESC:
		/* Twice ESC: the first was a key; the second may begin a sequence. */
		keys->pieces++;
		emit(keys, KEY_ESC, 0, 0);
		break;
	default:
		if (byte < 0x80) {
			go(keys, STATE_GROUND);
			single(keys, byte, KEY_ALT);
		} else {
			begin_utf8(keys, byte, STATE_ESC_UTF8);
		}
	}
}

/* "1;5" -> 5 and the like: parameter i of a control sequence, or otherwise. */
static unsigned
param(const char *params, unsigned i, unsigned otherwise)
{
	unsigned value = 0;
	bool any = false;

	for (; *params; params++) {
		if (*params == ';') {
			if (i == 0)
				break;
			i--;
		} else if (i == 0) {
			if (*params < '0' || *params > '9')
				return 0;
			value = value * 10 + (unsigned)(*params - '0');
			any = true;
			if (value > 9999)
				return 0;
		}
	}
	return i == 0 && any ? value : otherwise;
}

/* xterm: 1 and a bit each for Shift, Alt, Ctrl, Meta. */
static unsigned
modifiers(const char *params)
{
	unsigned bits = param(params, 1, 1) - 1;

	return ((bits & 1) ? KEY_SHIFT : 0) | ((bits & 10) ? KEY_ALT : 0) |
	       ((bits & 4) ? KEY_CTRL : 0);
}

static enum key_code
letter_code(unsigned char final)
{
	switch (final) {
	case 'A':
		return KEY_UP;
	case 'B':
		return KEY_DOWN;
	case 'C':
		return KEY_RIGHT;
	case 'D':
		return KEY_LEFT;
	case 'H':
		return KEY_HOME;
	case 'F':
		return KEY_END;
	case 'P':
	case 'Q':
	case 'R':
	case 'S':
		return KEY_F1 + (final - 'P');
	default:
		return KEY_NONE;
	}
}

static enum key_code
tilde_code(unsigned number)
{
	static const uint8_t codes[] = {
		[1] = KEY_HOME,
		[2] = KEY_INSERT,
		[3] = KEY_DELETE,
		[4] = KEY_END,
		[5] = KEY_PAGE_UP,
		[6] = KEY_PAGE_DOWN,
		[7] = KEY_HOME,
		[8] = KEY_END,
		[11] = KEY_F1,
		[12] = KEY_F1 + 1,
		[13] = KEY_F1 + 2,
		[14] = KEY_F1 + 3,
		[15] = KEY_F1 + 4,
		[17] = KEY_F1 + 5,
		[18] = KEY_F1 + 6,
		[19] = KEY_F1 + 7,
		[20] = KEY_F1 + 8,
		[21] = KEY_F1 + 9,
		[23] = KEY_F1 + 10,
		[24] = KEY_F12,
	};

	return number < ARRAY_SIZE(codes) ? codes[number] : KEY_NONE;
}

/* Does the sequence carry one of "<=>?" or an intermediate byte?  Then it is a report. */
static bool
is_report(const char *params)
{
	return params[strspn(params, "0123456789;")] != '\0';
}

static void
end_csi(struct keys *keys, unsigned char final)
{
	char params[PARAMS_MAX + 1];
	unsigned number;

	snprintf(params, sizeof(params), "%.*s", (int)keys->held_len, keys->held);
	number = param(params, 0, 0);
	if (keys->overlong || is_report(params)) {
		go(keys, STATE_GROUND);
	} else if (final == 'M') {
		/* Old mouse reports have no parameters, urxvt's have three and end here. */
		go(keys, params[0] ? STATE_GROUND : STATE_MOUSE);
		keys->left = 3;
	} else if (final == '~' && number == 200) {
		go(keys, STATE_PASTE);
	} else {
		go(keys, STATE_GROUND);
		if (final == 'Z')
			emit(keys, KEY_TAB, 0, KEY_SHIFT);
		else if (final == '~')
			emit(keys, tilde_code(number), 0, modifiers(params));
		else if (final != 'R') /* more often where the cursor is than F3 */
			emit(keys, letter_code(final), 0, modifiers(params));
	}
}

static void
in_csi(struct keys *keys, unsigned char byte)
{
	if (byte == ESC) {
		go(keys, STATE_ESC);
	} else if (byte == '[' && keys->held_len == 0) {
		go(keys, STATE_LINUX_F);
	} else if (byte >= 0x20 && byte < 0x40) {
		if (keys->held_len < PARAMS_MAX)
			keys->held[keys->held_len++] = (char)byte;
		else
			keys->overlong = true;
	} else if (byte >= 0x40 && byte < 0x7F) {
		end_csi(keys, byte);
	} else if (byte < 0x20 || byte > 0x7F) {
		go(keys, STATE_GROUND);
	}
}

static void
in_ss3(struct keys *keys, unsigned char byte)
{
	if (byte >= '0' && byte <= '9') /* ESC O 5 P: modified keys of some terminals */
		return;
	go(keys, byte == ESC ? STATE_ESC : STATE_GROUND);
	if (byte == 'M')
		emit(keys, KEY_ENTER, 0, 0);
	else if (byte != ESC)
		emit(keys, letter_code(byte), 0, 0);
}

static void
in_string(struct keys *keys, unsigned char byte)
{
	if (byte == ESC) {
		keys->state = STATE_STRING_ESC;
	} else if (byte == '\a' || ++keys->left > STRING_MAX) {
		go(keys, STATE_GROUND);
	}
}

static void
in_paste(struct keys *keys, unsigned char byte)
{
	unsigned resets = keys->resets;

	if ((char)byte == paste_end[keys->held_len]) {
		keys->held[keys->held_len++] = (char)byte;
		if (keys->held_len == PASTE_END_LEN) {
			go(keys, STATE_GROUND);
			emit_paste(keys, "", 0, true);
		}
		return;
	}
	/* It was none; what was held is content.  Only ESC begins the bracket, so no shorter
	 * beginning can hide in it. */
	emit_paste(keys, keys->held, keys->held_len, false);
	if (keys->resets != resets)
		return;
	keys->held_len = 0;
	if (byte == ESC)
		keys->held[keys->held_len++] = (char)byte;
	else
		emit_paste(keys, (const char *)&byte, 1, false);
}

static void
feed_byte(struct keys *keys, unsigned char byte)
{
	switch (keys->state) {
	case STATE_GROUND:
		ground(keys, byte);
		break;
	case STATE_UTF8:
	case STATE_ESC_UTF8:
		in_utf8(keys, byte);
		break;
	case STATE_ESC:
		after_esc(keys, byte);
		break;
	case STATE_CSI:
		in_csi(keys, byte);
		break;
	case STATE_SS3:
		in_ss3(keys, byte);
		break;
	case STATE_LINUX_F:
		go(keys, STATE_GROUND);
		if (byte >= 'A' && byte <= 'E')
			emit(keys, KEY_F1 + (byte - 'A'), 0, 0);
		break;
	case STATE_STRING:
		in_string(keys, byte);
		break;
	case STATE_STRING_ESC:
		go(keys, byte == '\\' ? STATE_GROUND : STATE_ESC);
		if (byte != '\\')
			after_esc(keys, byte);
		break;
	case STATE_MOUSE:
		if (--keys->left == 0)
			go(keys, STATE_GROUND);
		break;
	case STATE_PASTE:
		in_paste(keys, byte);
		break;
	}
}

/* Whole stretches of a paste at once: a large one is no call a byte. */
static size_t
feed_paste(struct keys *keys, const char *bytes, size_t len)
{
	const char *esc;
	size_t stretch;

	if (keys->state != STATE_PASTE || keys->held_len > 0)
		return 0;
	esc = memchr(bytes, ESC, len);
	stretch = esc ? (size_t)(esc - bytes) : len;
	emit_paste(keys, bytes, stretch, false);
	return stretch;
}

void
keys_feed(struct keys *keys, const char *bytes, size_t len)
{
	unsigned resets = keys->resets;

	keys->pieces = 0;
	for (size_t at = 0; at < len && keys->resets == resets;) {
		size_t stretch = feed_paste(keys, bytes + at, len - at);

		if (stretch > 0)
			at += stretch;
		else
			feed_byte(keys, (unsigned char)bytes[at++]);
		keys->pieces += keys->state == STATE_GROUND;
	}
}
