/* exit_functions.h: functions that modules register to be called when they are unloaded, or when a
 * thread ends. */
#ifndef BUILDTOOL_RUNTIME_EXIT_FUNCTIONS_H
#define BUILDTOOL_RUNTIME_EXIT_FUNCTIONS_H

#include <stddef.h>

/* Registers a function, which runs when the module that has the address `owner` is unloaded. Returns
 * 0, or -1 when memory is exhausted. */
int exit_functions_add(void (*function)(void *), void *argument, const void *owner);

/* Calls what the module in this memory has registered, the last one first: first for the calling
 * thread, then for the module. Forgets what it has registered for other threads. */
void exit_functions_run(const void *memory, size_t size);

/* Calls what was registered for the calling thread, which is about to end. */
void exit_functions_end_thread(void);

#endif
