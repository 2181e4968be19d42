/* contexts.h: the contexts of this process, and the threads that wait to acquire them. */
#ifndef BUILDTOOL_RUNTIME_CONTEXTS_H
#define BUILDTOOL_RUNTIME_CONTEXTS_H

#include <stdint.h>

#include "claim.h"

/* Creates a context. Returns its id, or 0 on failure. A context that is not cached is held at once.
 * A cached context has its range at once, but is held only between context_acquire and
 * context_release. */
unsigned int context_create(struct claim *claim, uint32_t timeout_us);

/* Releases a context and deletes it. Returns AEE_EBADPARM when it does not exist. */
int context_destroy(unsigned int id);

/* The same for the held context with `by_address` that has this memory. */
int context_destroy_at(const uint8_t *address);

/* Acquires a cached context. Returns AEE_EALREADY when it is held, AEE_EEXPIRED after the
 * timeout. */
int context_acquire(unsigned int id, uint32_t timeout_us);
int context_release(unsigned int id);

/* Returns whether a waiter of higher priority wants what the context holds, or -1 when the context
 * does not exist. */
int context_wanted(unsigned int id);
int context_set_priority(unsigned int id, int priority);

/* Finds a held context with a release callback that was not called since the context was acquired,
 * and for which a waiter of higher priority waits. Returns its id, and its claim, or 0 for none. The
 * context then counts as asked. */
unsigned int context_to_ask(struct claim *claim);

/* Lock HMX for the calling thread, and drop a lock. Return AEE_EBADPARM when the context does not exist,
 * has not requested HMX, or has no lock left. */
int context_lock_hmx(unsigned int id);
int context_unlock_hmx(unsigned int id);

/* Returns the size in bytes of the largest range that can be acquired now. */
uint32_t context_available(void);

#endif
