/* canvas_dump.c - a canvas as a digest, and as a picture for tests. */
#include "config.h"

#include "tui/canvas.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/base/hash.h"

void
canvas_digest(const struct canvas *canvas, struct digest *digest)
{
	AUTO_BUF struct buf bytes;

	buf_init(&bytes, BUF_UNBOUNDED);
	buf_printf(&bytes, "%dx%d\n", canvas_cols(canvas), canvas_rows(canvas));
	for (int y = 0; y < canvas_rows(canvas); y++)
		for (int x = 0; x < canvas_cols(canvas); x++) {
			struct canvas_view cell = canvas_at(canvas, x, y);

			buf_byte(&bytes, (char)cell.style);
			buf_str(&bytes, cell.utf8);
			buf_byte(&bytes, '\n');
		}
	hash_bytes(bytes.data, bytes.len, digest);
}

static void
dump_styles(const struct canvas *canvas, int y, struct buf *out)
{
	const char *before = "  ~ ";

	for (int x = 0, from = 0; x < canvas_cols(canvas); from = x) {
		enum style style = canvas_at(canvas, x, y).style;

		while (x < canvas_cols(canvas) && canvas_at(canvas, x, y).style == style)
			x++;
		if (style == STYLE_TEXT)
			continue;
		buf_printf(out, "%s%d-%d %s", before, from, x - 1, style_name(style));
		before = ", ";
	}
	if (*before == ',')
		buf_byte(out, '\n');
}

void
canvas_dump(const struct canvas *canvas, struct buf *out, bool styles)
{
	for (int y = 0; y < canvas_rows(canvas); y++) {
		size_t row = out->len, last = row;

		for (int x = 0; x < canvas_cols(canvas); x++) {
			const char *utf8 = canvas_at(canvas, x, y).utf8;

			buf_str(out, utf8);
			if (strcmp(utf8, " ") != 0)
				last = out->len;
		}
		out->len = last;
		buf_byte(out, '\n');
		if (styles)
			dump_styles(canvas, y, out);
	}
}
