/*
 * python_boot.h - what a Python worker is started with: a program for -c, then sources by the line.
 *
 * Our Python files need not be readable by the tool's user, and the user's file runs as the bytes
 * that were hashed.
 *
 * Knows:      buf, io, hash, where, run/configuration.
 * Unaware of: processes.
 */
#ifndef CORE_TOOLS_PYTHON_BOOT_H
#define CORE_TOOLS_PYTHON_BOOT_H

#include "core/base/attr.h"

struct buf;
struct config_tool;
struct digest;
struct err;

/* For `python -c`: reads what python_boot_gather() made from descriptor 3 and runs it. */
extern const char python_boot[];

/* Append what goes to descriptor 3 first.  code: of the user's file.  Errors name the path. */
int python_boot_gather(const struct config_tool *config, struct buf *out, struct digest *code,
	struct err *err) ATTR_CHECKED;

#endif
