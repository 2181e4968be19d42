/* qfloat_v79.h: qf32 and qf16 as v79 and later compute with them.
 *
 * Beside the bits of a register there are four more for each word, here in a word of their own: of qf32 L,
 * R, E and Q (from bit 3), of qf16 L and R of the odd half, then of the even one. A number is
 * 2M + L + R units, M being its upper bits. R says also that it was negated late, after it was rounded:
 * that decides about signs of zeros and the bits of results. A register that another instruction wrote
 * has RESET in each word. Source: Qualcomm's emulators for v79 and v81 (qualcomm/qemu).
 *
 * Special values and exponents that a format has not are rare: first, results are computed without them,
 * and with `range`, which is negative where there can be one. */
#ifndef BUILDTOOL_SHELL_QFLOAT_V79_H
#define BUILDTOOL_SHELL_QFLOAT_V79_H

#include "ieee.h"

#define RESET 10
/* The exponents that special values have here, so that sums and products of them have those, too. */
#define INFINITE (1 << 12)
#define NOT_A_NUMBER (1 << 14)
#define IS_SPECIAL (1 << 11) /* or less */
#define IS_NAN (3 << 12)

enum kind { QF32, QF16, SF32, HF16 };

INLINE int fraction_of(enum kind kind)
{
    return kind == QF32 || kind == SF32 ? 23 : 10;
}
INLINE int greatest_of(enum kind kind)
{
    return kind == QF32 ? 256 : kind == SF32 ? 128 : 16;
}
INLINE int least_of(enum kind kind)
{
    return kind == QF32 ? -255 : -15;
}

struct qnumber {
    words n;    /* the number is n * 2^(e - fraction) */
    words e;    /* of special values, whose n is 1 or -1, see above */
    words late; /* a mask: negated late; of IEEE numbers: negative */
};

/* A number in quarters of a unit, of which the lowest stands for all below, too. */
struct exact {
    words x, e, late;
};

/* As if_nonzero, which keeps a zero in a register. */
INLINE words is_some(words x)
{
    return if_negative(x | (splat(0) - x));
}
INLINE words bit(words x, int n)
{
    return logical(x, n) & splat(1);
}
/* Whether any lane is negative. Of what gives lanes to a scalar register, qemu executes this fastest: it
 * takes long for stores, comparisons and rotations of vectors, and less for half of the words. */
INLINE int any_negative(words x)
{
    const HVX_Vector tops = Q6_Vh_vpacko_VwVw(V(x), V(x));
    int all, word, at;
    __asm__("{ %0 = #0; %2 = #0 }\n"
            ".set at,0\n"
            ".rept 16\n"
            ".set at,at+4\n"
            "{ %1 = vextract(%3,%2) }\n"
            "{ %0 = or(%0,%1); %2 = #at }\n"
            ".endr"
            : "=&r"(all), "=&r"(word), "=&r"(at)
            : "v"(tops));
    return all & (int)0x80008000u;
}

/* A zero is negative if it was negated. */
INLINE words below_zero(struct qnumber x)
{
    return if_negative(x.n + x.late);
}
INLINE struct qnumber opposite(struct qnumber x)
{
    return (struct qnumber){splat(0) - x.n, x.e, ~x.late};
}

/* ---- decoding ---- */

/* The bits of halves are in the low ones; others can be above them. Special values are still numbers. */
INLINE struct qnumber decode(enum kind kind, words bits, words more)
{
    const words one = splat(1);
    struct qnumber x;
    if (kind == QF32) {
        const words r = logical(more, 2) & one;
        x.late = splat(0) - r;
        x.n = ((right(bits, 7) & splat(-2)) | (logical(more, 3) & one)) + r;
        /* the exponent has nine bits, and a sign */
        const words low = logical(left(bits, 24), 1), top = left(logical(more, 1), 31);
        x.e = right(low + top + splat(0x40000000), 23) + one;
    } else if (kind == QF16) {
        const words r = more & splat(1); /* registers are scarce */
        x.late = splat(0) - r;
        x.n = ((right(left(bits, 16), 20) & splat(-2)) | bit(more, 1)) + r;
        x.e = (bits & splat(0x1f)) - splat(15);
    } else {
        const int fraction = fraction_of(kind), bias = greatest_of(kind) - 1;
        const int exponent = kind == SF32 ? 8 : 5;
        const words field = logical(left(bits, 32 - fraction - exponent), 32 - exponent);
        const words low = bits & splat((1 << fraction) - 1);
        x.late = if_negative(left(bits, 31 - fraction - exponent));
        x.n = with_sign(low | left(minimum(field, one), fraction), x.late);
        x.e = maximum(field, one) - splat(bias);
    }
    return x;
}

