/*
 * provider.h - the model that a configuration names, ready to be asked.
 *
 * Knows:      configuration, model_script, model_http.
 * Unaware of: what is asked.
 */
#ifndef CORE_RUN_PROVIDER_H
#define CORE_RUN_PROVIDER_H

#include "core/base/attr.h"

struct config;
struct err;
struct http;
struct loop;
struct model;

/* Gives a model, or NULL with ERR_USAGE: no model is named, its place is no URL, its file cannot be
 * read.  key is copied; NULL: none.  http may be NULL for a script. */
struct model *provider_new(struct loop *loop, struct http *http, const struct config *config,
	const char *key, struct err *err) ATTR_CHECKED;

#endif
