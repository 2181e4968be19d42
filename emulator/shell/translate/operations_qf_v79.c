/* operations_qf_v79.c: the instructions that compute with qf32 and qf16, from v79 on.
 *
 * Behind the parameters are the extension bits of those that have some. They return the result in v0, or v0
 * and v1, and its extension bits in the vectors behind it. */
#include "operations.h"
#include "qfloat_v79.h"

struct qf_pair {
    struct qf low, high;
};

#define EXTENDED(name, parameters, result) OPERATION(pair, v79_##name, parameters, extended(result))
INLINE pair extended(struct qf x)
{
    return pair_of(x.bits, x.more);
}

#define PLACED(n, x) register HVX_Vector placed##n __asm__("v" #n) = V(x);
#define EXTENDED_PAIR(name, parameters, result)                                         \
    pair v79_##name parameters __attribute__((section("op_v79_" #name), retain, used)); \
    pair v79_##name parameters                                                          \
    {                                                                                   \
        HIGH_REGISTERS(DECLARE)                                                         \
        HIGH_REGISTERS(LIVES)                                                           \
        const struct qf_pair answer = result;                                           \
        PLACED(0, answer.low.bits)                                                      \
        PLACED(1, answer.high.bits)                                                     \
        PLACED(2, answer.low.more)                                                      \
        PLACED(3, answer.high.more)                                                     \
        HIGH_REGISTERS(STILL_LIVES)                                                     \
        __asm__ volatile("" : "+v"(placed0), "+v"(placed1) : "v"(placed2), "v"(placed3)); \
        return Q6_W_vcombine_VV(placed1, placed0);                                      \
    }

/* ---- operands ---- */

struct operand {
    struct qnumber x;
    enum kind kind;
    words bits, more;
};

INLINE struct operand operand(enum kind kind, words bits, words more)
{
    return (struct operand){decode(kind, bits, more), kind, bits, more};
}
INLINE void find_special(struct operand *a)
{
    if (any_negative(room(a->kind, a->x))) {
        a->x = specials(a->kind, a->x, a->bits, a->more);
    }
}
INLINE void find_specials(struct operand *a, struct operand *b)
{
    if (any_negative(room(a->kind, a->x) | room(b->kind, b->x))) {
        a->x = specials(a->kind, a->x, a->bits, a->more);
        __asm__ volatile("" : "+v"(b->bits) : "v"(a->x.n), "v"(a->x.e), "v"(a->x.late));
        b->x = specials(b->kind, b->x, b->bits, b->more);
    }
}

INLINE struct qf add(enum kind kind, struct operand a, struct operand b)
{
    find_specials(&a, &b);
    return encoded(kind, sum_of(a.x, b.x, fraction_of(kind)));
}
INLINE struct qf subtract(enum kind kind, struct operand a, struct operand b)
{
    find_specials(&a, &b);
    return encoded(kind, sum_of(a.x, opposite(b.x), fraction_of(kind)));
}
INLINE struct qf multiply(enum kind kind, struct operand a, struct operand b)
{
    find_specials(&a, &b);
    return encoded(kind, kind == QF32 ? product_32(a.x, b.x) : product_16(a.x, b.x));
}
INLINE struct qf multiply_wide(enum kind kind, struct operand a, struct operand b)
{
    (void)kind;
    find_specials(&a, &b);
    return encoded(QF32, wide_product_16(a.x, b.x));
}

/* Normalized, by the addition of -0. */
INLINE struct qf same_of(enum kind kind, struct qnumber x)
{
    const struct qnumber zero = {splat(0), splat(least_of(kind)), splat(-1)};
    return encoded(kind, sum_of(x, zero, fraction_of(kind)));
}
INLINE struct qf same(enum kind kind, struct operand a)
{
    find_special(&a);
    return same_of(kind, a.x);
}
INLINE struct qf minus_of(enum kind kind, struct operand a)
{
    find_special(&a);
    return same_of(kind, opposite(a.x));
}
INLINE struct qf absolute(enum kind kind, struct operand a)
{
    find_special(&a);
    const words change = below_zero(a.x);
    a.x.n = with_sign(a.x.n, change);
    a.x.late ^= change;
    return same_of(kind, a.x);
}

