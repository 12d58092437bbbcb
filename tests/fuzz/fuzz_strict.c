/*
 * What the strict reader accepts survives compacting with an equal tree, and each of its strings
 * survives being written again.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/json.h"
#include "core/base/jsonout.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void
must(bool held)
{
	if (!held)
		abort();
}

static void
check_string(struct json_value value)
{
	AUTO_BUF struct buf text;
	AUTO_JSON struct json *back = NULL;
	struct jsonout out;
	size_t len;
	const char *string = json_string(value, &len);

	buf_init(&text, BUF_UNBOUNDED);
	jsonout_init(&out, &text);
	jsonout_strn(&out, string, len);
	back = json_read(text.data, text.len, NULL);
	must(back && json_equal(json_root(back), value));
}

static void
check_number(struct json_value value)
{
	int64_t whole;
	double number;
	int order;

	must(json_double(value, &number));
	must(json_compare(value, value, &order) && order == 0);
	if (json_int(value, -1000000, 1000000, &whole))
		must(number == (double)whole);
}

static void
check_value(struct json_value value)
{
	struct json_iter it;

	if (json_kind(value) == JSON_STRING)
		check_string(value);
	if (json_kind(value) == JSON_NUMBER)
		check_number(value);
	for (it = json_each(value); json_next(&it);) {
		size_t key_len;
		const char *key = json_string(it.key, &key_len);

		check_value(it.value);
		if (key)
			must(json_getn(value, key, key_len).node == it.value.node);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	AUTO_JSON struct json *first = json_read((const char *)bytes, len, NULL);
	AUTO_JSON struct json *again = NULL;
	AUTO_BUF struct buf compact;
	AUTO_BUF struct buf twice;

	buf_init(&compact, BUF_UNBOUNDED);
	buf_init(&twice, BUF_UNBOUNDED);
	if (!first)
		return 0;
	strict_compact((const char *)bytes, len, &compact);
	again = json_read(compact.data, compact.len, NULL);
	must(again && json_equal(json_root(first), json_root(again)));
	strict_compact(compact.data, compact.len, &twice);
	must(twice.len == compact.len && memcmp(twice.data, compact.data, twice.len) == 0);
	check_value(json_root(first));
	return 0;
}
