/* unimplemented.h: names that the shells of real devices export and this shell lacks. */
#ifndef BUILDTOOL_SHELL_UNIMPLEMENTED_H
#define BUILDTOOL_SHELL_UNIMPLEMENTED_H

#include <stddef.h>

/* Returns a function that logs which name was called and ends the process like a crash. Returns
 * NULL for a name that no known shell exports, and for a variable. */
void *unimplemented_find(const char *name);

/* Calls a function with each name of a real shell that this shell lacks. */
void unimplemented_each(void (*visit)(const char *name));

#endif
