/* floats.c: products of fp16, added as the accumulators from v73 on do it: docs/hmx.md, "The float
 * accumulator". All numbers of a step have the exponent of the largest, and what is shifted out of one
 * remains as its lowest bit. */
#include <string.h>

#include "kernels.h"

#define ZERO_EXPONENT (-1000) /* below all others */
#define SHIFT_MAX 31          /* what is farther away is 0 or -1, and the lowest bit */

/* ---- operands ---- */

struct operand {
    int16_t sig, exp;
};

static struct operand operand_of(uint16_t half, bool bf16)
{
    const int field = bf16 ? half >> 7 & 0xff : half >> 10 & 0x1f;
    int exp = (field == 0 ? 1 : field) - (bf16 ? 128 : 16);
    int mag = bf16 ? (half & 0x7f) << 3 : half & 0x3ff;
    mag |= field == 0 ? 0 : 1024;
    for (; !bf16 && mag != 0 && mag < 1024; mag <<= 1) {
        exp--;
    }
    return (struct operand){.sig = (int16_t)((half & 0x8000) != 0 ? -mag : mag),
                            .exp = (int16_t)(mag == 0 ? ZERO_EXPONENT : exp)};
}

/* Of all fp16, or bf16. */
static const struct operand *operands(bool bf16)
{
    static struct operand tables[2][1 << 16];
    static bool filled[2];
    for (uint32_t half = 0; !filled[bf16] && half < 1 << 16; half++) {
        tables[bf16][half] = operand_of((uint16_t)half, bf16);
    }
    filled[bf16] = true;
    return tables[bf16];
}

enum class { FINITE, ZERO, INFINITE, NOT_A_NUMBER };

/* Without `special`, those with the highest exponent are numbers as others are. */
static enum class class_of(uint16_t half, bool bf16, bool special)
{
    const uint32_t top = bf16 ? 0x7f80 : 0x7c00, magnitude = half & 0x7fffu;
    return magnitude == 0                ? ZERO
           : magnitude < top || !special ? FINITE
           : magnitude == top            ? INFINITE
                                         : NOT_A_NUMBER;
}

/* The flag of a product: 1 +infinity, 2 -infinity, 3 not a number. */
static int32_t flag_of(uint16_t a, uint16_t b, const struct float_format *format)
{
    const enum class one = class_of(a, format->bf16,
                                    format->infinities || (format->f8 && format->f8_nan));
    const enum class two = class_of(b, format->bf16,
                                    format->infinities || (format->f8_weights && format->f8_nan));
    if (one < INFINITE && two < INFINITE) {
        return 0;
    }
    if (one == NOT_A_NUMBER || two == NOT_A_NUMBER || one == ZERO || two == ZERO) {
        return 3;
    }
    return ((a ^ b) >> 15 & 1) == (int)format->subtracts ? 1 : 2;
}

void prepare_floats(struct float_weights *weights, const struct float_format *format)
{
    const struct operand *table = operands(format->bf16);
    for (unsigned k = 0; k < CHANNELS; k++) {
        for (unsigned o = 0; o < CHANNELS; o++) {
            const struct operand operand = table[weights->halves[k][o]];
            weights->sig[k][o / LANES][o % LANES] = operand.sig * 16;
            weights->exp[k][o / LANES][o % LANES] = operand.exp;
        }
    }
    for (unsigned k = 0; k < CHANNELS; k += format->step) {
        for (unsigned g = 0; g < GROUPS; g++) {
            lanes any = weights->sig[k][g];
            for (unsigned i = 1; i < format->step; i++) {
                any |= weights->sig[k + i][g];
            }
            weights->zero[k / format->step][g] = any == 0;
        }
    }
}

/* ---- steps ---- */

INLINE lanes select_lanes(lanes condition, lanes yes, lanes no)
{
    return (condition & yes) | (~condition & no);
}

INLINE lanes larger(lanes a, lanes b)
{
    return select_lanes(a > b, a, b);
}

INLINE lanes smaller(lanes a, lanes b)
{
    return select_lanes(a < b, a, b);
}

INLINE lanes sticky(lanes x, lanes n)
{
    n = select_lanes(n > SHIFT_MAX, (lanes){0} + SHIFT_MAX, n);
    const lanes moved = x >> n;
    const lanes lost = (lanes)(((unsigned __attribute__((vector_size(LANES * 4)))) moved) << n) !=
                       x;
    return moved | (lost & 1);
}

/* How many places f can move up, of 3: how many of its bits from `top` down are 0 before a 1. */
INLINE lanes places(lanes f, int32_t top)
{
    f &= 2 * top - 1;
    return -((f < top) + (f < top / 2) + (f < top / 4));
}

