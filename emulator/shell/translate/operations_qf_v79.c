/* operations_qf_v79.c: the instructions that compute sums and products of qf32 and qf16, from v79 on. */
#include "operands_qf_v79.h"

struct qf_pair {
    struct qf low, high;
};

#define EXTENDED_PAIR(name, parameters, result)                                           \
    pair v79_##name parameters __attribute__((section("op_v79_" #name), retain, used));   \
    pair v79_##name parameters                                                            \
    {                                                                                     \
        HIGH_REGISTERS(DECLARE)                                                           \
        HIGH_REGISTERS(LIVES)                                                             \
        const struct qf_pair answer = result;                                             \
        PLACED(0, answer.low.bits)                                                        \
        PLACED(1, answer.high.bits)                                                       \
        PLACED(2, answer.low.more)                                                        \
        PLACED(3, answer.high.more)                                                       \
        HIGH_REGISTERS(STILL_LIVES)                                                       \
        __asm__ volatile("" : "+v"(placed0), "+v"(placed1) : "v"(placed2), "v"(placed3)); \
        return Q6_W_vcombine_VV(placed1, placed0);                                        \
    }

/* ---- exact values ---- */

INLINE void find_specials(struct operand *a, struct operand *b, int rare)
{
    if (rare) {
        a->x = special_of(*a);
        __asm__ volatile("" : "+v"(b->bits) : "v"(a->x.n), "v"(a->x.e), "v"(a->x.late));
        b->x = decode(b->kind, b->bits, b->more);
        b->x = special_of(*b);
    }
}

INLINE struct exact sum_value(enum kind kind, struct qnumber a, struct qnumber b)
{
    return sum_of(a, b, fraction_of(kind));
}
INLINE struct exact difference_value(enum kind kind, struct qnumber a, struct qnumber b)
{
    return sum_of(a, opposite(b), fraction_of(kind));
}
INLINE struct exact product_value(enum kind kind, struct qnumber a, struct qnumber b)
{
    return kind == QF32 ? product_32(a, b) : product_16(a, b);
}
INLINE struct exact wide_product_value(enum kind kind, struct qnumber a, struct qnumber b)
{
    (void)kind;
    return wide_product_16(a, b);
}

/* Of two operands, a result with a function for its exact value. */
#define OF_TWO(name, format, exact_value)                                                \
    INLINE struct qf name(enum kind kind, struct operand a, struct operand b, int rare)  \
    {                                                                                    \
        const words rooms = rare ? a.x.e : again(room(a.kind, a.x) | room(b.kind, b.x)); \
        find_specials(&a, &b, rare);                                                     \
        struct qf result = encode(format, exact_value(kind, a.x, b.x), rare);            \
        result.range |= rooms;                                                           \
        return result;                                                                   \
    }
OF_TWO(add, kind, sum_value)
OF_TWO(subtract, kind, difference_value)
OF_TWO(multiply, kind, product_value)
OF_TWO(multiply_wide, QF32, wide_product_value)

/* Normalized, by the addition of -0. */
INLINE struct qf same_of(enum kind kind, struct qnumber x, struct operand a, int rare)
{
    const struct qnumber zero = {splat(0), splat(least_of(kind)), splat(-1)};
    struct qf result = encode(kind, sum_of(x, zero, fraction_of(kind)), rare);
    result.range |= room(a.kind, a.x);
    return result;
}
INLINE struct qf same(enum kind kind, struct operand a, int rare)
{
    return same_of(kind, rare ? special_of(a) : a.x, a, rare);
}
INLINE struct qf minus_of(enum kind kind, struct operand a, int rare)
{
    return same_of(kind, opposite(rare ? special_of(a) : a.x), a, rare);
}
INLINE struct qf absolute(enum kind kind, struct operand a, int rare)
{
    struct qnumber x = rare ? special_of(a) : a.x;
    const words change = below_zero(x);
    x.n = with_sign(x.n, change);
    x.late ^= change;
    return same_of(kind, x, a, rare);
}

/* ---- qf32 ---- */

#define TRIED_BOTH(f)                                \
    __extension__({                                  \
        const words more = more_u | left(more_v, 4); \
        TRIED(f, U_OF_BOTH, V_OF_BOTH);              \
    })
#define TRIED(f, ...)                          \
    __extension__({                            \
        struct qf x = f(QF32, __VA_ARGS__, 0); \
        if (any_negative(x.range)) {           \
            x = f(QF32, __VA_ARGS__, 1);       \
        }                                      \
        x;                                     \
    })
#define SF_SF (words u, words v)
#define QF_SF (words u, words v, words more_u)
#define SF_QF (words u, words v, words more_v)
#define QF_QF (words u, words v, words more_u, words more_v)