/* ---- qf32 ---- */

#define U_SF operand(SF32, u, u)
#define V_SF operand(SF32, v, v)
#define U_QF operand(QF32, u, more_u)
#define V_QF operand(QF32, v, more_v)
#define SF_SF (words u, words v)
#define QF_SF (words u, words v, words more_u)
#define SF_QF (words u, words v, words more_v)
#define QF_QF (words u, words v, words more_u, words more_v)

EXTENDED(Vqf32_vadd_VsfVsf, SF_SF, add(QF32, U_SF, V_SF))
EXTENDED(Vqf32_vadd_Vqf32Vsf, QF_SF, add(QF32, U_QF, V_SF))
EXTENDED(Vqf32_vadd_Vqf32Vqf32, QF_QF, add(QF32, U_QF, V_QF))
EXTENDED(Vqf32_vsub_VsfVsf, SF_SF, subtract(QF32, U_SF, V_SF))
EXTENDED(Vqf32_vsub_Vqf32Vsf, QF_SF, subtract(QF32, U_QF, V_SF))
EXTENDED(Vqf32_vsub_VsfVqf32, SF_QF, subtract(QF32, U_SF, V_QF))
EXTENDED(Vqf32_vsub_Vqf32Vqf32, QF_QF, subtract(QF32, U_QF, V_QF))
EXTENDED(Vqf32_vmpy_VsfVsf, SF_SF, multiply(QF32, U_SF, V_SF))
EXTENDED(Vqf32_vmpy_VsfRsf, SF_SF, multiply(QF32, U_SF, V_SF))
EXTENDED(Vqf32_vmpy_Vqf32Vqf32, QF_QF, multiply(QF32, U_QF, V_QF))
EXTENDED(Vqf32_equals_Vsf, (words u), same(QF32, U_SF))
EXTENDED(Vqf32_equals_Vqf32, (words u, words more_u), same(QF32, U_QF))
EXTENDED(Vqf32_vneg_Vsf, (words u), minus_of(QF32, U_SF))
EXTENDED(Vqf32_vneg_Vqf32, (words u, words more_u), minus_of(QF32, U_QF))
EXTENDED(Vqf32_vabs_Vsf, (words u), absolute(QF32, U_SF))
EXTENDED(Vqf32_vabs_Vqf32, (words u, words more_u), absolute(QF32, U_QF))

/* ---- qf16 ---- */

INLINE struct qf of_halves(struct qf even, struct qf odd)
{
    return (struct qf){both(even.bits, odd.bits), even.more | left(odd.more, 2)};
}
INLINE struct qf_pair wide(struct qf even, struct qf odd)
{
    return (struct qf_pair){even, odd};
}

/* The even and the odd halves of parameters. The odd ones come after the results of the even ones, because
 * registers are scarce. For the same reason the extension bits of both are in one vector: those of v from
 * bit 4 on. */
#define EVEN_HF(x, at) operand(HF16, x, x)
#define ODD_HF(x, at) operand(HF16, logical(x, 16), x)
#define EVEN_QF(x, at) operand(QF16, x, logical(more, at))
#define ODD_QF(x, at) operand(QF16, logical(x, 16), logical(more, (at) + 2))
#define THEN(even, x) __asm__ volatile("" : "+v"(x) : "v"((even).bits), "v"((even).more));

