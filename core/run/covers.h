/*
 * covers.h - what a tool must not see: where the person's own word could be given in its place.
 *
 * Knows:      mem.
 * Unaware of: how a path is covered (sandbox/tool).
 */
#ifndef CORE_RUN_COVERS_H
#define CORE_RUN_COVERS_H

/*
 * Tollbridge's state, configuration and socket folders (those of this user and, under root, the
 * machine's), and the sockets of terminal multiplexers, by this environment and by their defaults.
 * Gives a NULL-terminated array of absolute paths; what is not there is listed all the same.
 */
char **covers_list(void);

#endif
