/* extension_vectors.h: gives extension bits vectors that their function does not use. */
#ifndef BUILDTOOL_SHELL_EXTENSION_VECTORS_H
#define BUILDTOOL_SHELL_EXTENSION_VECTORS_H

#include "liveness.h"
#include "packet_graph.h"

/* Where the extension bits of vectors matter, as sets. */
struct lifetimes {
    const struct graph *graph;
    const uint32_t *before, *behind; /* each packet */
    const uint32_t *used; /* read or changed by each packet, after its thunk has moved bits */
    uint32_t entered;     /* before what can be executed first */
};

/* Stores for each vector the number of the one that has its extension bits, or 0: they are in memory. */
void choose_extension_vectors(const struct lifetimes *lifetimes, struct liveness *liveness,
                              uint8_t vectors[32]);

/* Returns the vectors that have the extension bits of a set. */
uint32_t held_vectors(const uint8_t vectors[32], uint32_t set);

#endif
