/* operations_ieee.c: the instructions of HVX that compute with IEEE numbers. */
#include "operations.h"

/* ---- sums ---- */

INLINE words sign_of_sum(words u, words v, int f, int e) /* of zeros */
{
    return u & v & constant(sign_bit(f, e), width_of(f, e));
}
INLINE words negated(words x, int f, int e)
{
    return x ^ constant(sign_bit(f, e), width_of(f, e));
}

INLINE words add_sf(words u, words v)
{
    const words finite = pack(sum(scaled(unpack(u, SF), 24), scaled(unpack(v, SF), 24)), SF);
    return finish(finite | sign_of_sum(u, v, SF), special_sum(u, v, SF), SF);
}
INLINE words add_half(words u, words v)
{
    return pack(sum(scaled(unpack(u, HF), 11), scaled(unpack(v, HF), 11)), HF);
}
INLINE words add_hf(words u, words v)
{
    const words finite = HALVES_2(add_half, u, v) | sign_of_sum(u, v, HF);
    return finish(finite, special_sum(u, v, HF), HF);
}
/* hf or bf in the low bits of words; the sum is sf */
INLINE words add_wide(words u, words v, int f, int e)
{
    const words finite = pack(sum(scaled(unpack(u, f, e), f + 1), scaled(unpack(v, f, e), f + 1)),
                              SF);
    const words sign = left(u & v & splat(sign_bit(f, e)), 31 - f - e);
    return finish(finite | sign, widened(even(special_sum(u, v, f, e)), f, e), SF);
}
INLINE words add_hf_wide(words u, words v)
{
    return add_wide(u, v, HF);
}
INLINE words add_bf_wide(words u, words v)
{
    return add_wide(u, v, BF);
}

BINARY(Vsf_vadd_VsfVsf, add_sf(u, v))
BINARY(Vsf_vsub_VsfVsf, add_sf(u, negated(v, SF)))
BINARY(Vhf_vadd_VhfVhf, add_hf(u, v))
BINARY(Vhf_vsub_VhfVhf, add_hf(u, negated(v, HF)))
BINARY_PAIR(Wsf_vadd_VhfVhf, WIDE_2(add_hf_wide, u, v))
BINARY_PAIR(Wsf_vsub_VhfVhf, WIDE_2(add_hf_wide, u, negated(v, HF)))
BINARY_PAIR(Wsf_vadd_VbfVbf, WIDE_2(add_bf_wide, u, v))
BINARY_PAIR(Wsf_vsub_VbfVbf, WIDE_2(add_bf_wide, u, negated(v, BF)))

/* ---- products ---- */

INLINE words sign_of_product(words u, words v, int f, int e)
{
    return (u ^ v) & constant(sign_bit(f, e), width_of(f, e));
}

INLINE words multiply_sf(words u, words v)
{
    const words finite = pack(product(unpack(u, SF), unpack(v, SF)), SF);
    return finish(finite | sign_of_product(u, v, SF), special_product(u, v, SF), SF);
}
INLINE words multiply_half(words u, words v)
{
    return pack(short_product(unpack(u, HF), unpack(v, HF)), HF);
}
INLINE words multiply_hf(words u, words v)
{
    const words finite = HALVES_2(multiply_half, u, v) | sign_of_product(u, v, HF);
    return finish(finite, special_product(u, v, HF), HF);
}
INLINE words wide_special_product(words u, words v, int f, int e)
{
    return widened(even(special_product(u, v, f, e)), f, e);
}
INLINE words wide_sign(words u, words v, int f, int e)
{
    return left((u ^ v) & splat(sign_bit(f, e)), 31 - f - e);
}
INLINE words multiply_wide(words u, words v, int f, int e)
{
    const words finite = pack(short_product(unpack(u, f, e), unpack(v, f, e)), SF);
    return finish(finite | wide_sign(u, v, f, e), wide_special_product(u, v, f, e), SF);
}
INLINE words multiply_hf_wide(words u, words v)
{
    return multiply_wide(u, v, HF);
}
INLINE words multiply_bf_wide(words u, words v)
{
    return multiply_wide(u, v, BF);
}

