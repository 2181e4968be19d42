/* resources.h: what each context of this process holds: a part of the VTCM, and serialization.
 *
 * The caller of each function holds the lock of the contexts. */
#ifndef BUILDTOOL_RUNTIME_RESOURCES_H
#define BUILDTOOL_RUNTIME_RESOURCES_H

#include "claim.h"
#include "vtcm.h"

struct context {
    struct context *next;
    unsigned int id;
    struct claim claim;
    struct vtcm_range range;
    int priority;
    int hmx_locks;
    bool held;
    bool asked; /* the release callback was called since the context was acquired */
};

/* A waiting thread's entries in the files that other processes read, or -1. */
struct announcement {
    int vtcm;
    int serial;
};

/* Returns the first context, or NULL for none. */
struct context *resources_contexts(void);

/* Adds a context. Returns NULL when memory is exhausted. */
struct context *resources_add(const struct claim *claim);

/* Releases a context and frees it. */
void resources_remove(struct context *context);

/* Chooses a range. A cached context avoids the ranges of other contexts if possible. Otherwise it
 * shares a range with them, and they hold it in turn. */
bool resources_place(struct context *context);

/* Acquires a context that is not held, or changes nothing. */
bool resources_try_acquire(struct context *context, int priority);
void resources_release(struct context *context);

/* Announces that a thread waits for the context, and withdraws it. */
void resources_announce(const struct context *context, struct announcement *announcement,
                        int priority);
void resources_withdraw(const struct announcement *announcement);

/* Returns the highest priority that waits for what the context holds, or INT_MAX for none. Waiters of
 * this process count too. */
int resources_wanted(const struct context *context);

/* Returns the size in bytes of the largest range that can be acquired now. */
uint32_t resources_available(void);

#endif
