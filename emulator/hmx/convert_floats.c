/* convert_floats.c: docs/hmx.md, "The float convert" and "Float on v68 and v69". */
#include "convert.h"

#define ZERO_EXPONENT (-256) /* of a true zero */
#define INFINITE 3

/* A number: sig * 2^(exp - F), where F depends on the place. `inf`: 1 +infinity, 2 -infinity, 3 not a
 * number. */
struct number {
    int64_t sig;
    int32_t exp;
    int32_t inf;
};

/* `places` bits of a shift, of which a 1 remains as the lowest bit. */
static int64_t sticky(int64_t x, int32_t places)
{
    const int32_t n = places > 62 ? 62 : places;
    return n <= 0 ? x : x >> n | ((x & ((INT64_C(1) << n) - 1)) != 0);
}

/* An fp16 or bf16 with more bits of its mantissa, whose number is `width`. 1.0 has sig 2^width. */
static struct number constant_of(uint32_t half, uint32_t more, unsigned width, bool bf16,
                                 bool infinities)
{
    const unsigned mantissa = bf16 ? 7 : 10;
    const uint32_t top = bf16 ? 0xff : 0x1f, field = half >> mantissa & top;
    const uint32_t low = ((half & ((1u << mantissa) - 1)) << (10 - mantissa)) << (width - 10) |
                         more;
    const int64_t mag = (field == 0 ? 0 : INT64_C(1) << width) | low;
    const bool negative = (half & 0x8000u) != 0;
    struct number number = {.sig = negative ? -mag : mag,
                            .exp = (int32_t)(field == 0 ? 1 : field) - (bf16 ? 128 : 16)};
    if (mag == 0) {
        number.exp = ZERO_EXPONENT;
    } else if (infinities && field == top) {
        number.inf = low != 0 ? 3 : negative ? 2 : 1;
    }
    return number;
}

static struct number sum_of(struct number a, struct number b)
{
    const int32_t exp = a.exp > b.exp ? a.exp : b.exp;
    return (struct number){.sig = sticky(a.sig, exp - a.exp) + sticky(b.sig, exp - b.exp),
                           .exp = exp,
                           .inf = a.inf | b.inf};
}

/* To 16 bits, F = 13. */
static struct number normalized(struct number number)
{
    const int64_t m = number.sig < 0 ? ~number.sig : number.sig;
    if (number.sig == 0) {
        return (struct number){.exp = ZERO_EXPONENT, .inf = number.inf};
    }
    const int32_t k = 30 - (m == 0 ? 0 : 64 - __builtin_clzll((uint64_t)m));
    number.exp += 6 - k;
    number.sig = k > 15 ? (int64_t)((uint64_t)number.sig << (k - 15)) : sticky(number.sig, 15 - k);
    if (number.exp > 127 && number.inf == 0) {
        number.inf = number.sig < 0 ? 2 : 1;
    } else if (number.exp < -128) {
        number.exp = ZERO_EXPONENT;
    }
    return number;
}

static bool is_negative(struct number number)
{
    return number.inf == 0 ? number.sig < 0 : number.inf == 2;
}

static bool is_zero(struct number number)
{
    return number.inf == 0 && number.sig == 0;
}

static struct number product_of(struct number a, struct number b)
{
    const bool zero = is_zero(a) || is_zero(b), negative = is_negative(a) != is_negative(b);
    struct number product = {.sig = a.sig * b.sig, .exp = a.exp + b.exp};
    if (a.exp == ZERO_EXPONENT || b.exp == ZERO_EXPONENT) {
        product.exp = ZERO_EXPONENT;
    }
    if (a.inf != 0 || b.inf != 0) {
        product.inf = a.inf == INFINITE || b.inf == INFINITE || zero ? 3 : negative ? 2 : 1;
    }
    return product;
}

/* The size of a number as an integer with `places` bits behind the point less: ties to even. */
static uint64_t rounded(unsigned __int128 mag, int32_t places)
{
    if (places <= 0) {
        return (uint64_t)(mag << -places);
    }
    if (places > 120) {
        return 0;
    }
    const unsigned __int128 half = (unsigned __int128)1 << (places - 1);
    const unsigned __int128 rest = mag & (2 * half - 1), whole = mag >> places;
    return (uint64_t)(whole + (rest > half || (rest == half && (whole & 1) != 0)));
}

static int32_t width_of(unsigned __int128 mag)
{
    const uint64_t high = (uint64_t)(mag >> 64), low = (uint64_t)mag;
    return high != 0 ? 128 - __builtin_clzll(high) : low != 0 ? 64 - __builtin_clzll(low) : 0;
}

