/* operations_qf.c: the instructions of HVX that compute with qf32 and qf16, up to v75. */
#include "operations.h"
#include "qfloat.h"

/* ---- qf32 ---- */

INLINE struct number minus_number(struct number x)
{
    return (struct number){-x.m, x.e};
}

BINARY(Vqf32_vadd_VsfVsf, sum_qf(of_sf(u), of_sf(v), QF32))
BINARY(Vqf32_vadd_Vqf32Vsf, sum_qf(of_qf32(u), of_sf(v), QF32))
BINARY(Vqf32_vadd_Vqf32Vqf32, sum_qf(of_qf32(u), of_qf32(v), QF32))
BINARY(Vqf32_vsub_VsfVsf, sum_qf(of_sf(u), minus_number(of_sf(v)), QF32))
BINARY(Vqf32_vsub_Vqf32Vsf, sum_qf(of_qf32(u), minus_number(of_sf(v)), QF32))
BINARY(Vqf32_vsub_Vqf32Vqf32, sum_qf(of_qf32(u), minus_number(of_qf32(v)), QF32))
BINARY(Vqf32_vmpy_VsfVsf, product_qf32(of_sf(u), of_sf(v)))
BINARY(Vqf32_vmpy_Vqf32Vqf32, product_qf32(of_qf32(u), of_qf32(v)))

/* ---- qf16 ---- */

#define SUM(name, first, second)                  \
    INLINE words name(words u, words v)           \
    {                                             \
        return sum_qf(first(u), second(v), QF16); \
    }
#define DIFFERENCE(name, first, second)                         \
    INLINE words name(words u, words v)                         \
    {                                                           \
        return sum_qf(first(u), minus_number(second(v)), QF16); \
    }
#define PRODUCT(name, first, second, multiply) \
    INLINE words name(words u, words v)        \
    {                                          \
        return multiply(first(u), second(v));  \
    }

SUM(sum_hf_hf, of_hf, of_hf)
SUM(sum_qf_hf, of_qf16, of_hf)
SUM(sum_qf_qf, of_qf16, of_qf16)
DIFFERENCE(minus_hf_hf, of_hf, of_hf)
DIFFERENCE(minus_qf_hf, of_qf16, of_hf)
DIFFERENCE(minus_qf_qf, of_qf16, of_qf16)
PRODUCT(product_hf_hf, of_hf, of_hf, product_qf16)
PRODUCT(product_qf_hf, of_qf16, of_hf, product_qf16)
PRODUCT(product_qf_qf, of_qf16, of_qf16, product_qf16)
PRODUCT(wide_hf_hf, of_hf, of_hf, product_qf32_of_16)
PRODUCT(wide_qf_hf, of_qf16, of_hf, product_qf32_of_16)
PRODUCT(wide_qf_qf, of_qf16, of_qf16, product_qf32_of_16)

BINARY(Vqf16_vadd_VhfVhf, HALVES_2(sum_hf_hf, u, v))
BINARY(Vqf16_vadd_Vqf16Vhf, HALVES_2(sum_qf_hf, u, v))
BINARY(Vqf16_vadd_Vqf16Vqf16, HALVES_2(sum_qf_qf, u, v))
BINARY(Vqf16_vsub_VhfVhf, HALVES_2(minus_hf_hf, u, v))
BINARY(Vqf16_vsub_Vqf16Vhf, HALVES_2(minus_qf_hf, u, v))
BINARY(Vqf16_vsub_Vqf16Vqf16, HALVES_2(minus_qf_qf, u, v))
BINARY(Vqf16_vmpy_VhfVhf, HALVES_2(product_hf_hf, u, v))
BINARY(Vqf16_vmpy_Vqf16Vhf, HALVES_2(product_qf_hf, u, v))
BINARY(Vqf16_vmpy_Vqf16Vqf16, HALVES_2(product_qf_qf, u, v))
BINARY_PAIR(Wqf32_vmpy_VhfVhf, WIDE_2(wide_hf_hf, u, v))
BINARY_PAIR(Wqf32_vmpy_Vqf16Vhf, WIDE_2(wide_qf_hf, u, v))
BINARY_PAIR(Wqf32_vmpy_Vqf16Vqf16, WIDE_2(wide_qf_qf, u, v))

/* ---- to IEEE numbers ---- */

/* Infinity is not a result: what rounds to it becomes the greatest number, and what is more all ones but the
 * sign, as measured on Qualcomm's simulator for v75 (GrigoryEvko/qwen-mobile). */
INLINE words to_ieee(struct number x, int fraction, int exponent)
{
    const int top = (1 << exponent) - 1, bias = top >> 1, infinite = infinity(fraction, exponent);
    const words bits = pack(x, fraction, exponent);
    const words over = ~if_nonzero((bits & splat(all_but_sign(fraction, exponent))) ^
                                   splat(infinite));
    const words field = x.e - leading_zeros(magnitude(x.m)) + splat(31 + bias);
    const words beyond = if_less(splat(top - 1), field);
    const words change = choose(beyond, splat(infinite ^ all_but_sign(fraction, exponent)),
                                splat(infinite ^ (infinite - 1)));
    return bits ^ (change & over);
}
INLINE words hf_of_qf16(words u)
{
    return to_ieee(value(of_qf16(u), 10), HF);
}

UNARY(Vsf_equals_Vqf32, to_ieee(value(of_qf32(u), 23), SF))
UNARY(Vhf_equals_Vqf16, HALVES_1(hf_of_qf16, u))
OF_PAIR(Vhf_equals_Wqf32,
        both(to_ieee(value(of_qf32(low(u)), 23), HF), to_ieee(value(of_qf32(high(u)), 23), HF)))
