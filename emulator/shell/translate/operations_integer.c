/* operations_integer.c: instructions of HVX for integers that QEMU 7.2 lacks, and valign4, which
 * QEMU 10.0 lacks, too. */
#include "operations.h"

BINARY(Vuh_vmpy_VuhVuh_rs16, both(logical(low(Q6_Wuw_vmpy_VuhVuh(V(u), V(v))), 16),
                                  logical(high(Q6_Wuw_vmpy_VuhVuh(V(u), V(v))), 16)))

/* In each word, the bytes of u and those of v behind it, from byte t & 3 on; t is a splat. */
INLINE words aligned(words u, words v, words t)
{
    const words bits = left(t & splat(3), 3);
    return left_by(u, bits) | logical_by(v, splat(32) - bits);
}
OPERATION(words, V_valign4_VVR, (words u, words v, words t), aligned(u, v, t))

/* ---- shifts by vectors ---- */

INLINE words shifted(words x, words bits, int rounded, int greatest)
{
    const words half = logical(left_by(splat(1), bits), 1);
    const words sum = rounded ? (words)Q6_Vw_vadd_VwVw_sat(V(x), V(half)) : x;
    return minimum(maximum(right_by(sum, bits), splat(0)), splat(greatest));
}
INLINE words shifted_words(pair u, words v, int rounded)
{
    return both(shifted(low(u), v & splat(15), rounded, 0xffff),
                shifted(high(u), logical(v, 16) & splat(15), rounded, 0xffff));
}
INLINE words shifted_halves(words u, words v, int rounded)
{
    return shifted(even(u), v & splat(7), rounded, 0xff) |
           left(shifted(odd(u), logical(v, 16) & splat(7), rounded, 0xff), 16);
}

#define SHIFT(name, result) OPERATION(words, name, (pair u, words v), result)
SHIFT(Vuh_vasr_WwVuh_sat, shifted_words(u, v, 0))
SHIFT(Vuh_vasr_WwVuh_rnd_sat, shifted_words(u, v, 1))
SHIFT(Vub_vasr_WuhVub_sat,
      shifted_halves(low(u), v, 0) | left(shifted_halves(high(u), logical(v, 8), 0), 8))
SHIFT(Vub_vasr_WuhVub_rnd_sat,
      shifted_halves(low(u), v, 1) | left(shifted_halves(high(u), logical(v, 8), 1), 8))

/* ---- v6mpy: sums of three or six products, as filters of images have them ---- */

/* Of 10 bits: byte n of a word, and above it two bits of byte 3. */
INLINE words coefficient(words c, int n)
{
    const words top = left(c, 6 - 2 * n) & splat((int32_t)0xc0000000);
    return right(top | (left(c, 22 - 8 * n) & splat(0x3fc00000)), 22);
}
/* Lets the compiler forget what it knows of a vector: it would keep all coefficients, in registers
 * that are kept for others. */
INLINE words forgotten(words x)
{
    __asm__ volatile("" : "+v"(x));
    return x;
}
/* A coefficient times byte 0 to 3 of the lower, 4 to 7 of the upper vector. */
INLINE words term(words c, int n, pair u, int byte)
{
    const words x = logical(byte < 4 ? low(u) : high(u), byte % 4 * 8) & splat(0xff);
    return (words)Q6_Vw_vmpyie_VwVuh(V(coefficient(forgotten(c), n)), V(forgotten(x)));
}
INLINE words terms(words c, pair u, int first, int second, int third)
{
    return term(c, 0, u, first) + term(c, 1, u, second) + term(c, 2, u, third);
}
/* The bytes `step` further on are in the second half of six terms. An odd immediate gives all six to
 * the lower vector, an even one to the upper vector. */
INLINE pair v6mpy(pair x, pair u, pair c, int odd, int step, int a, int b, int d)
{
    const words six = terms(low(c), u, a, b, d) + terms(high(c), u, a + step, b + step, d + step);
    const words three = odd ? terms(low(c), u, a + step, b + step, d + step)
                            : terms(high(c), u, a, b, d);
    return odd ? pair_of(low(x) + six, high(x) + three) : pair_of(low(x) + three, high(x) + six);
}
#define V6MPY(way, immediate, ...)                                                      \
    OPERATION(pair, Ww_v6mpy_WubWbI_##way##_##immediate, (pair u, pair c),              \
              v6mpy(pair_of(splat(0), splat(0)), u, c, immediate % 2, __VA_ARGS__))     \
    OPERATION(pair, Ww_v6mpyacc_WwWubWbI_##way##_##immediate, (pair x, pair u, pair c), \
              v6mpy(x, u, c, immediate % 2, __VA_ARGS__))
V6MPY(h, 0, 1, 6, 4, 2)
V6MPY(h, 1, 1, 6, 4, 2)
V6MPY(h, 2, 1, 4, 2, 0)
V6MPY(h, 3, 1, 4, 2, 0)
V6MPY(v, 0, 2, 1, 4, 5)
V6MPY(v, 1, 2, 1, 4, 5)
V6MPY(v, 2, 2, 0, 1, 4)
V6MPY(v, 3, 2, 0, 1, 4)
