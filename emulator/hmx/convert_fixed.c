/* convert_fixed.c: docs/hmx.md, "The fixed point convert". */
#include "convert.h"

struct constants {
    int64_t bias;    /* bias32 */
    uint32_t scale;  /* 12 bits; 2048 is 1.0 */
    uint32_t output; /* the bias of the output: 12 bits */
    unsigned exponent, shape;
};

static struct constants constants_of(uint64_t word)
{
    const bool tiny = bits(word, 16, 16) != 0;
    return (struct constants){
        .bias = (int32_t)bits(word, 63, 32),
        .scale = (tiny ? 0 : 2048u) + 2 * (uint32_t)bits(word, 9, 0) + (uint32_t)bits(word, 31, 31),
        .output = (uint32_t)bits(word, 30, 19),
        .exponent = (unsigned)bits(word, 14, 10),
        .shape = (unsigned)(bits(word, 15, 15) << 2 | bits(word, 18, 17)),
    };
}

static int64_t negated(int64_t n)
{
    return ~(n & ~INT64_C(1));
}

static int64_t shaped(unsigned shape, int64_t n, int64_t sum)
{
    switch (shape) {
    case 1:
        return n < 0 ? n : 0;
    case 2:
        return n > 0 ? n : 0;
    case 3:
        return n < 0 ? negated(n) : n;
    case 4:
        return sum == 0 ? 0 : negated(n);
    case 5:
        return sum < 0 ? negated(n) : 0;
    case 6:
        return sum > 0 ? negated(n) : 0;
    case 7:
        return sum == 0 ? 0 : n >= 0 ? negated(n) : n;
    default:
        return n;
    }
}

/* Steps 2 to 5: scales by the exponent, to a number with `fraction` bits behind the point and one more. */
static int64_t scaled(int64_t sum, const struct constants *constants, unsigned fraction, bool jams)
{
    const int64_t wide = (int64_t)((uint64_t)sum << constants->exponent);
    const int64_t one = INT64_C(1) << (fraction + 1), all = wide >> (32 - fraction);
    int64_t kept = all & (one - 1);
    if (sum >= 0) {
        kept += all >= one ? one : 0;
    } else {
        kept = all >= -one ? all : kept - 2 * one;
    }
    int64_t n = 2 * kept;
    n |= jams && n != 0;
    return shaped(constants->shape, n, sum);
}

static int64_t limited(int64_t value, unsigned width, uint32_t rs)
{
    const int64_t most = (INT64_C(1) << width) - 1;
    if ((rs & RS_SIGNED) != 0) {
        return value & most;
    }
    return value < 0 ? 0 : value > most ? most : value;
}

/* All steps on v68 and v69, to a number of `width` bits. 1.0 is the scale 2^places. */
static int64_t old_result(int64_t sum, const struct constants *constants, unsigned width,
                          uint32_t scale, unsigned places, uint32_t rs)
{
    const unsigned fraction = width == 8 ? 12 : 24;
    const int64_t wide = (int64_t)((uint64_t)sum << constants->exponent) >> (32 - fraction);
    const int64_t t = (rs & RS_SIGNED) != 0 ? wide & ((INT64_C(1) << fraction) - 1) : wide;
    const int64_t rounding = (int64_t)(constants->output >> 3 & 1u)
                             << (fraction + places - 1 - width);
    const __int128 product = (__int128)t * scale + rounding;
    return limited((int64_t)(product >> (fraction + places - width)), width, rs);
}

/* The scale of one word there: there is no tiny one. */
static uint32_t old_scale(const struct constants *constants)
{
    return 1024 | (constants->scale >> 1 & 1023u);
}

static uint32_t chosen(uint32_t constant, uint32_t fed_back, uint32_t rs)
{
    return ((rs & RS_MAXIMUM) != 0) == (fed_back > constant) ? fed_back : constant;
}

/* ---- accumulators ---- */

static int32_t low_of(const struct unit *unit, unsigned s, unsigned o)
{
    return unit->fixed[unit->current[FIXED]][s].low[o / LANES][o % LANES];
}

static int32_t high_of(const struct unit *unit, unsigned s, unsigned o)
{
    return unit->fixed[unit->current[FIXED]][s].high[o / LANES][o % LANES];
}

static int64_t upper(int32_t word)
{
    return (int32_t)((uint32_t)word << 4);
}

static int64_t value_of(const struct unit *unit, unsigned s, unsigned o)
{
    return upper(high_of(unit, s, o)) + low_of(unit, s, o);
}

/* ---- the three kinds ---- */

