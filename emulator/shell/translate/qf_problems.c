/* qf_problems.c: finds out what is wrong with results of qf instructions.
 *
 * A number is normalized if n has one bit more than a fraction; sums and conversions normalize, products do not. The
 * formats are described in qfloat_v79.h. */
#include "qf_problems.h"

#include <stddef.h>

static const char range[] = "a result is greater than its format can hold, and becomes infinite";
static const char flushed[] =
    "a product is less than qf16 can hold, and becomes 0, which in hf it would not be";
static const char not_normalized[] =
    "a factor is not normalized, which makes its product less exact: add 0 to the factor first";

static const struct {
    int fraction, greatest, least; /* exponents */
} formats[FORMATS] = {[QF32] = {23, 256, -255},
                      [QF16] = {10, 16, -15},
                      [SF] = {23, 128, -126},
                      [HF] = {10, 16, -14},
                      [BF] = {7, 128, -126}};

/* ---- numbers ---- */

static int highest_bit(uint64_t x)
{
    return 63 - __builtin_clzll(x);
}

static struct number of_ieee(uint32_t bits, int fraction, int exponent)
{
    const int32_t field = (int32_t)(bits >> fraction & ((1u << exponent) - 1));
    const int32_t low = (int32_t)(bits & ((1u << fraction) - 1));
    const int32_t n = low | (field != 0 ? 1 << fraction : 0);
    const bool negative = (bits >> (fraction + exponent) & 1u) != 0;
    return (struct number){negative ? -n : n, (field != 0 ? field : 1) - (1 << (exponent - 1)) + 1,
                           field == (1 << exponent) - 1, negative};
}

struct number qf_number(enum format format, uint32_t bits, uint32_t more)
{
    if (format == SF) {
        return of_ieee(bits, 23, 8);
    }
    if (format == HF) {
        return of_ieee(bits, 10, 5);
    }
    const int32_t all = format == QF32 ? (int32_t)bits >> 8 : (int16_t)bits >> 5;
    const uint32_t l = format == QF32 ? more >> 3 : more >> 1,
                   r = format == QF32 ? more >> 2 : more;
    const int32_t n = 2 * all + (int32_t)(l & 1u) + (int32_t)(r & 1u);
    const int32_t e = format == QF32
                          ? (int32_t)((((bits & 255u) | (more << 7 & 256u)) - 128u) & 511u) - 255
                          : (int32_t)(bits & 31u) - 15;
    const bool greatest = format == QF32
                              ? bits == 0x7fffff7fu || bits == 0x8000007fu
                              : (bits & 0xffffu) == 0x7fffu || (bits & 0xffffu) == 0x801fu;
    return (struct number){n, e, greatest, n < 0 || (n == 0 && (r & 1u) != 0)};
}

/* ---- what is wrong ---- */

/* By how many bits a factor can be shifted until it is normalized, or has the least exponent. */
static int missing_bits(struct number x, enum format format)
{
    const int fraction = formats[format].fraction;
    const int bits = fraction - highest_bit((uint64_t)(x.n < 0 ? -(int64_t)x.n : x.n));
    const int least = formats[fraction == 23 ? QF32 : QF16].least;
    return bits <= 0 ? 0 : bits < x.e - least ? bits : x.e > least ? x.e - least : 0;
}

/* How far a product is from the nearest multiple of 2^bits. */
static uint64_t error_of(uint64_t product, int bits)
{
    const uint64_t rest = bits <= 0 ? 0 : product & ((UINT64_C(1) << bits) - 1);
    return bits <= 0 || rest <= UINT64_C(1) << (bits - 1) ? rest : (UINT64_C(1) << bits) - rest;
}

static const char *wrong_product(struct number u, struct number v, enum format u_format,
                                 enum format v_format, enum format to)
{
    const int fraction = formats[u_format].fraction;
    const int64_t signed_product = (int64_t)u.n * v.n;
    const uint64_t product = (uint64_t)(signed_product < 0 ? -signed_product : signed_product);
    if (product == 0) {
        return NULL;
    }
    const int highest = highest_bit(product), top = highest + u.e + v.e - 2 * fraction;
    if (top >= formats[to].greatest) {
        return range;
    }
    if (to == QF16 && top >= -24 && u.e + v.e + (highest > 2 * fraction) < formats[QF16].least) {
        return flushed;
    }
    const int shift = missing_bits(u, u_format) + missing_bits(v, v_format);
    if (shift == 0 || fraction != formats[to].fraction) {
        return NULL;
    }
    const int more = highest + shift > 2 * fraction;
    return error_of(product, fraction - shift + more) <
                   error_of(product, fraction + (highest > 2 * fraction))
               ? not_normalized
               : NULL;
}

static const char *wrong_sum(struct number u, struct number v, enum format to)
{
    const int32_t greater = u.e > v.e ? u.e : v.e, less = u.e > v.e ? v.e : u.e;
    if (greater < formats[to].greatest - 1 || greater - less > 2 * formats[to].fraction) {
        return NULL;
    }
    const int64_t sum = (int64_t)u.n * (INT64_C(1) << (u.e - less)) +
                        (int64_t)v.n * (INT64_C(1) << (v.e - less));
    const uint64_t size = (uint64_t)(sum < 0 ? -sum : sum);
    return size != 0 && highest_bit(size) + less - formats[to].fraction >= formats[to].greatest
               ? range
               : NULL;
}

static const char *wrong_conversion(struct number u, enum format from, enum format to)
{
    const uint32_t size = (uint32_t)(u.n < 0 ? -u.n : u.n);
    if (size == 0 || u.special) {
        return NULL;
    }
    const int highest = highest_bit(size), top = highest + u.e - formats[from].fraction;
    /* what is rounded up becomes infinite, too */
    const uint32_t ones = ~0u << (30 - formats[to].fraction);
    const bool rounded = size << (31 - highest) >= ones;
    return top + rounded >= formats[to].greatest ? range : NULL;
}

const char *qf_problem(enum operation operation, const enum format from[2], enum format to,
                       const struct number numbers[2])
{
    const struct number u = numbers[0], v = numbers[1];
    const char *problem = NULL;
    if (operation == CONVERSION) { /* perhaps of a pair */
        problem = wrong_conversion(u, from[0], to);
        return problem != NULL ? problem : wrong_conversion(v, from[0], to);
    }
    if (u.special || v.special) {
        return NULL;
    }
    if (operation == PRODUCT) {
        return wrong_product(u, v, from[0], from[1], to);
    }
    return wrong_sum(u, (struct number){operation == SUM ? v.n : -v.n, v.e, false, false}, to);
}
