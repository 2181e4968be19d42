/*
 * RMS norm in HVX floating point.
 *
 * Vector instructions add and multiply in qf32, the DSP's own format.  Memory holds IEEE floats
 * (sf).  Instructions that are not arithmetic, like rotations, are given sf too: from v79 on, a qf32
 * is only defined between two arithmetic instructions.
 */
#include <math.h>

#include "hvx.h"
#include "kernels.h"

/* Loads a vector of floats of which `count` are in memory; the others are 0. */
static HVX_Vector load_floats(const float *from, size_t count)
{
    return count >= HVX_WORDS ? hvx_load(from) : hvx_load_first(from, count * sizeof *from);
}

static void store_floats(float *to, HVX_Vector values, size_t count)
{
    if (count >= HVX_WORDS)
        hvx_store(to, values);
    else
        hvx_store_first(to, values, count * sizeof *to);
}

static HVX_Vector splat(float value)
{
    int32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return Q6_V_vsplat_R(bits);
}

static HVX_Vector add(HVX_Vector u, HVX_Vector v)
{
    return Q6_Vsf_equals_Vqf32(Q6_Vqf32_vadd_VsfVsf(u, v));
}

static HVX_Vector multiply(HVX_Vector u, HVX_Vector v)
{
    return Q6_Vsf_equals_Vqf32(Q6_Vqf32_vmpy_VsfVsf(u, v));
}

/* Returns the sum of the lanes. */
static float sum_of(HVX_Vector values)
{
    float lanes[HVX_WORDS];

    for (int32_t bytes = HVX_BYTES / 2; bytes >= (int32_t)sizeof(float); bytes /= 2)
        values = add(values, Q6_V_vror_VR(values, bytes));
    hvx_store(lanes, values);
    return lanes[0];
}

void rms_norm_f32(const float *x, const float *weight, size_t count, float epsilon, float *y)
{
    HVX_Vector squares = Q6_V_vzero(); /* in qf32, as the sums stay in a register */
    HVX_Vector scale;

    for (size_t i = 0; i < count; i += HVX_WORDS) {
        const HVX_Vector values = load_floats(x + i, count - i);

        squares = Q6_Vqf32_vadd_Vqf32Vqf32(squares, Q6_Vqf32_vmpy_VsfVsf(values, values));
    }
    scale = splat(1 / sqrtf(sum_of(Q6_Vsf_equals_Vqf32(squares)) / (float)count + epsilon));
    for (size_t i = 0; i < count; i += HVX_WORDS) {
        const HVX_Vector normed = multiply(load_floats(x + i, count - i), scale);

        store_floats(y + i, multiply(normed, load_floats(weight + i, count - i)), count - i);
    }
}
