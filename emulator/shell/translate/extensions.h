/* extensions.h: where the extension bits of vectors must be stored, from v79 on.
 *
 * A DSP gives those of RESET (see qfloat_v79.h) to each vector that an instruction without extension bits
 * writes. Here the shell has them in memory, or in vectors that a function does not use, and only
 * instructions with extension bits are replaced; so it is found which of these read a vector that another
 * one wrote. */
#ifndef BUILDTOOL_SHELL_EXTENSIONS_H
#define BUILDTOOL_SHELL_EXTENSIONS_H

#include "forms.h"
#include "functions.h"

/* What a packet does with extension bits that are stored, as sets of vectors. */
struct memory_use {
    uint32_t loaded;     /* the others that it reads are those of a reset */
    uint32_t stored;     /* of results */
    uint32_t reset;      /* of vectors that it changes without extension bits */
    uint32_t saved;      /* by the packet's function, see struct extended */
    uint32_t held;       /* the vectors that have some here */
    uint8_t vectors[32]; /* for each vector, the one that has its bits; 0: they are in memory */
};

typedef void (*extensions_visit)(void *context, uint32_t address, size_t size,
                                 struct memory_use use);

/* Packets with instructions that have extension bits: their addresses, sorted. */
struct extended_packets {
    const uint32_t *addresses;
    size_t count;
};

/* Visits the packets whose thunks use the extension bits, or that are to have one for a reset. `uses` is
 * extended_by, or says the same of something else than the bits that vectors have. A packet can be visited
 * twice, if it is in two functions. */
void extensions_find(const struct image *image, const struct functions *functions,
                     const struct extended_packets *packets, struct extended (*uses)(uint32_t word),
                     extensions_visit visit, void *context);

#endif
