/*
 * where.h - where the program's own parts are, in a build tree and installed.
 *
 * A program that finds "tollbridge.build" beside itself (found through /proc/self/exe) runs from a
 * build tree: the file's first line names the source folder, where data is, its second the folder
 * of the built programs, where helpers are.  Otherwise helpers are in pkglibexecdir and data in
 * pkgdatadir.  No environment variable changes this.
 *
 * Knows:      mem, buf, io.
 * Unaware of: the user's folders (record/store).
 */
#ifndef CORE_BASE_WHERE_H
#define CORE_BASE_WHERE_H

/* All give an absolute path.  where_data: "themes/default.theme", "core/tools/python/worker.py". */
char *where_helper(const char *name);
char *where_data(const char *name);
char *where_program(void); /* /proc/self/exe */

#endif
