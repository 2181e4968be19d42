/* RMS norm in HVX floating point. */
#include <math.h>

#include "hvx_float.h"
#include "kernels.h"

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
    HVX_Vector squares = Q6_V_vzero();
    HVX_Vector scale;

    for (size_t i = 0; i < count; i += HVX_WORDS) {
        const HVX_Vector values = load_floats(x + i, count - i);

        squares = add_product(squares, values, values);
    }
    scale = splat(1 / sqrtf(sum_of(squares) / (float)count + epsilon));
    for (size_t i = 0; i < count; i += HVX_WORDS) {
        const HVX_Vector normed = multiply(load_floats(x + i, count - i), scale);

        store_floats(y + i, multiply(normed, load_floats(weight + i, count - i)), count - i);
    }
}