/* The exponent and the mantissa, of `mantissa` bits, nearest to mag * 2^exp; at most `most`. */
static uint32_t packed(unsigned __int128 mag, int32_t exp, unsigned mantissa, int32_t exponent_bias,
                       uint32_t most)
{
    int32_t field = width_of(mag) - 1 + exp + exponent_bias;
    field = field < 1 ? 1 : field;
    if (mag == 0) {
        return 0;
    }
    if (field > 512) {
        return most;
    }
    const int32_t lowest = field - exponent_bias - (int32_t)mantissa; /* exponent of the last bit */
    const uint64_t value = ((uint64_t)(field - 1) << mantissa) + rounded(mag, lowest - exp);
    return value > most ? most : (uint32_t)value;
}

/* ---- from v73 on ---- */

/* Bits of results, whose upper 16 are stored: sign, exponent, 14 bits of the mantissa. */
#define RESULT_SIGN 0x80000u

struct rounding {
    uint32_t rs;
    bool infinities, propagates;
};

static uint32_t result_of(struct number number, const struct rounding *how)
{
    const uint32_t rs = how->rs;
    const bool bf16 = (rs & RS_BF16) != 0, fine = (rs & RS_FINE) != 0 && !bf16;
    const bool largest = (rs & RS_LARGEST) != 0;
    const unsigned mantissa = bf16 ? 7 : fine ? 14 : 10, below = fine ? 0 : 4;
    const uint32_t top = bf16 ? 0xffu << 7 : 0x1fu << mantissa, all = (1u << mantissa) - 1;
    const bool nan = number.inf == INFINITE;
    bool negative = is_negative(number);
    if (nan && !how->propagates && (rs & RS_SIGNED) == 0) {
        return 0;
    }
    if (nan && !(largest && !how->propagates)) {
        return 0xfffffu;
    }
    negative = negative || nan;
    if (negative && (rs & RS_SIGNED) == 0) {
        return 0;
    }
    const uint32_t finite = top - 1; /* the largest with another exponent */
    const uint32_t most = how->infinities ? finite : top | all; /* not beyond it */
    uint32_t value = most + 1;
    if (number.inf == 0) {
        const int64_t sig = number.sig;
        value = packed((unsigned __int128)(sig < 0 ? -sig : sig), number.exp - 26, mantissa,
                       bf16 ? 127 : 15, most + 1);
    }
    uint32_t low = 0; /* bits that only feedback sees */
    if (value > most) {
        value = largest ? finite : how->infinities ? top : top | all;
        low = value == top ? 0 : (1u << below) - 1;
    }
    return (negative ? RESULT_SIGN : 0) | value << below | low;
}

/* An 8-bit float: 4 bits of exponent, 3 of mantissa. */
static uint32_t f8_of(struct number number, const struct rounding *how)
{
    const bool nan = number.inf == INFINITE, negative = nan || is_negative(number);
    const bool has_nan = how->infinities && (how->rs & RS_LARGEST) == 0;
    const uint32_t most = how->infinities ? 0x77 : 0x7f;
    const int64_t sig = number.sig;
    uint32_t value = most + 1;
    if (negative && (how->rs & RS_SIGNED) == 0 && !(nan && how->propagates)) {
        return 0;
    }
    if (number.inf == 0) {
        value = packed((unsigned __int128)(sig < 0 ? -sig : sig), number.exp - 26, 3, 7, most + 1);
    }
    if (value > most) {
        if (has_nan) {
            return 0x80;
        }
        value = 0x7f;
    }
    return (negative ? 0x80u : 0) | value;
}

/* Whether one result of 20 bits is larger than the other one, as numbers. */
static bool is_larger(uint32_t a, uint32_t b)
{
    const int32_t x = (int32_t)(a & ~RESULT_SIGN), y = (int32_t)(b & ~RESULT_SIGN);
    return ((a & RESULT_SIGN) != 0 ? -x : x) > ((b & RESULT_SIGN) != 0 ? -y : y);
}

/* The 20 bits of a constant, or what feedback puts in its place. */
static uint32_t fed_back(uint32_t constant, uint32_t result, uint32_t rs, uint32_t which)
{
    const bool takes = (rs & which) != 0 && ((rs & RS_MAXIMUM) != 0 ? is_larger(result, constant)
                                                                    : is_larger(constant, result));
    return takes ? result : constant;
}

static struct number accumulator(const struct unit *unit, unsigned r, unsigned o)
{
    const struct float_row *row = &unit->floats[unit->current[FLOAT]][r];
    return (struct number){.sig = row->sig[o / LANES][o % LANES],
                           .exp = row->exp[o / LANES][o % LANES],
                           .inf = row->inf[o / LANES][o % LANES]};
}

/* The constants of an output channel: those of its word, or what feedback puts in their place. */
struct constants {
    struct number bias, scale, output;
    uint32_t shape;
    bool negates;
};

