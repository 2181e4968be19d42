/* The reference on the CPU: computes one element at a time, and products in double precision. */
#include "reference.h"

#include <math.h>

#include "q8_0.h"

void reference_vec_add_i32(const int32_t *a, const int32_t *b, int32_t *sum, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sum[i] = (int32_t)((uint32_t)a[i] + (uint32_t)b[i]);
}

/* Returns value `index` of a row of blocks, without its scale. */
static int quant(const uint8_t *row, size_t index)
{
    return (int8_t)row[index / Q8_0_VALUES * Q8_0_BYTES + 2 + index % Q8_0_VALUES];
}

static struct reference_value dot(const uint8_t *row, const uint8_t *x, size_t cols)
{
    struct reference_value sum = {0, 0};

    for (size_t block = 0; block < q8_0_blocks(cols); block++) {
        const size_t first = block * Q8_0_VALUES;
        const double scale = q8_0_scale(row + block * Q8_0_BYTES) *
                             q8_0_scale(x + block * Q8_0_BYTES);
        double term = 0;

        for (size_t i = first; i < first + Q8_0_VALUES && i < cols; i++)
            term += quant(row, i) * quant(x, i);
        sum.value += scale * term;
        sum.tolerance += fabs(scale * term);
    }
    sum.tolerance *= ldexp((double)q8_0_blocks(cols) + 3, -24);
    return sum;
}

void reference_matvec_q8_0(const uint8_t *weights, const uint8_t *x, size_t rows, size_t cols,
                           struct reference_value *y)
{
    for (size_t r = 0; r < rows; r++)
        y[r] = dot(weights + r * q8_0_blocks(cols) * Q8_0_BYTES, x, cols);
}

void reference_rms_norm_f32(const float *x, const float *weight, size_t count, float epsilon,
                            struct reference_value *y)
{
    const double tolerance = ldexp((double)count / 64 + 16, -23);
    double squares = 0, scale;

    for (size_t i = 0; i < count; i++)
        squares += (double)x[i] * x[i];
    scale = 1 / sqrt(squares / (double)count + epsilon);
    for (size_t i = 0; i < count; i++) {
        y[i].value = x[i] * scale * weight[i];
        y[i].tolerance = tolerance * fabs(y[i].value);
    }
}