BINARY(Vsf_vmpy_VsfVsf, multiply_sf(u, v))
BINARY(Vhf_vmpy_VhfVhf, multiply_hf(u, v))
BINARY(Vhf_vmpy_VhfRhf, multiply_hf(u, both(v, v))) /* only as one of qf16 */
BINARY_PAIR(Wsf_vmpy_VhfVhf, WIDE_2(multiply_hf_wide, u, v))
BINARY_PAIR(Wsf_vmpy_VbfVbf, WIDE_2(multiply_bf_wide, u, v))

/* ---- products that are added, rounded once ---- */

INLINE words fused_half(words x, words u, words v)
{
    const struct number whole = zero_low(normalized(short_product(unpack(u, HF), unpack(v, HF))));
    const words sign = x & (u ^ v) & splat(sign_bit(HF));
    return pack(sum(whole, scaled(unpack(x, HF), 11)), HF) | sign;
}
INLINE words fused_hf(words x, words u, words v)
{
    const words special = special_sum(x, special_product(u, v, HF), HF);
    return finish(HALVES_3(fused_half, x, u, v), special, HF);
}
INLINE words fused_wide(words x, words u, words v, int f, int e)
{
    const struct number whole = zero_low(
        normalized(short_product(unpack(u, f, e), unpack(v, f, e))));
    const words finite = pack(sum(whole, scaled(unpack(x, SF), 24)), SF);
    const words special = special_sum(x, wide_special_product(u, v, f, e), SF);
    return finish(finite | (x & wide_sign(u, v, f, e)), special, SF);
}
INLINE words fused_hf_wide(words x, words u, words v)
{
    return fused_wide(x, u, v, HF);
}
INLINE words fused_bf_wide(words x, words u, words v)
{
    return fused_wide(x, u, v, BF);
}
/* The sum of two products, each of which is exact. */
INLINE words dot_hf(words u, words v)
{
    const words first = multiply_hf_wide(even(u), even(v));
    return add_sf(first, multiply_hf_wide(odd(u), odd(v)));
}

ACCUMULATE(Vhf_vmpyacc_VhfVhfVhf, fused_hf(x, u, v))
ACCUMULATE_PAIR(Wsf_vmpyacc_WsfVhfVhf, WIDE_3(fused_hf_wide, x, u, v))
ACCUMULATE_PAIR(Wsf_vmpyacc_WsfVbfVbf, WIDE_3(fused_bf_wide, x, u, v))
BINARY(Vsf_vdmpy_VhfVhf, dot_hf(u, v))
ACCUMULATE(Vsf_vdmpyacc_VsfVhfVhf, add_sf(dot_hf(u, v), x)) /* rounded twice */

/* ---- signs, which NaN have, too ---- */

UNARY(Vsf_vabs_Vsf, u &splat(all_but_sign(SF)))
UNARY(Vhf_vabs_Vhf, u &constant(all_but_sign(HF), 16))
UNARY(Vsf_vfneg_Vsf, negated(u, SF))
UNARY(Vhf_vfneg_Vhf, negated(u, HF))
UNARY(Vw_vfmv_Vw, u)

/* ---- order ---- */

/* Integers in the order of numbers, -0 before 0. */
INLINE words order(words x, int f, int e)
{
    const words sign = negative(x, width_of(f, e));
    return x ^ (sign & constant(all_but_sign(f, e), width_of(f, e)));
}
INLINE words number_nan(words x, int f, int e) /* a mask */
{
    const int width = width_of(f, e);
    const words size = x & constant(all_but_sign(f, e), width);
    return negative(minus(constant(infinity(f, e), width), size, width), width);
}
/* A NaN of either operand is the result. */
INLINE words with_nan(words result, words u, words v, int f, int e)
{
    const words nan = number_nan(u, f, e) | number_nan(v, f, e);
    return choose(nan, constant(all_but_sign(f, e), width_of(f, e)), result);
}
INLINE words greatest(words u, words v, int f, int e)
{
    return order(larger(order(u, f, e), order(v, f, e), width_of(f, e)), f, e);
}
INLINE words least(words u, words v, int f, int e)
{
    return order(smaller(order(u, f, e), order(v, f, e), width_of(f, e)), f, e);
}

