/* The formats by name, and what they send: where to, and in which body. */
#include "config.h"

#include "core/model/wire.h"

#include <string.h>

#include "core/base/jsonout.h"
#include "core/base/mem.h"
#include "core/model/wire_inside.h"

static const struct wire *const wires[] = { &wire_responses, &wire_chat, &wire_anthropic,
	&wire_ollama };

const struct wire *
wire_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(wires); i++)
		if (strcmp(wires[i]->name, name) == 0)
			return wires[i];
	return NULL;
}

enum wire_auth
wire_auth(const struct wire *wire)
{
	return wire->auth;
}

static bool
ends_with(const char *text, size_t len, const char *end)
{
	return len >= strlen(end) && memcmp(text + len - strlen(end), end, strlen(end)) == 0;
}

char *
wire_url(const struct wire *wire, const char *base_url)
{
	const char *scheme = strstr(base_url, "://");
	const char *host = scheme ? scheme + 3 : base_url;
	size_t len = strlen(base_url);
	bool has_path;

	while (len > 0 && base_url[len - 1] == '/')
		len--;
	if (ends_with(base_url, len, wire->path))
		return mem_strn(base_url, len);
	/* Most people paste a base that ends in its version; some leave it away. */
	has_path = memchr(host, '/', len - (size_t)(host - base_url)) != NULL;
	return mem_printf("%.*s%s%s", (int)len, base_url, wire->versioned && !has_path ? "/v1" : "",
		wire->path);
}

void
wire_request(const struct wire *wire, const struct wire_options *options,
	const struct model_request *request, struct buf *buf)
{
	struct jsonout out;

	jsonout_init(&out, buf);
	jsonout_object(&out);
	wire->request(options, request, &out);
	jsonout_object_end(&out);
}
