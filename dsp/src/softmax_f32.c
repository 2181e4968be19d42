/* Softmax in scalar floating point.  The maximum is subtracted first, so that nothing overflows. */
#include <math.h>

#include "kernels.h"

void softmax_f32(const float *x, size_t count, float *y)
{
    float largest = -INFINITY, sum = 0, scale;

    for (size_t i = 0; i < count; i++)
        largest = x[i] > largest ? x[i] : largest;
    for (size_t i = 0; i < count; i++) {
        y[i] = expf(x[i] - largest);
        sum += y[i];
    }
    scale = 1 / sum;
    for (size_t i = 0; i < count; i++)
        y[i] *= scale;
}
