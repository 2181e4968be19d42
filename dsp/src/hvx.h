/*
 * The HVX operations that the kernels use: 128-byte vectors, v68 or newer.
 *
 * On Hexagon, the names are the compiler's intrinsics.  On other machines, hvx_plain.h
 * implements them in plain C, so that the same kernel source can be run, debugged and
 * compared on the build machine.
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
 * An access through this type is one vmemu, a vector at any address.  The type is volatile,
 * because otherwise LLVM merges adjacent unaligned loads into aligned ones, which read up
 * to a vector beyond the last byte, possibly on an unmapped page.
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

/* Loads the first `bytes` (0 to 128) of a vector and sets the others to zero.  Reads no other
 * memory. */
static inline HVX_Vector hvx_load_first(const void *from, size_t bytes)
{
    uint8_t whole[HVX_BYTES] = {0};

    memcpy(whole, from, bytes);
    return hvx_load(whole);
}

/* Stores the first `bytes` (0 to 128) of a vector.  Writes no other memory. */
static inline void hvx_store_first(void *to, HVX_Vector value, size_t bytes)
{
    uint8_t whole[HVX_BYTES];

    hvx_store(whole, value);
    memcpy(to, whole, bytes);
}

#endif
