/* operations_f8.c: the conversions between qf16 and numbers of 8 bits, of v81.
 *
 * A number of 8 bits has a sign, 4 bits of an exponent (7 stands for 1) and 3 of a fraction. 0x80 is no number:
 * there is no infinity and no -0. Source: Qualcomm's emulator for v81 (qualcomm/qemu). */
#include "operands_qf_v79.h"

#define NO_NUMBER 0x80
#define GREATEST 0x7f

/* ---- from qf16 ---- */

/* hf as a number of 8 bits, both in the low bits of words. */
INLINE words f8_of_hf(words bits)
{
    const words size = bits & splat(0x7fff), field = maximum(logical(size, 10), splat(1));
    const words normal = one_if_positive(logical(size, 10));
    const words significand = (size & splat((1 << 10) - 1)) | left(normal, 10);
    /* the bits that are cut off: 7, and more of a subnormal result */
    const words cut = splat(7) + maximum(splat(9) - field, splat(0)), shift = cut - splat(1);
    const words twice = logical_by(significand, shift);
    const words rounded = round_half(twice, one_if_positive(significand ^ left_by(twice, shift)));
    const words exponent = left(maximum(field - splat(9), splat(0)), 3);
    const words result = exponent + rounded;
    const words over = if_less(splat(GREATEST), result), some = if_nonzero(result);
    return choose(over, splat(NO_NUMBER), result | (logical(bits, 8) & some & splat(0x80)));
}
INLINE words f8_of_half(words bits, words more)
{
    const struct qnumber x = specials(QF16, decode(QF16, bits, more), bits, more);
    return f8_of_hf(to_ieee(x, splat(0), 10, HF));
}
INLINE words f8_of_halves(words u, words more)
{
    return both(f8_of_half(u, more), f8_of_half(logical(u, 16), logical(more, 2)));
}

OPERATION(words, v79_V_equals_Vqf16, (words u, words more_u), f8_of_halves(u, more_u))

/* ---- to qf16, in halves ---- */

#define HALVES(value) constant(value, 16)

INLINE words if_positive(words x)
{
    return (words)Q6_Vh_vasr_VhR(Q6_Vh_vsub_VhVh(Q6_V_vzero(), V(x)), 15);
}
/* Numbers of 8 bits, each in a half. The result of a negative one is the complement of its opposite's, all
 * bits but those of the exponent, and has both extension bits; a NaN has none. */
INLINE words qf16_of(words bits, words *more)
{
    const words size = bits & HALVES(GREATEST), sign = if_positive(bits & HALVES(0x80));
    const words field = logical(size, 3) & HALVES(15);
    const words normal = if_positive(field) & HALVES(8);
    const words significand = (size & HALVES(7)) | normal;
    const HVX_Vector zeros = Q6_Vuh_vcl0_Vuh(V(significand));
    const words exponent = (words)Q6_Vh_vmax_VhVh(V(field), V(HALVES(1)));
    const words units = (words)Q6_Vh_vasl_VhVh(V(significand),
                                               Q6_Vh_vsub_VhVh(zeros, V(HALVES(1))));
    const words e = (words)Q6_Vh_vsub_VhVh(V(exponent), Q6_Vh_vsub_VhVh(zeros, V(HALVES(20))));
    const words some = if_positive(size);
    const words result = ((units | e) & some) ^ (sign & HALVES(0xffe0));
    const words nan = sign & ~some;
    *more = sign & some;
    return result ^ (nan & HALVES(0xffe0 ^ 0x801f));
}
/* The extension bits of a word, of two halves with all bits set or none. */
INLINE words more_of(words halves)
{
    return (halves & splat(3)) | (logical(halves, 16) & splat(12));
}

/* The result in v1:0, its extension bits in v2 and v3. */
pair v79_Wqf16_equals_V(words u) __attribute__((section("op_v79_Wqf16_equals_V"), retain, used));
pair v79_Wqf16_equals_V(words u)
{
    HIGH_REGISTERS(DECLARE)
    HIGH_REGISTERS(LIVES)
    words more_low, more_high;
    const words low = qf16_of(u & HALVES(0xff), &more_low);
    const words high = qf16_of((words)Q6_Vuh_vlsr_VuhR(V(u), 8), &more_high);
    PLACED(0, low)
    PLACED(1, high)
    PLACED(2, more_of(more_low))
    PLACED(3, more_of(more_high))
    HIGH_REGISTERS(STILL_LIVES)
    __asm__ volatile("" : "+v"(placed0), "+v"(placed1) : "v"(placed2), "v"(placed3));
    return Q6_W_vcombine_VV(placed1, placed0);
}