static void to_bytes(const struct unit *unit, const struct operation *operation, uint32_t rs,
                     const uint64_t *words, cells *results)
{
    for (unsigned o = 0; o < CHANNELS; o++) {
        const struct constants constants = constants_of(words[o]);
        for (unsigned s = 0; s < POSITIONS; s++) {
            uint32_t scale = constants.scale, output = constants.output;
            const uint32_t cell = (*results)[s][o];
            int64_t sum = constants.bias;
            if (operation->scale_half != 0) {
                sum = (sum & ~INT64_C(15)) +
                      upper(operation->scale_half == 1 ? low_of(unit, s, o) : high_of(unit, s, o));
            } else {
                sum += value_of(unit, s, o);
            }
            if ((rs & RS_FEEDBACK_BIAS) != 0) {
                output = chosen(output, cell, rs);
            } else if ((rs & RS_FEEDBACK_SCALE) != 0) {
                scale = chosen(scale, cell, rs);
            }
            if (unit->arch < 0x73) {
                (*results)[s][o] =
                    (uint16_t)(old_result(sum, &constants, 8, old_scale(&constants), 10, rs) << 4);
                continue;
            }
            const int64_t n = scaled(sum, &constants, 12, operation->kind == CONVERT);
            (*results)[s][o] = (uint16_t)limited((int64_t)output + (n * scale >> 12), 12, rs);
        }
    }
}

static void to_halves(const struct unit *unit, const struct operation *operation, uint32_t rs,
                      const uint64_t *words, cells *results)
{
    for (unsigned o = 0; o < CHANNELS; o++) {
        const struct constants constants = constants_of(words[o]);
        for (unsigned r = 0; r < ROWS; r++) {
            const int64_t sum = value_of(unit, 2 * r + 1, o) + (value_of(unit, 2 * r, o) >> 8) +
                                constants.bias;
            if (unit->arch < 0x73) {
                set_row(results, r, o,
                        (uint32_t)(old_result(sum, &constants, 16, old_scale(&constants), 10, rs)
                                   << 4));
                continue;
            }
            const int64_t n = scaled(sum, &constants, 24, operation->kind == CONVERT);
            const int64_t rounding = (constants.output >> 3 & 1u) != 0 ? 128 : 0;
            const int64_t v = limited((int64_t)((__int128)n * constants.scale >> 12) + rounding, 24,
                                      rs);
            set_row(results, r, o, (uint32_t)(v >> 4));
        }
    }
}

static void to_squares(const struct unit *unit, const struct operation *operation, uint32_t rs,
                       const uint64_t *words, cells *results)
{
    const unsigned variant = rs >> 9 & 3u;
    for (unsigned o = 0; o < CHANNELS; o += 2) {
        const struct constants even = constants_of(words[o]);
        const struct constants odd = constants_of(words[o + 1]);
        const uint32_t upper_scale = (odd.scale >> 11 << 10) + (uint32_t)bits(words[o + 1], 9, 0);
        const unsigned to = variant == 2 ? o : o + 1;
        for (unsigned r = 0; r < ROWS; r++) {
            uint32_t scale = upper_scale * 2048 + (even.scale & 2047u);
            uint32_t output = (uint32_t)bits(words[o + 1], 30, 23) * 4096 + even.output;
            const unsigned s = 2 * r;
            int64_t ll = value_of(unit, s, o), hl = value_of(unit, s + 1, o);
            int64_t lh = value_of(unit, s, o + 1), hh = value_of(unit, s + 1, o + 1);
            if (variant == 2) {
                lh = ll;
                hh = hl;
            }
            if (variant != 3) {
                ll = hl = 0;
            }
            const int64_t sum = (ll + 256 * (lh + hl) + 65536 * hh + even.bias * 65536) >> 16;
            if (unit->arch < 0x73) {
                const uint32_t both = old_scale(&odd) << 10 | (old_scale(&even) & 1023u);
                set_row(results, r, to, (uint32_t)(old_result(sum, &even, 16, both, 20, rs) << 4));
                set_row(results, r, o + 1 - (to - o), 0);
                continue;
            }
            const int64_t n = scaled(sum, &even, 24, operation->kind == CONVERT);
            const uint32_t cell = (((*results)[s + 1][to] & 0xff0u) << 8) + (*results)[s][to];
            if ((rs & RS_FEEDBACK_BIAS) != 0) {
                output = chosen(output, cell, rs);
            } else if ((rs & RS_FEEDBACK_SCALE) != 0) {
                scale = chosen(scale, 4 * cell, rs);
            }
            const int64_t v = limited((int64_t)(((__int128)n * scale) >> 22) + 16 * (int64_t)output,
                                      24, rs);
            set_row(results, r, to, (uint32_t)(v >> 4));
            if ((rs & RS_FEEDBACK) == 0) {
                set_row(results, r, o + 1 - (to - o), 0);
            }
        }
    }
}

void convert_fixed(const struct unit *unit, const struct operation *operation, uint32_t rs,
                   const uint64_t *words, cells *results)
{
    if (operation->type == UB) {
        to_bytes(unit, operation, rs, words, results);
    } else if (operation->two_by_two) {
        to_squares(unit, operation, rs, words, results);
    } else {
        to_halves(unit, operation, rs, words, results);
    }
}
