/*
 * attr.h - compiler attributes, spelled once.
 *
 * Knows:      nothing.
 * Unaware of: everything else.
 */
#ifndef CORE_BASE_ATTR_H
#define CORE_BASE_ATTR_H

#ifdef NDEBUG
#error "asserts stay on: a broken invariant must end the program, not pass"
#endif

#define ATTR_CHECKED __attribute__((warn_unused_result))
#define ATTR_NORETURN __attribute__((noreturn))
#define ATTR_PRINTF(fmt_at, args_at) __attribute__((format(printf, fmt_at, args_at)))
#define ON_LEAVE(fn) __attribute__((cleanup(fn)))

#endif
