#include "config.h"

#include "core/base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int
err_set(struct err *err, enum err_kind kind, const char *fmt, ...)
{
	va_list args;

	if (!err)
		return -1;
	err->kind = kind;
	err->errnum = 0;
	va_start(args, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	return -1;
}

int
err_sys(struct err *err, int errnum, const char *fmt, ...)
{
	va_list args;
	size_t len;

	if (!err)
		return -1;
	err->kind = ERR_SYSTEM;
	err->errnum = errnum;
	va_start(args, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	len = strlen(err->text);
	snprintf(err->text + len, sizeof(err->text) - len, ": %s", strerror(errnum));
	return -1;
}

int
err_within(struct err *err, const char *fmt, ...)
{
	char inner[ERR_TEXT_MAX];
	va_list args;
	size_t len;

	if (!err)
		return -1;
	memcpy(inner, err->text, sizeof(inner));
	va_start(args, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	len = strlen(err->text);
	snprintf(err->text + len, sizeof(err->text) - len, ": %s", inner);
	return -1;
}