static struct constants constants_of(uint64_t word, uint32_t result, const struct rounding *how)
{
    const bool bf16 = (how->rs & RS_BF16) != 0;
    const uint32_t scale = fed_back((uint32_t)(bits(word, 15, 0) << 4 | bits(word, 35, 32)), result,
                                    how->rs, RS_FEEDBACK_SCALE);
    const uint32_t output = fed_back((uint32_t)(bits(word, 31, 16) << 4 | bits(word, 39, 36)),
                                     result, how->rs, RS_FEEDBACK_BIAS);
    struct constants constants = {
        .bias = constant_of((uint32_t)bits(word, 63, 48), (uint32_t)bits(word, 47, 43), 15, bf16,
                            how->infinities),
        .scale = constant_of(scale >> 4, scale & 15u, 14, bf16, how->infinities),
        .output = constant_of(output >> 4, output & 15u, 14, bf16, how->infinities),
        .shape = (uint32_t)bits(word, 41, 40),
        .negates = bits(word, 42, 42) != 0,
    };
    constants.bias.sig *= 1 << 8;    /* F = 22 */
    constants.output.sig *= 1 << 13; /* F = 26 */
    return constants;
}

static struct number converted(struct number number, const struct constants *constants,
                               bool propagates)
{
    const uint32_t shape = constants->shape;
    struct number scale = constants->scale;
    number = normalized(sum_of(number, constants->bias));
    const bool negative = is_negative(number);
    const bool nan = number.inf == INFINITE, limits = shape == 1 || shape == 2;
    if (limits && (nan ? !propagates : shape == (negative ? 2 : 1))) {
        number = (struct number){.exp = ZERO_EXPONENT};
    }
    if (constants->negates != (shape == 3 && negative)) {
        scale.sig = -scale.sig;
        scale.inf = scale.inf == 1 || scale.inf == 2 ? 3 - scale.inf : scale.inf;
    }
    return sum_of(product_of(number, scale), constants->output);
}

void convert_floats(const struct unit *unit, const struct operation *operation, uint32_t rs,
                    const uint64_t *words, cells *results)
{
    const struct rounding how = {
        .rs = unit->arch >= 0x81 ? rs : rs & ~(uint32_t)RS_BF16,
        .infinities = (unit->usr >> 20 & 1u) != 0,
        .propagates = (unit->usr >> 21 & 1u) != 0,
    };
    for (unsigned o = 0; o < CHANNELS; o++) {
        struct constants constants = constants_of(
            words[o], 0,
            &(struct rounding){how.rs & ~(uint32_t)RS_FEEDBACK, how.infinities, false});
        for (unsigned r = 0; r < ROWS; r++) {
            if ((rs & RS_FEEDBACK) != 0) {
                constants = constants_of(words[o], row_of(results, r, o), &how);
            }
            const struct number number = converted(accumulator(unit, r, o), &constants,
                                                   how.propagates);
            if (operation->type == F8) {
                const unsigned s = 2 * r + ((rs & RS_HIGH_BYTE) != 0);
                (*results)[s][o] = (uint16_t)(f8_of(number, &how) << 4);
            } else {
                set_row(results, r, o, result_of(number, &how));
            }
        }
    }
}

/* ---- on v68 and v69 ---- */

#define LEAST_SCALE (-31)
#define UNUSED_BITS 62 /* of 128: a sum has 18 bits before the point and 48 behind it */

void convert_exact(const struct unit *unit, const struct operation *operation,
                   const uint64_t *words, cells *results)
{
    const struct exact_row *rows = unit->exact[unit->current[FLOAT]];
    for (unsigned o = 0; o < CHANNELS; o++) {
        const uint32_t word = (uint32_t)words[o];
        const struct number bias = constant_of(word >> 16, word >> 11 & 31u, 15, false, false);
        const int32_t d = (int32_t)(word << 26) >> 26, scale = d < LEAST_SCALE ? LEAST_SCALE : d;
        const uint32_t most = (31u - (word >> 6 & 31u)) << 10 | 0x3ffu;
        for (unsigned r = 0; r < ROWS; r++) {
            /* 1.0 is 2^15 in the bias, and 2^48 in the sum. */
            const __int128 exact = rows[r].sum[o] +
                                   (bias.sig == 0
                                        ? 0
                                        : (__int128)bias.sig * ((__int128)1 << (bias.exp + 34)));
            const __int128 sum = (__int128)((unsigned __int128)exact << UNUSED_BITS) >> UNUSED_BITS;
            const int8_t overflow = rows[r].overflow[o];
            const bool negative = overflow != 0 ? overflow == -1 : sum < 0;
            uint32_t value = overflow != 0 ? most
                                           : packed((unsigned __int128)(sum < 0 ? -sum : sum),
                                                    scale - 48, 10, 15, most);
            value |= negative ? 0x8000u : 0;
            set_row(results, r, o, negative && operation->positive ? 0 : value << 4);
        }
    }
}
