/*
 * The HVX that the kernels use: 128-byte vectors, v68 as the base line.
 *
 * On Hexagon the names are the compiler's intrinsics.  Anywhere else
 * hvx_plain.h gives the same names a meaning in plain C, so that the same kernel
 * source can be run, debugged and compared on the build machine.
 */
#ifndef HVX_H
#define HVX_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { HVX_BYTES = 128, HVX_WORDS = HVX_BYTES / 4 };

#if defined(__hexagon__)

#include <hexagon_types.h>
#include <hexagon_protos.h>
#include <hvx_hexagon_protos.h>

/*
 * An access through this type is one vmemu: a vector at any address.  Volatile,
 * because LLVM merges neighbouring unaligned loads into aligned ones and then reads
 * up to a vector beyond the last byte asked for, which may be on a page that is not
 * there.
 */
typedef volatile HVX_Vector hvx_unaligned __attribute__((aligned(1), may_alias));

static inline HVX_Vector hvx_load(const void *from)
{
    return *(const hvx_unaligned *)from;
}

static inline void hvx_store(void *to, HVX_Vector value)
{
    *(hvx_unaligned *)to = value;
}

#else
#include "hvx_plain.h"
#endif

/* The first `bytes` (0 to 128) from memory, zeros above; reads nothing beyond. */
static inline HVX_Vector hvx_load_first(const void *from, size_t bytes)
{
    uint8_t whole[HVX_BYTES] = {0};

    memcpy(whole, from, bytes);
    return hvx_load(whole);
}

/* Writes the first `bytes` (0 to 128) of a vector and nothing beyond. */
static inline void hvx_store_first(void *to, HVX_Vector value, size_t bytes)
{
    uint8_t whole[HVX_BYTES];

    hvx_store(whole, value);
    memcpy(to, whole, bytes);
}

#endif
