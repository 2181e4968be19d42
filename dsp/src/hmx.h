/*
 * The instructions of HMX that the kernels use, one function for each packet.  docs/hmx.md describes them.
 *
 * They work on the state of the thread that holds the HMX lock.  All pointers are into VTCM, tiles at
 * multiples of 2,048 bytes.
 */
#ifndef HMX_H
#define HMX_H

#include <stddef.h>
#include <stdint.h>

#include "hmx_tiles.h"

/* The most tiles that one packet multiplies. */
enum { HMX_DEPTH = 32 };

/* Stores before it are visible to HMX after it, and the other way around. */
static inline void hmx_fence(void)
{
    __asm__ volatile("syncht" ::: "memory");
}

/* Reads scale and bias of 32 output channels: 32 low words, then 32 high words, at a multiple of 256. */
static inline void hmx_load_bias(const uint8_t *words)
{
    __asm__ volatile("bias = mxmem2(%0)" ::"r"(words) : "memory");
}

static inline void hmx_clear_hf(void)
{
    __asm__ volatile("mxclracc.hf" ::: "memory");
}

static inline void hmx_clear_ub(void)
{
    __asm__ volatile("mxclracc" ::: "memory");
}

/* Adds the products of `tiles` (1 to HMX_DEPTH) tiles of activations and blocks of weights. */
static inline void hmx_multiply_hf(const uint8_t *activations, const uint8_t *weights, size_t tiles)
{
    __asm__ volatile("{ activation.hf = mxmem(%0,%1):deep\n"
                     "  weight.hf = mxmem(%2,%3) }" ::"r"(activations),
                     "r"(tiles * HMX_TILE_BYTES - 1), "r"(weights),
                     "r"(tiles * HMX_WEIGHTS_HF_BYTES - 1)
                     : "memory");
}

static inline void hmx_multiply_ub(const uint8_t *activations, const uint8_t *weights, size_t tiles)
{
    __asm__ volatile("{ activation.ub = mxmem(%0,%1):deep\n"
                     "  weight.b = mxmem(%2,%3) }" ::"r"(activations),
                     "r"(tiles * HMX_TILE_BYTES - 1), "r"(weights),
                     "r"(tiles * HMX_WEIGHTS_B_BYTES - 1)
                     : "memory");
}

/* Converts and stores a tile, and clears the accumulators. */
static inline void hmx_store_hf(uint8_t *tile)
{
    __asm__ volatile("mxmem(%0,%1):after.hf = acc" ::"r"(tile), "r"(0) : "memory");
}

static inline void hmx_store_ub(uint8_t *tile)
{
    __asm__ volatile("mxmem(%0,%1):after:sat.ub = acc" ::"r"(tile), "r"(0) : "memory");
}

#endif