/* Negative if it can be a special value. */
INLINE words room(enum kind kind, struct qnumber x)
{
    return splat(greatest_of(kind) - 1) - x.e;
}

/* The same number, or the special value. */
INLINE struct qnumber specials(enum kind kind, struct qnumber x, words bits, words more)
{
    words differs, nan, sign; /* 0: a special value; bit 0: a NaN; a mask */
    if (kind == QF32) {
        sign = if_negative(bits);
        const words other = more ^ (sign & splat(12));
        differs = (bits ^ (sign & splat(-0x100)) ^ splat(0x7fffff7f)) |
                  ((other & splat(10)) ^ splat(8));
        nan = logical(other, 2);
    } else if (kind == QF16) {
        sign = if_negative(left(bits, 16));
        const words other = more ^ sign;
        differs = ((bits ^ (sign & splat(0xffe0)) ^ splat(0x7fff)) & splat(0xffff)) |
                  ((other & splat(2)) ^ splat(2));
        nan = other;
    } else {
        sign = x.late;
        differs = x.e ^ splat(greatest_of(kind));
        nan = is_some(bits & splat((1 << fraction_of(kind)) - 1));
    }
    const words number = is_some(differs);
    const words e = splat(INFINITE) + ((splat(0) - (nan & splat(1))) & splat(NOT_A_NUMBER));
    return (struct qnumber){choose(number, x.n, sign | splat(1)), choose(number, x.e, e),
                            x.late & number};
}

/* ---- encoding ---- */

struct qf {
    words bits, more, range;
};

/* Rounds to nearest, ties to even, the number before it is negated. `rare`: all results are right; otherwise
 * see above. */
INLINE struct qf encode(enum kind kind, struct exact a, int rare)
{
    const int fraction = fraction_of(kind), greatest = greatest_of(kind);
    const words one = splat(1);
    const words early = with_sign(a.x, a.late);
    words over = minimum(logical(early ^ if_negative(early), fraction + 3), one);
    if (rare) {
        over &= if_less(a.e, splat(greatest));
    }
    const words e = a.e + over;
    const words x = early ^ ((early ^ (right(early, 1) | (early & one))) & (splat(0) - over));
    const words half = right(x, 1), whole = right(x, 2);
    const words up = half & (x | whole) & one;
    const words n = whole ^ a.late;
    struct qf result;
    if (kind == QF32) {
        const words inexact = (x | half) & ~up & one, field = e + splat(383);
        result.bits = (left(n, 7) & splat(-0x100)) | (field & splat(0xff));
        result.more = ((left(up, 2) | inexact) ^ (a.late & splat(5))) | (left(n, 3) & splat(8)) |
                      (logical(field, 7) & splat(2));
    } else {
        result.bits = (left(n, 4) & splat(0xffe0)) | ((e + splat(15)) & splat(0x1f));
        result.more = (left(n, 1) & splat(2)) | ((up ^ a.late) & one);
    }
    result.range = (e - splat(least_of(kind))) | (splat(greatest - 1) - e);
    if (!rare) {
        return result;
    }
    const words large = ~if_less(x ^ if_negative(x), splat(4 << fraction));
    const words above = if_less(splat(greatest), e) | (large & if_less(splat(greatest - 1), e));
    const words below = if_less(e, splat(least_of(kind)));
    const words special = if_less(splat(IS_SPECIAL), e);
    const words nan = if_less(splat(IS_NAN), e) | (special & ~is_some(a.x));
    const words negative = if_negative(a.x + a.late);
    if (kind == QF32) {
        const words above_more = choose(nan, splat(13), splat(9) + special);
        const words odd_more = choose(above, above_more, splat(1)) ^ (negative & splat(13));
        const words odd_bits = choose(above, splat(0x7fffff7f), splat(0x80));
        result.more = choose(above | below, odd_more, result.more);
        result.bits = choose(above | below, odd_bits ^ (negative & splat(-0x100)), result.bits);
    } else {
        const words odd_more = (above & (splat(2) - nan)) ^ (negative & splat(3));
        const words odd_bits = (above & splat(0x7fff)) ^ (negative & splat(0xffe0));
        result.more = choose(above | below, odd_more, result.more);
        result.bits = choose(above | below, odd_bits, result.bits);
    }
    return result;
}

