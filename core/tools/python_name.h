/*
 * python_name.h - names of tools and servers as Python identifiers, from which the name can be
 * told.
 *
 * Letters, digits and "_" of ASCII stand for themselves.  Every other byte of the UTF-8, a digit at
 * the start, a "_" at the start before another "_", and a "_" that would read as the start of an
 * escape become _xHH (lower case).  A reserved word gets a trailing "_"; a reserved word that has
 * trailing ones already gets its last one escaped.  The guest's runner does the same.
 *
 * Knows:      mem, buf.
 * Unaware of: tools.
 */
#ifndef CORE_TOOLS_PYTHON_NAME_H
#define CORE_TOOLS_PYTHON_NAME_H

#include <stdbool.h>

/* The identifier for a tool's name: only keywords are reserved.  Gives memory. */
char *python_name(const char *name);
/* For a server's name, which stands beside builtins: these are reserved too.  Gives memory. */
char *python_server_name(const char *name);
/* Would this identifier hide a builtin or one of the guest's own names? */
bool python_name_hides(const char *identifier);

#endif
