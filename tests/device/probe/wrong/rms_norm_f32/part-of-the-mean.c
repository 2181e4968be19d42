/* Intentionally wrong: the mean is that of the whole vectors, without the tail. */
#include <math.h>

#include "kernels.h"

void rms_norm_f32(const float *x, const float *weight, size_t count, float epsilon, float *y)
{
    const size_t whole = count / 32 * 32;
    float squares = 0;

    for (size_t i = 0; i < whole; i++)
        squares += x[i] * x[i];
    for (size_t i = 0; i < count; i++)
        y[i] = x[i] * weight[i] / sqrtf(squares / (float)whole + epsilon);
}