EXTENDED(Vqf32_vadd_VsfVsf, SF_SF, TRIED(add, U_SF, V_SF))
EXTENDED(Vqf32_vadd_Vqf32Vsf, QF_SF, TRIED(add, U_QF, V_SF))
EXTENDED(Vqf32_vadd_Vqf32Vqf32, QF_QF, TRIED_BOTH(add))
EXTENDED(Vqf32_vsub_VsfVsf, SF_SF, TRIED(subtract, U_SF, V_SF))
EXTENDED(Vqf32_vsub_Vqf32Vsf, QF_SF, TRIED(subtract, U_QF, V_SF))
EXTENDED(Vqf32_vsub_VsfVqf32, SF_QF, TRIED(subtract, U_SF, V_QF))
EXTENDED(Vqf32_vsub_Vqf32Vqf32, QF_QF, TRIED(subtract, U_QF, V_QF))
EXTENDED(Vqf32_vmpy_VsfVsf, SF_SF, TRIED(multiply, U_SF, V_SF))
EXTENDED(Vqf32_vmpy_VsfRsf, SF_SF, TRIED(multiply, U_SF, V_SF))
EXTENDED(Vqf32_vmpy_Vqf32Vqf32, QF_QF, TRIED(multiply, U_QF, V_QF))
EXTENDED(Vqf32_equals_Vsf, (words u), TRIED(same, U_SF))
EXTENDED(Vqf32_equals_Vqf32, (words u, words more_u), TRIED(same, U_QF))
EXTENDED(Vqf32_vneg_Vsf, (words u), TRIED(minus_of, U_SF))
EXTENDED(Vqf32_vneg_Vqf32, (words u, words more_u), TRIED(minus_of, U_QF))
EXTENDED(Vqf32_vabs_Vsf, (words u), TRIED(absolute, U_SF))
EXTENDED(Vqf32_vabs_Vqf32, (words u, words more_u), TRIED(absolute, U_QF))

/* ---- qf16 ---- */

/* Of qf16, in one vector: from bit 16 on are the extension bits. */
INLINE words joined(struct qf x)
{
    const words mark = x.range & splat(1 << 31);
    return x.bits | left(x.more, 16) | mark;
}
INLINE struct qf of_halves(words even, struct qf odd)
{
    odd.more = (logical(even, 16) & splat(3)) | left(odd.more, 2);
    odd.bits = both(even, odd.bits);
    return odd;
}
#define ONE(name, f, of_u)                                  \
    INLINE struct qf name(words u, words more)              \
    {                                                       \
        words even = joined(f(QF16, EVEN_##of_u(u, 0), 0)); \
        THEN(even, u)(void) more;                           \
        struct qf odd = f(QF16, ODD_##of_u(u, 0), 0);       \
        if (any_negative(even | odd.range)) {               \
            even = joined(f(QF16, EVEN_##of_u(u, 0), 1));   \
            THEN(even, u)                                   \
            odd = f(QF16, ODD_##of_u(u, 0), 1);             \
        }                                                   \
        return of_halves(even, odd);                        \
    }
#define TWO(name, f, of_u, of_v)                                               \
    INLINE struct qf name(words u, words v, words more)                        \
    {                                                                          \
        words even = joined(f(QF16, EVEN_##of_u(u, 0), EVEN_##of_v(v, 4), 0)); \
        THEN(even, u)                                                          \
        THEN(even, v)                                                          \
        THEN(even, more)                                                       \
        struct qf odd = f(QF16, ODD_##of_u(u, 0), ODD_##of_v(v, 4), 0);        \
        if (any_negative(even | odd.range)) {                                  \
            even = joined(f(QF16, EVEN_##of_u(u, 0), EVEN_##of_v(v, 4), 1));   \
            THEN(even, u)                                                      \
            THEN(even, v)                                                      \
            THEN(even, more)                                                   \
            odd = f(QF16, ODD_##of_u(u, 0), ODD_##of_v(v, 4), 1);              \
        }                                                                      \
        return of_halves(even, odd);                                           \
    }
#define WIDE(name, of_u, of_v)                                                    \
    INLINE struct qf_pair name(words u, words v, words more)                      \
    {                                                                             \
        struct qf_pair x;                                                         \
        x.low = multiply_wide(QF16, EVEN_##of_u(u, 0), EVEN_##of_v(v, 4), 0);     \
        x.low.more |= x.low.range & splat(1 << 31);                               \
        THEN(x.low.bits, u)                                                       \
        THEN(x.low.more, v)                                                       \
        THEN(x.low.more, more)                                                    \
        x.high = multiply_wide(QF16, ODD_##of_u(u, 0), ODD_##of_v(v, 4), 0);      \
        if (any_negative(x.low.more | x.high.range)) {                            \
            x.low = multiply_wide(QF16, EVEN_##of_u(u, 0), EVEN_##of_v(v, 4), 1); \
            THEN(x.low.bits, u)                                                   \
            THEN(x.low.more, v)                                                   \
            THEN(x.low.more, more)                                                \
            x.high = multiply_wide(QF16, ODD_##of_u(u, 0), ODD_##of_v(v, 4), 1);  \
        }                                                                         \
        return x;                                                                 \
    }

TWO(sum_hf_hf, add, HF, HF)
TWO(sum_qf_hf, add, QF, HF)
TWO(sum_qf_qf, add, QF, QF)
TWO(difference_hf_hf, subtract, HF, HF)
TWO(difference_qf_hf, subtract, QF, HF)
TWO(difference_hf_qf, subtract, HF, QF)
TWO(difference_qf_qf, subtract, QF, QF)
TWO(product_hf_hf, multiply, HF, HF)
TWO(product_qf_hf, multiply, QF, HF)
TWO(product_qf_qf, multiply, QF, QF)
WIDE(wide_hf_hf, HF, HF)
WIDE(wide_qf_hf, QF, HF)
WIDE(wide_qf_qf, QF, QF)
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
