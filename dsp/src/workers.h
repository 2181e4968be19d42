/* Worker threads of a kernel. */
#ifndef WORKERS_H
#define WORKERS_H

#include <stddef.h>

enum { WORKERS_MAX = 4 }; /* the vector contexts of a v68 */

/*
 * Calls work(argument, i) for each i below `count`, at most WORKERS_MAX, and returns when all calls
 * have returned.  Each i has a thread of its own, except for 0 and those for which no thread can be
 * created.
 */
void run_workers(size_t count, void (*work)(void *argument, size_t i), void *argument);

#endif
