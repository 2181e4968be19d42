/* ieee.h: IEEE numbers of 32 and 16 bits in vectors.
 *
 * Sums, products and conversions round to nearest, ties to even. What is said of NaN is said by
 * QEMU's implementation of these instructions, which Qualcomm's engineers wrote. */
#ifndef BUILDTOOL_SHELL_IEEE_H
#define BUILDTOOL_SHELL_IEEE_H

#include "vector.h"

/* The bits of the fraction and of the exponent. */
#define SF 23, 8
#define HF 10, 5
#define BF 7, 8

INLINE int width_of(int fraction, int exponent)
{
    return fraction + exponent + 1;
}
INLINE int sign_bit(int fraction, int exponent)
{
    return (int)(1u << (fraction + exponent));
}
INLINE int infinity(int fraction, int exponent)
{
    return ((1 << exponent) - 1) << fraction;
}
INLINE int all_but_sign(int fraction, int exponent) /* also the bits of a NaN */
{
    return (int)((1u << (fraction + exponent)) - 1);
}

struct number {
    words m, e; /* m * 2^e */
};

/* A number in the low bits of a word. An infinity is taken for one, too: see `finish`. */
INLINE struct number unpack(words bits, int fraction, int exponent)
{
    const int bias = (1 << (exponent - 1)) - 1;
    const words field = logical(left(bits, 32 - fraction - exponent), 32 - exponent);
    const words normal = left(one_if_positive(field), fraction);
    const words size = (bits & splat((1 << fraction) - 1)) | normal;
    return (struct number){
        .m = with_sign(size, if_negative(left(bits, 31 - fraction - exponent))),
        .e = maximum(field, splat(1)) - splat(bias + fraction),
    };
}

/* Rounds half of x to an integer. `rest`: 1 if there are bits below x, otherwise 0. x >= 0. */
INLINE words round_half(words x, words rest)
{
    const words half = logical(x, 1);
    return half + (x & (half | rest) & splat(1));
}

/* Bit 0 of m can stand for lower bits. The sign of 0 is lost. */
INLINE words pack(struct number x, int fraction, int exponent)
{
    const int bias = (1 << (exponent - 1)) - 1, top = (1 << exponent) - 1;
    const words size = magnitude(x.m), zeros = leading_zeros(size);
    const words full = logical_by(size, splat(1) - zeros); /* bit 30 is set */
    const words field = x.e - zeros + splat(31 + bias);
    const words below = minimum(maximum(splat(1) - field, splat(0)), splat(fraction + 2));
    const words shift = below + splat(29 - fraction); /* one bit less than what is cut off */
    const words twice = logical_by(full, shift);
    const words rounded = round_half(twice, one_if_positive(full ^ left_by(twice, shift)));
    const words exponents = minimum(maximum(field, splat(1)), splat(top)) - splat(1);
    const words finite = left(exponents, fraction) + rounded - splat(1);
    const words most = splat((top << fraction) - 1);
    const words bits = (minimum(finite, most) + splat(1)) & if_nonzero(size);
    return bits | left(logical(x.m, 31), fraction + exponent);
}

/* The same number with |m| < 2^30, and >= 2^29 unless it is 0. */
INLINE struct number normalized(struct number x)
{
    const words n = (words)Q6_Vw_vnormamt_Vw(V(x.m)) - splat(1);
    return (struct number){left_by(x.m, n), x.e - n};
}

/* The same number, with a low exponent if it is 0. */
INLINE struct number zero_low(struct number x)
{
    return (struct number){x.m, x.e - (~if_nonzero(x.m) & splat(1 << 12))};
}

/* The same number with |m| < 2^30, of one with `bits` bits. */
INLINE struct number scaled(struct number x, int bits)
{
    return (struct number){left(x.m, 30 - bits), x.e - splat(30 - bits)};
}

/* The exact sum, or one that rounds in the same way. |m| < 2^30; the one with the greater exponent
 * is normalized, or its unit is the unit of the result. */
INLINE struct number sum(struct number a, struct number b)
{
    const words distance = a.e - b.e;
    const words change = (a.m ^ b.m) & if_negative(distance);
    const words small = b.m ^ change, shift = minimum(magnitude(distance), splat(31));
    const words shifted = right_by(small, shift);
    const words lost = one_if_positive(small ^ left_by(shifted, shift));
    return (struct number){(a.m ^ change) + (shifted | lost), maximum(a.e, b.e)};
}

/* The product of numbers of at most 12 bits and their signs. */
INLINE struct number short_product(struct number a, struct number b)
{
    const words size = magnitude(b.m), other = with_sign(a.m, if_negative(b.m));
    return (struct number){(words)Q6_Vw_vmpyie_VwVuh(V(other), V(size)), a.e + b.e};
}

/* The 64 bits of a product: the low and the high words. */
INLINE pair wide_product(words a, words b)
{
    return Q6_W_vmpyoacc_WVwVh(Q6_W_vmpye_VwVuh(V(a), V(b)), V(a), V(b));
}

/* The exact product, or one that rounds in the same way. */
INLINE struct number product(struct number a, struct number b)
{
    a = normalized(a);
    b = normalized(b);
    const pair whole = wide_product(a.m, b.m);
    return (struct number){
        .m = high(whole) | (if_nonzero(low(whole)) & splat(1)),
        .e = a.e + b.e + splat(32),
    };
}

/* ---- infinities and NaN ---- */

/* A lane, if it is no number, otherwise 0. */
INLINE words special(words x, int f, int e)
{
    const words size = x & constant(all_but_sign(f, e), width_of(f, e));
    const words distance = minus(size, constant(infinity(f, e), width_of(f, e)), width_of(f, e));
    return x & ~negative(distance, width_of(f, e));
}

/* The special value of a sum of two lanes or special values. */
INLINE words special_sum(words u, words v, int f, int e)
{
    const words a = special(u, f, e), b = special(v, f, e);
    const words opposite = ~nonzero(a ^ b ^ constant(sign_bit(f, e), width_of(f, e)),
                                    width_of(f, e));
    return a | b | opposite; /* of two infinities: all ones, a NaN */
}

INLINE words special_product(words u, words v, int f, int e)
{
    const int width = width_of(f, e);
    const words size = constant(all_but_sign(f, e), width);
    const words some = (special(u, f, e) | special(v, f, e)) & size;
    const words zero = ~(nonzero(u & size, width) & nonzero(v & size, width));
    return (some | zero | ((u ^ v) & ~size)) & nonzero(some, width);
}

/* The result, unless there is a special value. All NaN become the one with all bits but the sign. */
INLINE words finish(words result, words special, int f, int e)
{
    const int width = width_of(f, e);
    const words nan = nonzero(special & constant((1 << f) - 1, width), width);
    const words value = choose(nan, constant(all_but_sign(f, e), width), special);
    return choose(nonzero(special, width), value, result);
}

/* Special values of hf or bf, in the low bits of words, as those of sf. */
INLINE words widened(words special, int f, int e)
{
    const words infinite = if_nonzero(special) & splat(infinity(SF));
    return left(special & splat(sign_bit(f, e)), 31 - f - e) | infinite |
           left(special & splat((1 << f) - 1), 23 - f);
}

#endif