BINARY(Vsf_vfmax_VsfVsf, with_nan(greatest(u, v, SF), u, v, SF))
BINARY(Vsf_vfmin_VsfVsf, with_nan(least(u, v, SF), u, v, SF))
BINARY(Vhf_vfmax_VhfVhf, with_nan(greatest(u, v, HF), u, v, HF))
BINARY(Vhf_vfmin_VhfVhf, with_nan(least(u, v, HF), u, v, HF))
BINARY(Vbf_vmax_VbfVbf, with_nan(greatest(u, v, BF), u, v, BF))
BINARY(Vbf_vmin_VbfVbf, with_nan(least(u, v, BF), u, v, BF))

/* vmax and vmin take a NaN for more than infinity, or, with a sign, for less than -infinity. */
BINARY(Vsf_vmax_VsfVsf, greatest(u, v, SF))
BINARY(Vsf_vmin_VsfVsf, least(u, v, SF))
BINARY(Vhf_vmax_VhfVhf, greatest(u, v, HF))
BINARY(Vhf_vmin_VhfVhf, least(u, v, HF))

/* Integers in the order of numbers, equal for 0 and -0, and for NaN of a kind: these are `above`
 * infinity, quiet ones by one more. */
INLINE words rank(words x, int above, int f, int e)
{
    const int width = width_of(f, e);
    const words size = x & constant(all_but_sign(f, e), width);
    const words quiet = smaller(x & constant(1 << (f - 1), width), constant(1, width), width);
    const words nan = constant(infinity(f, e) + above, width) + quiet; /* no lane carries */
    const words ranked = choose(number_nan(x, f, e), nan, size), sign = negative(x, width);
    return minus(ranked ^ sign, sign, width);
}

#define COMPARISON(name, above_u, above_v, ...)                                              \
    BINARY_PAIR(name, pair_of(rank(u, above_u, __VA_ARGS__), rank(v, above_v, __VA_ARGS__)))
