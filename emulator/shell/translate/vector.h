/* vector.h: integer vector instructions of HVX, and masks, in lanes of 32 or 16 bits.
 *
 * A vector has 32 words. The functions have no branches and access no memory: qemu takes as long for
 * a vector store as for a hundred additions, and for a comparison as long as for twenty. */
#ifndef BUILDTOOL_SHELL_VECTOR_H
#define BUILDTOOL_SHELL_VECTOR_H

#include <hexagon_types.h>
#include <hvx_hexagon_protos.h>
#include <stddef.h>
#include <stdint.h>

typedef int32_t words __attribute__((vector_size(128)));
typedef HVX_VectorPair pair;

#define INLINE static inline __attribute__((always_inline))
#define V(x) ((HVX_Vector)(x))

/* Volatile, so that the compiler makes a constant where it is used: registers are scarce. */
INLINE words splat(int32_t value)
{
    HVX_Vector x;
    __asm__ volatile("%0 = vsplat(%1)" : "=v"(x) : "r"(value));
    return (words)x;
}

/* Shifts. Those by vectors shift the other way if the number is negative, and all bits out from 32
 * on; it has 7 bits. As intrinsics, they stay shifts: the compiler prefers comparisons. */
INLINE words left(words x, int n)
{
    return (words)Q6_Vw_vasl_VwR(V(x), n);
}
INLINE words right(words x, int n)
{
    return (words)Q6_Vw_vasr_VwR(V(x), n);
}
INLINE words logical(words x, int n)
{
    return (words)Q6_Vuw_vlsr_VuwR(V(x), n);
}
INLINE words left_by(words x, words n)
{
    return (words)Q6_Vw_vasl_VwVw(V(x), V(n));
}
INLINE words right_by(words x, words n)
{
    return (words)Q6_Vw_vasr_VwVw(V(x), V(n));
}
INLINE words logical_by(words x, words n)
{
    return (words)Q6_Vw_vlsr_VwVw(V(x), V(n));
}
INLINE words minimum(words x, words y)
{
    return (words)Q6_Vw_vmin_VwVw(V(x), V(y));
}
INLINE words maximum(words x, words y)
{
    return (words)Q6_Vw_vmax_VwVw(V(x), V(y));
}
INLINE words magnitude(words x)
{
    return (words)Q6_Vw_vabs_Vw(V(x));
}
INLINE words leading_zeros(words x)
{
    return (words)Q6_Vuw_vcl0_Vuw(V(x));
}

/* Masks: all bits of a lane, or none. */
INLINE words if_negative(words x)
{
    return right(x, 31);
}
INLINE words if_less(words x, words y) /* if their difference fits */
{
    return if_negative(x - y);
}
INLINE words if_nonzero(words x)
{
    return if_negative(x | -x);
}
INLINE words choose(words mask, words yes, words no)
{
    return no ^ ((yes ^ no) & mask);
}
INLINE words with_sign(words x, words mask)
{
    return (x ^ mask) - mask;
}
INLINE words one_if_positive(words x) /* 0 or 1, of x >= 0 */
{
    return minimum(x, splat(1));
}

INLINE words high(pair x)
{
    return (words)Q6_V_hi_W(x);
}
INLINE words low(pair x)
{
    return (words)Q6_V_lo_W(x);
}
INLINE pair pair_of(words low, words high)
{
    return Q6_W_vcombine_VV(V(high), V(low));
}

/* Vectors of 64 halves: those with even and odd numbers, in the low bits of words. */
INLINE words even(words x)
{
    return x & splat(0xffff);
}
INLINE words odd(words x)
{
    return logical(x, 16);
}
INLINE words both(words low, words high)
{
    return even(low) | left(high, 16);
}

/* ---- lanes of 16 or 32 bits ---- */

INLINE words constant(int value, int width)
{
    return splat(width == 32 ? value : (int)((uint32_t)value * 0x10001u));
}
INLINE words minus(words x, words y, int width)
{
    return width == 32 ? x - y : (words)Q6_Vh_vsub_VhVh(V(x), V(y));
}
INLINE words smaller(words x, words y, int width)
{
    return width == 32 ? minimum(x, y) : (words)Q6_Vh_vmin_VhVh(V(x), V(y));
}
INLINE words larger(words x, words y, int width)
{
    return width == 32 ? maximum(x, y) : (words)Q6_Vh_vmax_VhVh(V(x), V(y));
}
INLINE words negative(words x, int width)
{
    return width == 32 ? if_negative(x) : (words)Q6_Vh_vasr_VhR(V(x), 15);
}
INLINE words nonzero(words x, int width)
{
    return negative(x | minus(splat(0), x, width), width);
}

#endif
