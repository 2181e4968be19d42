/* serve.h: runs programs one after the other, each in a process of its own. */
#ifndef BUILDTOOL_SERVE_H
#define BUILDTOOL_SERVE_H

/* Serves the socket at standard input until its end; returns an exit status.  `run` is the main of a
 * process for one program. */
int serve(int (*run)(int, char **));

#endif
