/* warm.h: a process that is forked for each DSP process. */
#ifndef BUILDTOOL_SHELL_WARM_H
#define BUILDTOOL_SHELL_WARM_H

/* Loads a skel and unloads it, and then starts a process for each request at the control socket, until
 * its end: `serve` gets the facts of the request. */
void warm(char *skel, int (*serve)(int, char **)) __attribute__((noreturn));

#endif
