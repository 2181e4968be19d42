/*
 * Reads memory in chunks that user DMA copies to VTCM while the chunk before is used.  Without VTCM,
 * the chunks are used where they are, and the next one is prefetched into the L2 cache.
 */
#ifndef STAGING_H
#define STAGING_H

#include <stddef.h>
#include <stdint.h>

/* A linear copy, as the DMA engine reads it. */
struct dma_copy {
    uint32_t next, length;
    uint32_t from, to;
} __attribute__((aligned(64)));

/* The chunks of one thread. */
struct staging {
    struct dma_copy copy;
    const uint8_t *from; /* what follows the chunk in use */
    size_t left, chunk;
    uint8_t *vtcm; /* two chunks, or NULL */
    size_t turn;
};

/* Begins with the first of the chunks of `chunk` bytes of `from`.  `vtcm` has room for two of them,
 * or is NULL. */
void staging_begin(struct staging *staging, const uint8_t *from, size_t bytes, size_t chunk,
                   uint8_t *vtcm);

/* Returns the next chunk.  It can be used until the next call.  The last one is shorter if `bytes` is
 * not a multiple of `chunk`. */
const uint8_t *staging_next(struct staging *staging);

/* Acquires VTCM.  Returns NULL if the DSP does not have as much, or not now. */
uint8_t *vtcm_acquire(size_t bytes, unsigned *context);
void vtcm_release(unsigned context);

#endif
