/* thread_local.h: the thread-local variables of modules. */
#ifndef BUILDTOOL_RUNTIME_THREAD_LOCAL_H
#define BUILDTOOL_RUNTIME_THREAD_LOCAL_H

#include <stddef.h>
#include <stdint.h>

#define THREAD_LOCAL_MODULES 64 /* how many modules can have thread-local variables */

/* Returns an id for a module with `size` bytes of thread-local variables. Returns 0 if size is 0,
 * and if there are THREAD_LOCAL_MODULES such modules already. */
uint32_t thread_local_reserve(uint32_t size, uint32_t alignment);

/* Sets the initial values of the first `size` bytes. They stay where they are until
 * thread_local_release. */
void thread_local_start(uint32_t id, const void *values, uint32_t size);

/* Each thread frees its variables of the module when it ends. id may be 0. */
void thread_local_release(uint32_t id);

/* Returns the address of a variable for the calling thread. */
void *thread_local_address(uint32_t id, uint32_t offset);

/* Runs the destructors of the calling thread's variables, and frees the variables. Called for each
 * thread that ends. */
void thread_local_end(void);

#endif
