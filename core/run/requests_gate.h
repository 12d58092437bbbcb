/*
 * requests_gate.h - what a console asks about calls to come: grants, rules, limits.
 *
 * Knows:      console, calls, run, json.
 * Unaware of: sockets.
 */
#ifndef CORE_RUN_REQUESTS_GATE_H
#define CORE_RUN_REQUESTS_GATE_H

#include "core/base/attr.h"
#include "core/base/json.h"

struct console;
struct err;
struct run;

/* Fields as in docs/FORMATS.md.  0, or -1 with words for the person. */
int op_grant(struct run *run, struct console *console, struct json_value request,
	struct err *err) ATTR_CHECKED;
int op_revoke(struct run *run, struct console *console, struct json_value request,
	struct err *err) ATTR_CHECKED;
int op_rule(struct run *run, struct console *console, struct json_value request,
	struct err *err) ATTR_CHECKED;
int op_budget(struct run *run, struct console *console, struct json_value request,
	struct err *err) ATTR_CHECKED;

#endif
