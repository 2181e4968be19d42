/* exact.c: products of fp16, added exactly as on v68 and v69.
 *
 * A number is an integer of 42 bits and a power of two. Its upper and its lower 21 bits are two numbers
 * whose products are exact in double precision, and so are sums of 32 of them. */
#include <string.h>

#include "kernels.h"

#define PART 21
#define STEP 4                    /* channels after which the sum is looked at */
#define LIMIT ((__int128)1 << 65) /* 2^17 in units of 2^-48 */

static void split(uint16_t half, double *high, double *low)
{
    const unsigned field = half >> 10 & 0x1fu;
    const uint64_t mag = (uint64_t)((field == 0 ? 0 : 1024) | (half & 0x3ffu))
                         << (field == 0 ? 0 : field - 1);
    const double sign = (half & 0x8000) != 0 ? -1 : 1;
    *high = sign * (double)(mag >> PART);
    *low = sign * (double)(mag & ((1u << PART) - 1));
}

void prepare_exact(struct exact_weights *exact, const struct float_weights *weights)
{
    for (unsigned k = 0; k < CHANNELS; k++) {
        for (unsigned o = 0; o < CHANNELS; o++) {
            split(weights->halves[k][o], &exact->high[k][o], &exact->low[k][o]);
        }
    }
}

/* Adds the products of the channels from `first` on. The first overflow counts. */
static void add_step(struct exact_row *row, const struct channels *channels, unsigned first,
                     const struct exact_weights *weights, bool subtracts)
{
    const double whole = 1 << PART, limit = (double)LIMIT, sign = subtracts ? -1 : 1;
    double high[CHANNELS] = {0}, middle[CHANNELS] = {0}, low[CHANNELS] = {0};
    double most[CHANNELS] = {0}, least[CHANNELS] = {0};
    for (unsigned k = first; k < first + STEP && k < channels->count; k++) {
        double upper[CHANNELS], lower[CHANNELS];
        for (unsigned o = 0; o < CHANNELS; o += channels->group) {
            uint16_t half;
            memcpy(&half, channels->bytes + channel_of(channels, k, o) * channels->stride,
                   sizeof half);
            split(half, &upper[o], &lower[o]);
            for (unsigned i = o + 1; i < o + channels->group; i++) {
                upper[i] = upper[o];
                lower[i] = lower[o];
            }
        }
        for (unsigned o = 0; o < CHANNELS; o++) {
            high[o] += upper[o] * weights->high[k][o];
            middle[o] += upper[o] * weights->low[k][o] + lower[o] * weights->high[k][o];
            low[o] += lower[o] * weights->low[k][o];
            const double product = sign * (upper[o] * whole + lower[o]) *
                                   (weights->high[k][o] * whole + weights->low[k][o]);
            most[o] = product > most[o] ? product : most[o];
            least[o] = product < least[o] ? product : least[o];
        }
    }
    for (unsigned o = 0; o < CHANNELS; o++) {
        const __int128 sum = (__int128)(int64_t)high[o] * ((__int128)1 << 2 * PART) +
                             (__int128)(int64_t)middle[o] * (1 << PART) + (int64_t)low[o];
        row->sum[o] += subtracts ? -sum : sum;
        if (row->overflow[o] == 0) {
            row->overflow[o] = least[o] < -limit      ? -1
                               : most[o] >= limit     ? 1
                               : row->sum[o] < -LIMIT ? -1
                               : row->sum[o] >= LIMIT ? 1
                                                      : 0;
        }
    }
}

void add_exact(struct exact_row *row, const struct channels *channels,
               const struct exact_weights *weights, bool subtracts)
{
    for (unsigned k = 0; k < channels->count; k += STEP) {
        add_step(row, channels, k, weights, subtracts);
    }
}
