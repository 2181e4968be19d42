/* Intentionally wrong: without the weights. */
#include <math.h>

#include "kernels.h"

void rms_norm_f32(const float *x, const float *weight, size_t count, float epsilon, float *y)
{
    float squares = 0;

    (void)weight;
    for (size_t i = 0; i < count; i++)
        squares += x[i] * x[i];
    for (size_t i = 0; i < count; i++)
        y[i] = x[i] / sqrtf(squares / (float)count + epsilon);
}