/* ---- sums and products ---- */

/* The sum has the exponent of the number with the greater one, normalized, or the other's. */
INLINE struct exact sum_of(struct qnumber a, struct qnumber b, int fraction)
{
    const words swap = if_less(a.e, b.e + splat(1));
    const words sign_a = a.n + a.late, sign_b = b.n + b.late;
    const words differ = if_negative(sign_a ^ sign_b), late = a.late & b.late;
    const words first = choose(swap, sign_b, sign_a);
    const words change = (a.n ^ b.n) & swap;
    const words large = a.n ^ change, small = b.n ^ change;
    const words large_e = maximum(a.e, b.e), small_e = minimum(a.e, b.e);
    const words zero = ~is_some(large) & splat(1 << 20);
    const words highest = splat(31 - fraction) - leading_zeros(first ^ if_negative(first));
    const words e = maximum(large_e + highest + differ - zero, small_e);
    const words shift = minimum(e - small_e - splat(2), splat(31));
    const words shifted = right_by(small, shift);
    const words lost = is_some(small ^ left_by(shifted, shift)) & splat(1);
    return (struct exact){left_by(large, large_e - e + splat(2)) + (shifted | lost), e, late};
}

/* x: the product. */
INLINE struct exact product_of(struct qnumber a, struct qnumber b, words x, enum kind kind)
{
    const words before = with_sign(a.n, a.late) | with_sign(b.n, b.late);
    const words e = a.e + b.e;
    const words zero = ~is_some(x) & if_less(e, splat(IS_SPECIAL));
    return (struct exact){x, choose(zero, splat(least_of(kind)), e),
                          a.late ^ b.late ^ if_negative(before)};
}
INLINE struct exact product_32(struct qnumber a, struct qnumber b)
{
    const pair whole = wide_product(left(a.n, 5), left(b.n, 6));
    return product_of(a, b, high(whole) | (is_some(low(whole)) & splat(1)), QF32);
}
INLINE words halves_product(struct qnumber a, struct qnumber b)
{
    return short_product((struct number){a.n, a.e}, (struct number){b.n, b.e}).m;
}
INLINE struct exact product_16(struct qnumber a, struct qnumber b)
{
    const words whole = halves_product(a, b);
    return product_of(a, b, right(whole, 8) | one_if_positive(whole & splat(0xff)), QF16);
}
INLINE struct exact wide_product_16(struct qnumber a, struct qnumber b)
{
    return product_of(a, b, left(halves_product(a, b), 5), QF32);
}

/* ---- to IEEE numbers ---- */

/* `inexact`: bit 0 is set if what was computed is a little above the number before it was negated. */
INLINE words to_ieee(struct qnumber x, words inexact, int from, int fraction, int exponent)
{
    /* with zeros below, so that a bit can stand for what is lower still */
    const struct number exact = normalized((struct number){with_sign(x.n, x.late), x.e});
    const words size = magnitude(exact.m | (inexact & is_some(exact.m) & splat(1)));
    const words bits = pack((struct number){size, exact.e - splat(from)}, fraction, exponent);
    const words nan = if_less(splat(IS_NAN), x.e);
    return choose(nan, splat(all_but_sign(fraction, exponent)), bits) |
           left(below_zero(x) & splat(1), fraction + exponent);
}

/* The same, of a number that is 0 or normal in both formats. `range`: see above. The significand of qf32 fits into
 * sf, and that of qf16 into hf. */
INLINE words to_normal(struct qnumber x, words inexact, int from, int fraction, int exponent,
                       words *range)
{
    const int bias = (1 << (exponent - 1)) - 1, top = (1 << exponent) - 1, cut = 30 - fraction;
    const words size = magnitude(x.n), zeros = leading_zeros(size), some = is_some(size);
    const words field = x.e - zeros + splat(31 - from + bias);
    const words full = left_by(size, zeros);
    words low = logical(full, cut + 1);
    if (from != fraction) {
        const words whole = full + with_sign(inexact & splat(1), if_negative(x.n) ^ x.late);
        low = round_half(logical(whole, cut), one_if_positive(whole & splat((1 << cut) - 1)));
    }
    *range = ((field - splat(1)) | (splat(top - 2) - field)) & some;
    return ((left(field - splat(1), fraction) + low) & some) |
           left(below_zero(x) & splat(1), fraction + exponent);
}

#endif
