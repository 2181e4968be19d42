/* claim.h: the resources that a skel requests for a context. */
#ifndef BUILDTOOL_RUNTIME_CLAIM_H
#define BUILDTOOL_RUNTIME_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

/* Stored in the skel's compute_res_attr_t. */
struct claim {
    uint32_t magic;
    uint32_t size;  /* bytes of VTCM; 0: none */
    uint32_t least; /* smallest acceptable size; 0: only `size` itself */
    bool serialize;
    bool cached;
    bool hmx;
    bool by_address; /* released by its address */
    int (*callback)(unsigned int context, void *argument);
    void *argument;
    uint8_t *given; /* the memory, after acquisition */
    uint32_t given_size;
};

#endif