/* Adds `count` products. The activations of the channels are `apart` apart. `idle` is -1 where all are zero. */
INLINE void add_step(struct float_row *row, unsigned g, unsigned count, const lanes *sigs,
                     const lanes *exps, size_t apart, const struct float_weights *weights,
                     unsigned k, const struct float_format *format, lanes idle)
{
    const int32_t top = count == EIGHT ? 1 << 29 : 1 << 28; /* v73 looks at one bit less */
    lanes exp[EIGHT], e1 = (lanes){0} + format->least, sum = {0};
    for (size_t i = 0; i < count; i++) {
        exp[i] = exps[i * apart] + weights->exp[k + i][g];
        e1 = larger(e1, exp[i]);
    }
    for (size_t i = 0; i < count; i++) {
        sum += sticky(sigs[i * apart] * weights->sig[k + i][g], e1 - exp[i]);
    }
    const lanes e2 = larger(row->exp[g], e1);
    const lanes a = sticky(row->sig[g], e2 - row->exp[g]), b = sticky(sum, e2 - e1), s = a + b;
    const lanes p = a ^ b, both = a & b, none = ~(a | b);
    const lanes n0 = places(p ^ ~(none << 1), top), n1 = places(p ^ ~(both << 1), top);
    const lanes negative = (a & b) < 0, positive = (a | b) >= 0;
    lanes n = select_lanes(positive, n0, select_lanes(negative, n1, larger(n0, n1)));
    n = smaller(n, e2 + 1 - format->least);
    const lanes sig = sticky(s, (lanes){0} + 1) << n << 2 >> 2;
    const lanes up = e2 + 1 - n, over = up > format->most;
    const lanes zero = weights->zero[k / count][g] | idle;
    const lanes keep = format->infinities ? (lanes){0} : zero;
    row->sig[g] = select_lanes(keep, row->sig[g], sig);
    row->exp[g] = select_lanes(keep, row->exp[g], smaller(up, (lanes){0} + format->most));
    row->inf[g] |= ~keep & over & (1 - (s < 0));
}

/* Notes what the products of a step are if they are no numbers. `halves` has the activations of the
 * channels, for each output channel in a group convolution. */
static void note_flags(struct float_row *row, uint16_t halves[EIGHT][CHANNELS], bool grouped,
                       const struct float_weights *weights, unsigned k,
                       const struct float_format *format)
{
    for (unsigned o = 0; o < CHANNELS; o++) {
        const unsigned from = grouped ? o : 0;
        int32_t flags = 0;
        uint32_t any = 0;
        for (unsigned i = 0; i < format->step; i++) {
            any |= halves[i][from] & 0x7fffu;
            flags |= flag_of(halves[i][from], weights->halves[k + i][o], format);
        }
        const bool idle = any == 0 || weights->zero[k / format->step][o / LANES][o % LANES] != 0;
        if (format->infinities || !idle) {
            row->inf[o / LANES][o % LANES] |= flags;
        }
    }
}

void add_floats(struct float_row *row, const struct channels *channels,
                const struct float_weights *weights, const struct float_format *format)
{
    const struct operand *table = operands(format->bf16);
    const bool grouped = channels->group < CHANNELS;
    const unsigned lanes_used = grouped ? CHANNELS : 1, groups = grouped ? GROUPS : 1;
    lanes sigs[EIGHT * GROUPS], exps[EIGHT * GROUPS];
    uint16_t halves[EIGHT][CHANNELS] = {0};
    for (unsigned k = 0; k < channels->count; k += format->step) {
        int32_t any = 0;
        /* Those of the last eight that have no weight take part with the weight 0. */
        for (unsigned i = 0; i < format->step * lanes_used; i++) {
            const unsigned at = i / lanes_used, o = i % lanes_used;
            uint16_t half = 0;
            if (k + at < channels->count || channels->group >= EIGHT) {
                const uint8_t *from = channels->bytes +
                                      channel_of(channels, k + at, o) * channels->stride;
                memcpy(&half, from, sizeof half);
                half = format->f8 ? half_of_f8(from[format->high_byte]) : half;
            }
            const struct operand operand = table[half];
            const int32_t sig = format->subtracts ? -operand.sig : operand.sig;
            any |= sig;
            halves[at][o] = half;
            if (grouped) {
                sigs[i / LANES][i % LANES] = sig;
                exps[i / LANES][i % LANES] = operand.exp;
            } else {
                sigs[at] = (lanes){0} + sig;
                exps[at] = (lanes){0} + operand.exp;
            }
        }
        if (any == 0 && !format->infinities) {
            continue;
        }
        if (format->infinities || format->f8 || format->f8_weights) {
            note_flags(row, halves, grouped, weights, k, format);
        }
        for (unsigned g = 0; g < GROUPS; g++) {
            const unsigned from = grouped ? g : 0;
            lanes used = {0};
            for (unsigned i = 0; grouped && i < format->step; i++) {
                used |= sigs[i * groups + from];
            }
            const lanes idle = grouped ? used == 0 : (lanes){0};
            if (format->step == EIGHT) {
                add_step(row, g, EIGHT, sigs + from, exps + from, groups, weights, k, format, idle);
            } else {
                add_step(row, g, FOUR, sigs + from, exps + from, groups, weights, k, format, idle);
            }
        }
    }
}
