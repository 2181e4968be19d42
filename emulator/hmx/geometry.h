/* geometry.h: positions in croutons. */
#ifndef BUILDTOOL_HMX_GEOMETRY_H
#define BUILDTOOL_HMX_GEOMETRY_H

#include "state.h"

#define MASK_SPATIAL 0x783u       /* the bits of a byte's offset that are its position */
#define MASK_CHANNEL_MAJOR 0x7e0u /* with :cm */

/* The bits of x where the mask has a 1, moved together to the right, and back. */
static inline uint32_t gather(uint32_t x, uint32_t mask)
{
    uint32_t result = 0;
    for (unsigned to = 0; mask != 0; mask &= mask - 1) {
        result |= (x >> __builtin_ctz(mask) & 1u) << to++;
    }
    return result;
}

static inline uint32_t spread(uint32_t x, uint32_t mask)
{
    uint32_t result = 0;
    for (; mask != 0; mask &= mask - 1, x >>= 1) {
        result |= (x & 1u) << __builtin_ctz(mask);
    }
    return result;
}

/* The spatial fields of Rs and Rt. */
struct place {
    uint32_t base;    /* of the crouton */
    int32_t distance; /* to the second one */
    uint32_t mask;    /* the bits of positions */
    uint32_t xmask, ymask, nx, ny, x0, y0;
};

static inline struct place place_of(uint32_t rs, uint32_t rt, uint32_t mask)
{
    const uint32_t xmask = ~rt & mask, ymask = rt & mask;
    return (struct place){
        .base = rs & CROUTON_MASK,
        .distance = (int32_t)(rt & CROUTON_MASK),
        .mask = mask,
        .xmask = xmask,
        .ymask = ymask,
        .nx = 1u << __builtin_popcount(xmask),
        .ny = 1u << __builtin_popcount(ymask),
        .x0 = gather(rs, xmask),
        .y0 = gather(rs, ymask),
    };
}

/* The offset of a position in bytes, and its number. */
static inline uint32_t offset_at(const struct place *place, uint32_t x, uint32_t y)
{
    return spread(x, place->xmask) | spread(y, place->ymask);
}

static inline uint32_t position_at(const struct place *place, uint32_t x, uint32_t y)
{
    return gather(offset_at(place, x, y), place->mask);
}

/* The memory of both croutons, or of the first one; `with_second` becomes its start. */
static inline uint8_t *croutons(struct unit *unit, const struct place *place, bool has_second,
                                uint8_t **second, const char *what)
{
    const int32_t distance = has_second ? place->distance : 0;
    const uint32_t low = distance < 0 ? place->base + (uint32_t)distance : place->base;
    const uint64_t size = (uint64_t)(distance < 0 ? -(int64_t)distance : distance) + CROUTON;
    uint8_t *memory = memory_at(unit, low, size, what);
    if (memory == NULL) {
        return NULL;
    }
    uint8_t *first = distance < 0 ? memory - distance : memory;
    *second = first + distance;
    return first;
}

#endif
