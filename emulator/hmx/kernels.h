/* kernels.h: products of the channels of one position with weights, added to its accumulators. */
#ifndef BUILDTOOL_HMX_KERNELS_H
#define BUILDTOOL_HMX_KERNELS_H

#include "weights.h"

#define INLINE static inline __attribute__((always_inline))

/* The activations of one position: `count` channels. In a group convolution, each output channel has its
 * own: channel (o & ~(group - 1)) + k. Otherwise, group is 32. */
struct channels {
    const uint8_t *bytes; /* of channel 0 */
    size_t stride;        /* bytes from one channel to the next */
    unsigned first, count, group;
};

static inline unsigned channel_of(const struct channels *channels, unsigned k, unsigned o)
{
    return channels->first + k + (o & ~(channels->group - 1) & (CHANNELS - 1));
}

/* ---- fixed point ---- */

void add_fixed(struct fixed_cell *cell, const struct channels *channels,
               const struct fixed_weights *weights);

/* ---- floating point, from v73 on ---- */

#define EIGHT 8
#define FOUR 4 /* on v73 */

struct float_weights {
    lanes sig[CHANNELS][GROUPS], exp[CHANNELS][GROUPS]; /* sig is multiplied by 16 */
    lanes zero[CHANNELS / FOUR][GROUPS];                /* -1 if all of a step are zero */
    uint16_t halves[CHANNELS][CHANNELS];
};

/* How numbers are read, and what they are added up in. */
struct float_format {
    bool bf16, f8, f8_weights, subtracts, infinities;
    bool f8_nan;         /* an f8 of 0x80 is always NaN, also without infinities */
    unsigned step;       /* products that are added at a time: EIGHT or FOUR */
    unsigned high_byte;  /* f8: of each halfword */
    int32_t least, most; /* exponents of accumulators */
};

void prepare_floats(struct float_weights *weights, const struct float_format *format);
void add_floats(struct float_row *row, const struct channels *channels,
                const struct float_weights *weights, const struct float_format *format);

/* ---- floating point on v68 and v69 ---- */

struct exact_weights {
    double high[CHANNELS][CHANNELS], low[CHANNELS][CHANNELS];
};

void prepare_exact(struct exact_weights *exact, const struct float_weights *weights);
void add_exact(struct exact_row *row, const struct channels *channels,
               const struct exact_weights *weights, bool subtracts);

#endif