#define ONE(name, f, of_u)                                 \
    INLINE struct qf name(words u, words more)             \
    {                                                      \
        const struct qf even = f(QF16, EVEN_##of_u(u, 0)); \
        THEN(even, u)                                      \
        (void)more;                                        \
        return of_halves(even, f(QF16, ODD_##of_u(u, 0))); \
    }
#define TWO(type, name, join, f, of_u, of_v)                                  \
    INLINE type name(words u, words v, words more)                            \
    {                                                                         \
        const struct qf even = f(QF16, EVEN_##of_u(u, 0), EVEN_##of_v(v, 4)); \
        THEN(even, u)                                                         \
        THEN(even, v)                                                         \
        THEN(even, more)                                                      \
        return join(even, f(QF16, ODD_##of_u(u, 0), ODD_##of_v(v, 4)));       \
    }

TWO(struct qf, sum_hf_hf, of_halves, add, HF, HF)
TWO(struct qf, sum_qf_hf, of_halves, add, QF, HF)
TWO(struct qf, sum_qf_qf, of_halves, add, QF, QF)
TWO(struct qf, difference_hf_hf, of_halves, subtract, HF, HF)
TWO(struct qf, difference_qf_hf, of_halves, subtract, QF, HF)
TWO(struct qf, difference_hf_qf, of_halves, subtract, HF, QF)
TWO(struct qf, difference_qf_qf, of_halves, subtract, QF, QF)
TWO(struct qf, product_hf_hf, of_halves, multiply, HF, HF)
TWO(struct qf, product_qf_hf, of_halves, multiply, QF, HF)
TWO(struct qf, product_qf_qf, of_halves, multiply, QF, QF)
TWO(struct qf_pair, wide_hf_hf, wide, multiply_wide, HF, HF)
TWO(struct qf_pair, wide_qf_hf, wide, multiply_wide, QF, HF)
TWO(struct qf_pair, wide_qf_qf, wide, multiply_wide, QF, QF)
ONE(same_hf, same, HF)
ONE(same_qf, same, QF)
ONE(minus_hf, minus_of, HF)
ONE(minus_qf, minus_of, QF)
ONE(absolute_hf, absolute, HF)
ONE(absolute_qf, absolute, QF)

EXTENDED(Vqf16_vadd_VhfVhf, SF_SF, sum_hf_hf(u, v, u))
EXTENDED(Vqf16_vadd_Vqf16Vhf, QF_SF, sum_qf_hf(u, v, more_u))
EXTENDED(Vqf16_vadd_Vqf16Vqf16, QF_QF, sum_qf_qf(u, v, more_u | left(more_v, 4)))
EXTENDED(Vqf16_vsub_VhfVhf, SF_SF, difference_hf_hf(u, v, u))
EXTENDED(Vqf16_vsub_Vqf16Vhf, QF_SF, difference_qf_hf(u, v, more_u))
EXTENDED(Vqf16_vsub_VhfVqf16, SF_QF, difference_hf_qf(u, v, left(more_v, 4)))
EXTENDED(Vqf16_vsub_Vqf16Vqf16, QF_QF, difference_qf_qf(u, v, more_u | left(more_v, 4)))
EXTENDED(Vqf16_vmpy_VhfVhf, SF_SF, product_hf_hf(u, v, u))
EXTENDED(Vqf16_vmpy_Vqf16Vhf, QF_SF, product_qf_hf(u, v, more_u))
EXTENDED(Vqf16_vmpy_Vqf16Vqf16, QF_QF, product_qf_qf(u, v, more_u | left(more_v, 4)))
EXTENDED(Vqf16_vmpy_VhfRhf, SF_SF, product_hf_hf(u, v, u))
EXTENDED(Vqf16_vmpy_Vqf16Rhf, QF_SF, product_qf_hf(u, v, more_u))
EXTENDED_PAIR(Wqf32_vmpy_VhfVhf, SF_SF, wide_hf_hf(u, v, u))
EXTENDED_PAIR(Wqf32_vmpy_Vqf16Vhf, QF_SF, wide_qf_hf(u, v, more_u))
EXTENDED_PAIR(Wqf32_vmpy_Vqf16Vqf16, QF_QF, wide_qf_qf(u, v, more_u | left(more_v, 4)))

EXTENDED(Vqf16_equals_Vhf, (words u), same_hf(u, u))
EXTENDED(Vqf16_equals_Vqf16, (words u, words more_u), same_qf(u, more_u))
EXTENDED(Vqf16_vneg_Vhf, (words u), minus_hf(u, u))
EXTENDED(Vqf16_vneg_Vqf16, (words u, words more_u), minus_qf(u, more_u))
EXTENDED(Vqf16_vabs_Vhf, (words u), absolute_hf(u, u))
EXTENDED(Vqf16_vabs_Vqf16, (words u, words more_u), absolute_qf(u, more_u))

/* ---- to IEEE numbers and integers ---- */

#define OF_QF(type, name, parameters, result) OPERATION(type, v79_##name, parameters, result)

INLINE words ieee_of(struct operand a, int fraction, int exponent)
{
    const words inexact = a.kind == QF32 ? logical(a.more, 2) ^ a.more : splat(0);
    const int from = fraction_of(a.kind);
    if (any_negative(room(a.kind, a.x))) {
        a.x = specials(a.kind, a.x, a.bits, a.more);
        return to_ieee(a.x, inexact & splat(1), from, fraction, exponent, 1);
    }
    return to_ieee(a.x, inexact & splat(1), from, fraction, exponent, 0);
}
INLINE words hf_of_qf16(words u, words more)
{
    words even = ieee_of(EVEN_QF(u, 0), HF);
    __asm__ volatile("" : "+v"(u), "+v"(even));
    return both(even, ieee_of(ODD_QF(u, 0), HF));
}
INLINE words halves_of_qf32(pair u, words more_low, words more_high, int fraction, int exponent)
{
    words even = ieee_of(operand(QF32, low(u), more_low), fraction, exponent), odd = high(u);
    __asm__ volatile("" : "+v"(odd), "+v"(even));
    return both(even, ieee_of(operand(QF32, odd, more_high), fraction, exponent));
}

OF_QF(words, Vsf_equals_Vqf32, (words u, words more_u), ieee_of(U_QF, SF))
OF_QF(words, Vhf_equals_Vqf16, (words u, words more_u), hf_of_qf16(u, more_u))
OF_QF(words, Vhf_equals_Wqf32, (pair u, words more_low, words more_high),
      halves_of_qf32(u, more_low, more_high, HF))
OF_QF(words, Vbf_equals_Wqf32, (pair u, words more_low, words more_high),
      halves_of_qf32(u, more_low, more_high, BF))

/* Of an infinity and a NaN, the greatest numbers of 16 or 32 bits; of 0 the least one. */
INLINE words log_of(struct operand a, int greatest)
{
    find_special(&a);
    const words highest = splat(31 - fraction_of(a.kind)) - leading_zeros(magnitude(a.x.n));
    const words special = if_less(splat(IS_SPECIAL), a.x.e), nan = if_less(splat(IS_NAN), a.x.e);
    const words number = choose(special, splat(greatest - 1) - nan, a.x.e + highest);
    return choose(if_nonzero(a.x.n), number, splat(-greatest - 1));
}

OF_QF(words, Vw_vilog2_Vqf32, (words u, words more_u), log_of(U_QF, 0x7fffffff))
OF_QF(words, Vw_vilog2_Vsf, (words u), log_of(U_SF, 0x7fffffff))
OF_QF(words, Vw_vilog2_Vqf16, (words u, words more),
      both(log_of(EVEN_QF(u, 0), 0x7fff), log_of(ODD_QF(u, 0), 0x7fff)))
OF_QF(words, Vw_vilog2_Vhf, (words u),
      both(log_of(EVEN_HF(u, 0), 0x7fff), log_of(ODD_HF(u, 0), 0x7fff)))

/* ---- extension bits as bytes ---- */

/* Bit n of a word to the bytes n. */
INLINE words bytes_of(words more)
{
    const words bits = (more & splat(1)) | (left(more, 7) & splat(0x100)) |
                       (left(more, 14) & splat(0x10000)) | (left(more, 21) & splat(0x1000000));
    return left(bits, 8) - bits;
}
INLINE struct qf from_bytes(words u, words r)
{
    const words some = u & r, seven = splat(0x7f7f7f7f);
    const words bits = logical(((some & seven) + seven) | some, 7) & splat(0x01010101);
    return (struct qf){splat(0), (bits | logical(bits, 7) | logical(bits, 14) | logical(bits, 21)) &
                                     splat(15)};
}

EXTENDED(V_vsetqfext_VR, (words u, words r), from_bytes(u, r))
EXTENDED(V_vmerge_VVw, (words u, words v, words more_u), ((void)u, (struct qf){v, more_u}))
OF_QF(words, V_vgetqfext_VR, (words u, words r, words more_u), ((void)u, bytes_of(more_u) & r))
OF_QF(words, V_vgetqfextor_VVR, (words x, words u, words r, words more_u),
      ((void)u, x | (bytes_of(more_u) & r)))
