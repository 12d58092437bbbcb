/*
 * reap.h - the reaper: parent of everything a supervisor starts, and its end.
 *
 * Serves requests on a socket (plan.h).  When the other end closes, in whatever way, it kills until
 * no child is left and ends.  Tools cannot read or signal their way around it: it is not dumpable.
 *
 * Knows:      plan, child, filter, tree, err.
 * Unaware of: the loop; it is a poll(2) of its own with fixed tables.
 */
#ifndef CORE_SANDBOX_REAP_H
#define CORE_SANDBOX_REAP_H

/* Serve sock (REAP_FD) until its other end closes.  Gives the process's exit status. */
int reap_serve(int sock);

#endif
