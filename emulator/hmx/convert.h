/* convert.h: from accumulators to the convert state. */
#ifndef BUILDTOOL_HMX_CONVERT_H
#define BUILDTOOL_HMX_CONVERT_H

#include "state.h"

/* The operands of a convert: the bits of Rs of cvt. */
enum {
    RS_RETAIN = 1 << 0,
    RS_SIGNED = 1 << 1,
    RS_FEEDBACK_BIAS = 1 << 2,
    RS_FEEDBACK_SCALE = 1 << 3,
    RS_MAXIMUM = 1 << 4,
    RS_LARGEST = 1 << 6,
    RS_BF16 = 1 << 7,
    RS_FINE = 1 << 8,
    RS_HIGH_BYTE = 1 << 11,
};
#define RS_FEEDBACK (RS_FEEDBACK_BIAS | RS_FEEDBACK_SCALE)

static inline uint64_t bits(uint64_t word, unsigned high, unsigned low)
{
    return word >> low & ((UINT64_C(2) << (high - low)) - 1);
}

/* Puts the 20 bits of a result of 16 bits into the cells of a row. */
static inline void set_row(cells *results, size_t row, unsigned channel, uint32_t result)
{
    (*results)[2 * row][channel] = (uint16_t)(result & 0xfffu);
    (*results)[2 * row + 1][channel] = (uint16_t)(result >> 8 & 0xff0u);
}

static inline uint32_t row_of(const cells *results, size_t row, unsigned channel)
{
    return ((*results)[2 * row + 1][channel] & 0xff0u) << 8 | (*results)[2 * row][channel];
}

/* Convert a set of accumulators. `results` has those of the last convert of the same half, which feedback
 * reads. */
void convert_fixed(const struct unit *unit, const struct operation *operation, uint32_t rs,
                   const uint64_t *words, cells *results);
void convert_floats(const struct unit *unit, const struct operation *operation, uint32_t rs,
                    const uint64_t *words, cells *results);
void convert_exact(const struct unit *unit, const struct operation *operation,
                   const uint64_t *words, cells *results);

#endif
