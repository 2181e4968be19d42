/*
 * HVX floating point of the kernels.
 *
 * Vector instructions add and multiply in qf32, the DSP's own format.  Memory holds IEEE floats
 * (sf).  Instructions that are not arithmetic, like rotations, are given sf too: from v79 on, a qf32
 * is only defined between two arithmetic instructions.
 */
#ifndef HVX_FLOAT_H
#define HVX_FLOAT_H

#include "hvx.h"

/* Loads a vector of floats of which `count` are in memory; the others are 0. */
static inline HVX_Vector load_floats(const float *from, size_t count)
{
    return count >= HVX_WORDS ? hvx_load(from) : hvx_load_first(from, count * sizeof *from);
}

static inline void store_floats(float *to, HVX_Vector values, size_t count)
{
    if (count >= HVX_WORDS)
        hvx_store(to, values);
    else
        hvx_store_first(to, values, count * sizeof *to);
}

static inline HVX_Vector splat(float value)
{
    int32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return Q6_V_vsplat_R(bits);
}

static inline HVX_Vector add(HVX_Vector u, HVX_Vector v)
{
    return Q6_Vsf_equals_Vqf32(Q6_Vqf32_vadd_VsfVsf(u, v));
}

static inline HVX_Vector multiply(HVX_Vector u, HVX_Vector v)
{
    return Q6_Vsf_equals_Vqf32(Q6_Vqf32_vmpy_VsfVsf(u, v));
}

/* sum + u * v, each rounded.  Loops keep sums in sf: what a call or a spill saves of a qf32 is not
 * all of it from v79 on. */
static inline HVX_Vector add_product(HVX_Vector sum, HVX_Vector u, HVX_Vector v)
{
    return Q6_Vsf_equals_Vqf32(Q6_Vqf32_vadd_Vqf32Vsf(Q6_Vqf32_vmpy_VsfVsf(u, v), sum));
}

#endif
