/* Intentionally wrong: only whole vectors; the tail is left out. */
#include <math.h>

#include "kernels.h"

void rms_norm_f32(const float *x, const float *weight, size_t count, float epsilon, float *y)
{
    float squares = 0;

    for (size_t i = 0; i < count; i++)
        squares += x[i] * x[i];
    for (size_t i = 0; i < count / 32 * 32; i++)
        y[i] = x[i] * weight[i] / sqrtf(squares / (float)count + epsilon);
}
