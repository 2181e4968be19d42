/* contexts.h: who in this process holds which part of the VTCM, and who waits. */
#ifndef BUILDTOOL_RUNTIME_CONTEXTS_H
#define BUILDTOOL_RUNTIME_CONTEXTS_H

#include <stdbool.h>
#include <stdint.h>

#include "vtcm.h"

/* What a skel asks for: kept in its compute_res_attr_t. */
struct claim {
    uint32_t magic;
    uint32_t size;  /* of VTCM, bytes; 0: none */
    uint32_t least; /* accept down to this; 0: all or nothing */
    bool serialize;
    bool cached;
    int (*callback)(unsigned int context, void *argument);
    void *argument;
    uint8_t *given; /* after acquire */
    uint32_t given_size;
};

/* A context id, or 0. A cached context gets its place, and is held by context_hold. */
unsigned int context_create(struct claim *claim, uint32_t timeout_us);
int context_destroy(unsigned int id);
int context_hold(unsigned int id, uint32_t timeout_us);
int context_let_go(unsigned int id);

/* Whether somebody of higher priority waits for what the context holds; -1: no such. */
int context_wanted(unsigned int id);
int context_set_priority(unsigned int id, int priority);

/* The largest gap that could be had now. */
uint32_t context_available(void);

#endif
