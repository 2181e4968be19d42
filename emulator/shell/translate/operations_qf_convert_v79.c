/* operations_qf_convert_v79.c: the conversions of qf32 and qf16, and moves of extension bits, from v79 on. */
#include "operands_qf_v79.h"

/* ---- to IEEE numbers and integers ---- */

#define OF_QF(type, name, parameters, result) OPERATION(type, v79_##name, parameters, result)

INLINE words ieee_of(struct operand a, int fraction, int exponent, words *range)
{
    const words inexact = a.kind == QF32 ? logical(a.more, 2) ^ a.more : splat(0);
    const int from = fraction_of(a.kind);
    if (range != NULL) {
        return to_normal(a.x, inexact, from, fraction, exponent, range);
    }
    return to_ieee(special_of(a), inexact, from, fraction, exponent);
}
INLINE words sf_of_qf32(words u, words more_u)
{
    words range, result = ieee_of(U_QF, SF, &range);
    if (any_negative(range)) {
        result = ieee_of(U_QF, SF, NULL);
    }
    return result;
}
INLINE words hf_of_qf16(words u, words more)
{
    words range, odd_range, even = ieee_of(EVEN_QF(u, 0), HF, &range);
    THEN(even, u)
    words odd = ieee_of(ODD_QF(u, 0), HF, &odd_range);
    if (any_negative(range | odd_range)) {
        even = ieee_of(EVEN_QF(u, 0), HF, NULL);
        THEN(even, u)
        odd = ieee_of(ODD_QF(u, 0), HF, NULL);
    }
    return both(even, odd);
}
INLINE words halves_of_qf32(words u, words v, words more, int fraction, int exponent)
{
    words range, odd_range, even = ieee_of(U_OF_BOTH, fraction, exponent, &range);
    THEN(even, v)
    THEN(even, more)
    words odd = ieee_of(V_OF_BOTH, fraction, exponent, &odd_range);
    if (any_negative(range | odd_range)) {
        even = ieee_of(U_OF_BOTH, fraction, exponent, NULL);
        THEN(even, v)
        THEN(even, more)
        odd = ieee_of(V_OF_BOTH, fraction, exponent, NULL);
    }
    return both(even, odd);
}

OF_QF(words, Vsf_equals_Vqf32, (words u, words more_u), sf_of_qf32(u, more_u))
OF_QF(words, Vhf_equals_Vqf16, (words u, words more_u), hf_of_qf16(u, more_u))
OF_QF(words, Vhf_equals_Wqf32, (pair u, words more_low, words more_high),
      halves_of_qf32(low(u), high(u), more_low | left(more_high, 4), HF))
OF_QF(words, Vbf_equals_Wqf32, (pair u, words more_low, words more_high),
      halves_of_qf32(low(u), high(u), more_low | left(more_high, 4), BF))

/* Of an infinity and a NaN, the greatest numbers of 16 or 32 bits; of 0 the least one. */
INLINE words log_of(struct operand a, int greatest)
{
    const struct qnumber x = special_of(a);
    const words highest = splat(31 - fraction_of(a.kind)) - leading_zeros(magnitude(x.n));
    const words no_number = if_less(splat(IS_SPECIAL), x.e), nan = if_less(splat(IS_NAN), x.e);
    const words number = choose(no_number, splat(greatest - 1) - nan, x.e + highest);
    return choose(is_some(x.n), number, splat(-greatest - 1));
}

OF_QF(words, Vw_vilog2_Vqf32, (words u, words more_u), log_of(U_QF, 0x7fffffff))
OF_QF(words, Vw_vilog2_Vsf, (words u), log_of(U_SF, 0x7fffffff))
INLINE words logs_of_qf16(words u, words more)
{
    return both(log_of(EVEN_QF(u, 0), 0x7fff), log_of(ODD_QF(u, 0), 0x7fff));
}
OF_QF(words, Vw_vilog2_Vqf16, (words u, words more_u), logs_of_qf16(u, more_u))
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
    const words more = bits | logical(bits, 7) | logical(bits, 14) | logical(bits, 21);
    return (struct qf){splat(0), more & splat(15), splat(0)};
}

EXTENDED(V_vsetqfext_VR, (words u, words r), from_bytes(u, r))
EXTENDED(V_vmerge_VVw, (words u, words v, words more_u),
         ((void)u, (struct qf){v, more_u, splat(0)}))
OF_QF(words, V_vgetqfext_VR, (words u, words r, words more_u), ((void)u, bytes_of(more_u) & r))
OF_QF(words, V_vgetqfextor_VVR, (words x, words u, words r, words more_u),
      ((void)u, x | (bytes_of(more_u) & r)))
