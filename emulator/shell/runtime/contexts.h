/* contexts.h: which part of the VTCM each context of this process holds, and which threads wait. */
#ifndef BUILDTOOL_RUNTIME_CONTEXTS_H
#define BUILDTOOL_RUNTIME_CONTEXTS_H

#include <stdbool.h>
#include <stdint.h>

#include "vtcm.h"

/* What a skel asks for: kept in its compute_res_attr_t. */
struct claim {
    uint32_t magic;
    uint32_t size;  /* of VTCM, in bytes; 0: none */
    uint32_t least; /* accept down to this; 0: all or nothing */
    bool serialize;
    bool cached;
    bool by_address; /* released by its address */
    int (*callback)(unsigned int context, void *argument);
    void *argument;
    uint8_t *given; /* the memory, once acquired */
    uint32_t given_size;
};

/* Returns the id of a new context, or 0. A context that is not cached is held from here on; a
 * cached one has its range, and is held between context_acquire and context_release. */
unsigned int context_create(struct claim *claim, uint32_t timeout_us);

/* Releases a context and forgets it. AEE_EBADPARM for one that does not exist. */
int context_destroy(unsigned int id);

/* The same for the held context `by_address` with this memory. */
int context_destroy_at(const uint8_t *address);

/* Acquires a cached context. AEE_EALREADY when it is held, AEE_EEXPIRED after the timeout. */
int context_acquire(unsigned int id, uint32_t timeout_us);
int context_release(unsigned int id);

/* Whether a waiter of higher priority wants what the context holds; -1: no such context. */
int context_wanted(unsigned int id);
int context_set_priority(unsigned int id, int priority);

/* Bytes of the largest gap that can be acquired now. */
uint32_t context_available(void);

#endif
