/* qfloat.h: Qualcomm's floating point, qf32 and qf16, as v68 to v75 encode and round it.
 *
 * The high bits are a significand in two's complement, below which one more bit is always set; the
 * low 8 or 5 bits are an exponent. No value is special, and none is 0: an exact 0 has all bits 0.
 * For v79 and later, see qfloat_v79.h.
 * Source of the rounding: QEMU's implementation, which Qualcomm's engineers wrote. */
#ifndef BUILDTOOL_SHELL_QFLOAT_H
#define BUILDTOOL_SHELL_QFLOAT_H

#include "ieee.h"

/* The bits of the significand without its sign, and of the exponent. */
#define QF32 23, 8
#define QF16 10, 5

/* Here e is the exponent that the format has: the number is m * 2^(e - fraction). */

INLINE struct number of_qf32(words bits)
{
    return (struct number){right(bits, 7) | splat(1), (bits & splat(0xff)) - splat(127)};
}
INLINE struct number of_qf16(words bits) /* in the low bits of a word */
{
    return (struct number){right(left(bits, 16), 20) | splat(1), (bits & splat(0x1f)) - splat(15)};
}
INLINE struct number of_sf(words bits)
{
    const struct number x = unpack(bits, SF);
    return (struct number){x.m, x.e + splat(23)};
}
INLINE struct number of_hf(words bits)
{
    const struct number x = unpack(bits, HF);
    return (struct number){x.m, x.e + splat(10)};
}

/* Rounds x * 2^(e - fraction - 1), that is, x in eighths of 4 units. `rest`: 1 if there are bits
 * below x, otherwise 0. Fractions of 3/8 or less become 1 unit, those above 5/8 become 3 units, and
 * those between them become the 2 that the next exponent can express. */
INLINE words round_qf(words x, words rest, words e, int fraction, int exponent)
{
    const int highest = 1 << (exponent - 1), lowest = 1 - highest, top = 1 << (fraction + 2);
    const words sign = if_negative(x), some = if_nonzero(x | rest);
    const words over = if_less(splat(top - 1), x) | if_negative(x + splat(top));
    const words above = if_less(splat(highest), e - over);
    const words below = if_less(e, splat(lowest - 1));
    const words next = over | (if_less(e, splat(lowest)) & ~below); /* takes the next exponent */
    const words middle = if_less(e, splat(highest)) & ~next;
    const words eighths_of = choose(next, right(x, 1), x);
    const words eighths = (eighths_of & splat(7)) + (rest | (x & next & splat(1)));
    const words whole = right(eighths_of, 3);
    const words half = if_less(splat(3), eighths) & if_less(eighths, splat(6)) & middle;
    const words up = if_less(splat(4) - middle, eighths);
    const words inside = choose(half, whole, left(whole, 1) - up);
    const words most = sign ^ splat((1 << fraction) - 1);
    const words m = choose(above, most, choose(below, sign, inside));
    const words inside_e = e - next - half;
    const words result_e = choose(above, splat(highest), choose(below, splat(lowest), inside_e));
    const words field = (result_e + splat(highest - 1)) & splat((1 << exponent) - 1);
    return (left(m, exponent) | field) & some;
}

/* The sum has the exponent of the number with the greater one, normalized, or the other's. */
INLINE words sum_qf(struct number a, struct number b, int fraction, int exponent)
{
    const words swap = if_less(a.e, b.e + splat(1));
    const words change = (a.m ^ b.m) & swap;
    const words large = a.m ^ change, small = b.m ^ change;
    const words large_e = maximum(a.e, b.e), small_e = minimum(a.e, b.e);
    const words true_e = large_e - leading_zeros(magnitude(large)) + splat(31 - fraction);
    const words e = maximum(true_e, small_e);
    const words shift = minimum(e - small_e - splat(1), splat(31));
    const words shifted = right_by(small, shift);
    const words rest = one_if_positive(small ^ left_by(shifted, shift));
    const words x = left_by(large, large_e - e + splat(1)) + shifted;
    return round_qf(x, rest, e, fraction, exponent);
}

INLINE words product_qf32(struct number a, struct number b)
{
    const pair whole = wide_product(left(a.m, 5), left(b.m, 5));
    return round_qf(high(whole), if_nonzero(low(whole)) & splat(1), a.e + b.e, QF32);
}

/* The product of hf and qf16. */
INLINE words product_qf16(struct number a, struct number b)
{
    const struct number whole = short_product(a, b);
    const words x = right(whole.m, 9);
    return round_qf(x, one_if_positive(whole.m ^ left(x, 9)), whole.e, QF16);
}
INLINE words product_qf32_of_16(struct number a, struct number b)
{
    const struct number whole = short_product(a, b);
    return round_qf(left(whole.m, 4), splat(0), whole.e, QF32);
}

/* The same numbers, with the exponents of IEEE numbers. */
INLINE struct number value(struct number x, int fraction)
{
    return (struct number){x.m, x.e - splat(fraction)};
}

#endif
