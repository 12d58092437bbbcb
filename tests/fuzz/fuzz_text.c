/*
 * Any bytes, in each mode: cells cover the source, ASCII where it must be, and what is drawn reads
 * back to the bytes.
 */
#include "config.h"

#include <locale.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "tests/base/text_decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void
must(bool held)
{
	if (!held)
		abort();
}

static void
check_cells(struct untrusted text, enum text_mode mode)
{
	struct text_iter iter;
	struct text_cell cell;
	size_t at = 0;

	for (text_begin(&iter, text, mode); text_next(&iter, &cell);) {
		must(cell.source_at == at && cell.source_len > 0);
		must(strlen(cell.utf8) == cell.len && cell.len < sizeof(cell.utf8));
		must(!cell.escape || cell.width == cell.len);
		must(cell.width > 0 || (mode == TEXT_LINES && cell.line_break));
		for (size_t i = 0; i < cell.len; i++) {
			unsigned char byte = (unsigned char)cell.utf8[i];

			must(byte >= 0x20 && byte != 0x7F);
			must(byte < 0x7F || (mode != TEXT_STRICT && !cell.escape));
		}
		at += cell.source_len;
	}
	must(at == text.len);
}

static void
check_way_back(struct untrusted text, enum text_mode mode)
{
	AUTO_FREE char *drawn = text_escape(text, mode);
	AUTO_BUF struct buf back;

	buf_init(&back, BUF_UNBOUNDED);
	text_decode(&back, drawn ? drawn : "", mode);
	must(back.len == text.len);
	must(text.len == 0 || memcmp(back.data, text.bytes, text.len) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct untrusted text = untrusted((const char *)bytes, len);
	struct text_counts counts;

	setlocale(LC_ALL, "C.UTF-8");
	for (unsigned mode = TEXT_STRICT; mode <= TEXT_LINES; mode++) {
		check_cells(text, mode);
		text_count(text, mode, &counts);
		must(counts.bytes == len && counts.non_ascii <= len && counts.escapes <= len);
		if (mode != TEXT_LINES || len == 0 || !memchr(bytes, '\t', len))
			check_way_back(text, mode);
	}
	return 0;
}
