/* Only white space between tokens is ours, and the escapes of what no screen shows. */
#include "config.h"

#include "tui/pretty.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/base/text.h"
#include "core/base/utf8.h"

#define INDENT 2
#define FLAT (-1)

static void
put_escaped(struct buf *out, const char *bytes, size_t len)
{
	for (size_t at = 0; at < len;) {
		uint32_t code = 0;
		unsigned step = utf8_decode(bytes + at, len - at, &code);

		if (step <= 1)
			buf_byte(out, bytes[at]);
		else if (code < 0x10000)
			buf_printf(out, "\\u%04x", (unsigned)code);
		else
			buf_printf(out, "\\u%04x\\u%04x",
				(unsigned)(0xD800 + ((code - 0x10000) >> 10)),
				(unsigned)(0xDC00 + ((code - 0x10000) & 0x3FF)));
		at += step ? step : 1;
	}
}

static void
put_source(struct json_value value, struct buf *out)
{
	struct text_iter iter;
	struct text_cell cell;
	size_t len;
	const char *source = json_source(value, &len);

	text_begin(&iter, untrusted(source, len), TEXT_TEXT);
	while (text_next(&iter, &cell)) {
		if (cell.escape)
			put_escaped(out, source + cell.source_at, cell.source_len);
		else
			buf_put(out, source + cell.source_at, cell.source_len);
	}
}

static void
new_line(struct buf *out, int depth)
{
	if (depth == FLAT)
		return;
	buf_byte(out, '\n');
	for (int i = 0; i < depth * INDENT; i++)
		buf_byte(out, ' ');
}

/* Depth is bounded by the strict reader. */
static void
put_value(struct json_value value, struct buf *out, int depth)
{
	enum json_kind kind = json_kind(value);
	struct json_iter it = json_each(value);
	int inner = depth == FLAT ? FLAT : depth + 1;
	bool any = false;

	if (kind != JSON_OBJECT && kind != JSON_ARRAY) {
		put_source(value, out);
		return;
	}
	buf_byte(out, kind == JSON_OBJECT ? '{' : '[');
	while (json_next(&it)) {
		if (any)
			buf_str(out, depth == FLAT ? ", " : ",");
		any = true;
		new_line(out, inner);
		if (kind == JSON_OBJECT) {
			put_source(it.key, out);
			buf_str(out, ": ");
		}
		put_value(it.value, out, inner);
	}
	if (any)
		new_line(out, depth);
	buf_byte(out, kind == JSON_OBJECT ? '}' : ']');
}

void
pretty_json(struct json_value value, struct buf *out)
{
	put_value(value, out, 0);
	buf_byte(out, '\n');
}

void
pretty_line(struct json_value value, struct buf *out)
{
	put_value(value, out, FLAT);
}