#define COMPARISONS(compare, letters, ...)                              \
    COMPARISON(Q_vcmp_##compare##_##letters##letters, __VA_ARGS__)      \
    COMPARISON(Q_vcmp_##compare##and_Q##letters##letters, __VA_ARGS__)  \
    COMPARISON(Q_vcmp_##compare##or_Q##letters##letters, __VA_ARGS__)   \
    COMPARISON(Q_vcmp_##compare##xacc_Q##letters##letters, __VA_ARGS__)

COMPARISONS(gt, Vsf, 1, 1, SF)
COMPARISONS(gt, Vhf, 1, 1, HF)
COMPARISONS(gt, Vbf, 1, 1, BF)
COMPARISONS(eq, Vsf, 1, 3, SF) /* a NaN is equal to nothing */
COMPARISONS(eq, Vhf, 1, 3, HF)

/* ---- conversions between formats ---- */

/* hf or bf of sf. */
INLINE words narrowed(words u, int f, int e)
{
    const words sign = left(logical(u, 31), f + e);
    const words some = if_nonzero(special(u, SF)) & (splat(infinity(f, e)) | sign);
    const words nan = number_nan(u, SF) & splat(1);
    return finish(pack(unpack(u, SF), f, e) | sign, some | nan, f, e);
}
INLINE words sf_of_hf(words u)
{
    const words sign = left(u & splat(sign_bit(HF)), 16);
    return finish(pack(unpack(u, HF), SF) | sign, widened(even(special(u, HF)), HF), SF);
}

BINARY(Vhf_vcvt_VsfVsf, both(narrowed(u, HF), narrowed(v, HF)))
BINARY(Vbf_vcvt_VsfVsf, both(narrowed(u, BF), narrowed(v, BF)))
UNARY_PAIR(Wsf_vcvt_Vhf, WIDE_1(sf_of_hf, u))

/* ---- from integers ---- */

INLINE words sf_of_integer(words u)
{
    return pack((struct number){u, splat(0)}, SF);
}
INLINE words hf_of_integer(words u)
{
    return pack((struct number){u, splat(0)}, HF);
}
INLINE words hf_of_half(words u)
{
    return hf_of_integer(right(left(u, 16), 16));
}
INLINE words hf_of_byte(words u)
{
    return hf_of_integer(right(left(u, 24), 24));
}
INLINE words hf_of_unsigned_byte(words u)
{
    return hf_of_integer(u & splat(0xff));
}
/* f of the bytes of words: 0 and 1 in the low vector, 2 and 3 in the high one */
#define BYTES(f, u) pair_of(both(f(u), f(logical(u, 8))), both(f(odd(u)), f(logical(u, 24))))

UNARY(Vsf_equals_Vw, sf_of_integer(u))
UNARY(Vhf_equals_Vh, HALVES_1(hf_of_half, u))
UNARY(Vhf_vcvt_Vh, HALVES_1(hf_of_half, u))
UNARY(Vhf_vcvt_Vuh, HALVES_1(hf_of_integer, u))
UNARY_PAIR(Whf_vcvt_Vb, BYTES(hf_of_byte, u))
UNARY_PAIR(Whf_vcvt_Vub, BYTES(hf_of_unsigned_byte, u))

/* ---- to integers ---- */

/* Towards 0. What does not fit, and NaN, become the greatest or the least number. */
INLINE words truncated(struct number x, int least, int greatest)
{
    const words sign = if_negative(x.m), large = ~if_less(x.e, splat(8));
    const words shift = minimum(maximum(-x.e, splat(-7)), splat(31));
    const words size = logical_by(magnitude(x.m), shift);
    const words integer = choose(large, splat(INT32_MAX) ^ sign, with_sign(size, sign));
    return minimum(maximum(integer, splat(least)), splat(greatest));
}
INLINE words h_of_hf(words u)
{
    return truncated(unpack(u, HF), INT16_MIN, INT16_MAX);
}
/* To nearest, ties to even. NaN becomes the greatest number. */
INLINE words rounded(words u, int least, int greatest)
{
    const struct number x = unpack(u, HF);
    const words size = magnitude(x.m), shift = splat(-1) - x.e;
    const words twice = logical_by(size, shift);
    const words rest = one_if_positive(size ^ left_by(twice, shift));
    const words integer = with_sign(round_half(twice, rest), if_negative(x.m));
    const words fitting = minimum(maximum(integer, splat(least)), splat(greatest));
    const words nan = if_less(splat(infinity(HF)), u & splat(all_but_sign(HF)));
    return choose(nan, splat(greatest), fitting);
}
INLINE words rounded_h(words u)
{
    return rounded(u, INT16_MIN, INT16_MAX);
}
/* The same, but a negative NaN becomes the least number. */
INLINE words nearest_h(words u)
{
    const words sign = if_negative(left(u, 16));
    const words nan = if_less(splat(infinity(HF)), u & splat(all_but_sign(HF)));
    return choose(nan, splat(INT16_MAX) ^ sign, rounded_h(u));
}
INLINE words rounded_uh(words u)
{
    return rounded(u, 0, UINT16_MAX);
}
/* Two bytes of the halves of a word. */
INLINE words rounded_bytes(words u, int least, int greatest)
{
    const words first = rounded(even(u), least, greatest) & splat(0xff);
    return first | left(rounded(odd(u), least, greatest) & splat(0xff), 8);
}

UNARY(Vw_equals_Vsf, truncated(unpack(u, SF), INT32_MIN, INT32_MAX))
UNARY(Vh_equals_Vhf, HALVES_1(h_of_hf, u))
UNARY(Vh_equals_Vhf_rnd, HALVES_1(nearest_h, u))
UNARY(Vh_vcvt_Vhf, HALVES_1(rounded_h, u))
UNARY(Vuh_vcvt_Vhf, HALVES_1(rounded_uh, u))
BINARY(Vb_vcvt_VhfVhf,
       both(rounded_bytes(u, INT8_MIN, INT8_MAX), rounded_bytes(v, INT8_MIN, INT8_MAX)))
BINARY(Vub_vcvt_VhfVhf, both(rounded_bytes(u, 0, UINT8_MAX), rounded_bytes(v, 0, UINT8_MAX)))
