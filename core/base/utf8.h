/*
 * utf8.h - one character of UTF-8 at a time, strictly (RFC 3629).
 *
 * Knows:      nothing.
 * Unaware of: what the characters mean.
 */
#ifndef CORE_BASE_UTF8_H
#define CORE_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/*
 * The first character of text (len >= 1): gives its length in bytes, 1 to 4, and *code.  Gives 0
 * when the bytes are no UTF-8: overlong forms, surrogates, above U+10FFFF, cut short.
 */
unsigned utf8_decode(const char *text, size_t len, uint32_t *code);

/* Gives the bytes written, 1 to 4.  code is a Unicode scalar value. */
unsigned utf8_encode(uint32_t code, char out[4]);

#endif
