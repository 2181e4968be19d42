/* threads.h: the threads of the library. */
#ifndef BUILDTOOL_CDSPRPC_THREADS_H
#define BUILDTOOL_CDSPRPC_THREADS_H

#include <stdbool.h>

/* Starts a thread of the library. Returns false on failure. */
bool thread_start(void (*run)(void *), void *argument);
/* Waits at most so many seconds until all threads but the calling one have ended. */
void threads_join(int seconds);
void threads_forget(void); /* in a forked child */

#endif
