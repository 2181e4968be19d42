/* Intentionally wrong: the last value is not in the sum. */
#include <math.h>

#include "kernels.h"

void softmax_f32(const float *x, size_t count, float *y)
{
    float largest = x[0], sum = 0;

    for (size_t i = 0; i < count; i++)
        largest = fmaxf(largest, x[i]);
    for (size_t i = 0; i < count - (count > 1); i++)
        sum += expf(x[i] - largest);
    for (size_t i = 0; i < count; i++)
        y[i] = expf(x[i] - largest) / sum;
}
