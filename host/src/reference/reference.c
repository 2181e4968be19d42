/* The reference on the CPU: computes one element at a time, and products in double precision. */
#include "reference.h"

#include <math.h>

#include "q8_0.h"

void reference_vec_add_i32(const int32_t *a, const int32_t *b, int32_t *sum, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sum[i] = (int32_t)((uint32_t)a[i] + (uint32_t)b[i]);
}

/* Return value `index` of a row of blocks, without its scale. */
static int quant_q4_0(const uint8_t *row, size_t index)
{
    const uint8_t *block = row + index / Q4_0_VALUES * Q4_0_BYTES;
    const size_t i = index % Q4_0_VALUES, half = Q4_0_VALUES / 2;

    return (i < half ? block[2 + i] & 0xf : block[2 + i - half] >> 4) - 8;
}

static int quant_q8_0(const uint8_t *row, size_t index)
{
    return (int8_t)row[index / Q8_0_VALUES * Q8_0_BYTES + 2 + index % Q8_0_VALUES];
}

/* The product of a row of W, whose blocks have `block_bytes`, and a row of X. */
static struct reference_value dot(const uint8_t *row, size_t block_bytes, const uint8_t *x,
                                  size_t cols)
{
    struct reference_value sum = {0, 0};

    for (size_t block = 0; block < q8_0_blocks(cols); block++) {
        const size_t first = block * Q8_0_VALUES;
        const double scale = q8_0_scale(row + block * block_bytes) *
                             q8_0_scale(x + block * Q8_0_BYTES);
        double term = 0;

        for (size_t i = first; i < first + Q8_0_VALUES && i < cols; i++)
            term += (block_bytes == Q4_0_BYTES ? quant_q4_0(row, i) : quant_q8_0(row, i)) *
                    quant_q8_0(x, i);
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
        y[r] = dot(weights + r * q8_0_blocks(cols) * Q8_0_BYTES, Q8_0_BYTES, x, cols);
}

void reference_matmul_q4_0(const uint8_t *weights, const uint8_t *x, size_t rows, size_t cols,
                           size_t count, struct reference_value *y)
{
    const size_t blocks = q8_0_blocks(cols);

    for (size_t n = 0; n < count; n++)
        for (size_t r = 0; r < rows; r++)
            y[n * rows + r] = dot(weights + r * blocks * Q4_0_BYTES, Q4_0_BYTES,
                                  x + n * blocks * Q8_0_BYTES, cols);
}

void reference_softmax_f32(const float *x, size_t count, struct reference_value *y)
{
    float largest = x[0], smallest = x[0];
    double sum = 0, tolerance;

    for (size_t i = 0; i < count; i++) {
        largest = fmaxf(largest, x[i]);
        smallest = fminf(smallest, x[i]);
    }
    for (size_t i = 0; i < count; i++)
        sum += exp((double)x[i] - largest);
    tolerance = ldexp((double)count + 2 * ((double)largest - smallest) + 12, -24);
    for (size_t i = 0; i < count; i++) {
        y[i].value = exp((double)x[i] - largest) / sum;
        y[i].tolerance = tolerance * y[i].value;
    }
}

/* One column of the state. */
static struct reference_value step_column(const float *q, const float *k, size_t keys, double v,
                                          size_t values, double decay, double beta,
                                          const float *state, struct reference_value *next)
{
    const double e = ldexp(1, -23), sum_error = ((double)keys + 4) * e;
    struct reference_value y = {0, 0};
    double known = 0, magnitude = 0, delta, delta_error;

    for (size_t i = 0; i < keys; i++) {
        known += decay * state[i * values] * k[i];
        magnitude += fabs(decay * state[i * values] * k[i]);
    }
    delta = beta * (v - known);
    delta_error = fabs(beta) * (sum_error * magnitude + 2 * e * (fabs(v) + magnitude));
    for (size_t i = 0; i < keys; i++) {
        const double old = decay * state[i * values], change = k[i] * delta;
        struct reference_value *s = &next[i * values];

        s->value = old + change;
        s->tolerance = fabs(k[i]) * delta_error + 4 * e * (fabs(old) + fabs(change));
        y.value += q[i] * s->value;
        y.tolerance += fabs(q[i]) * (s->tolerance + sum_error * fabs(s->value));
    }
    return y;
}

void reference_gated_delta_step_f32(const float *q, const float *k, size_t keys, const float *v,
                                    size_t values, float decay, float beta, const float *state,
                                    struct reference_value *next, struct reference_value *y)
{
    for (size_t j = 0; j < values; j++)
        y[j] = step_column(q, k, keys, v[j], values, decay, beta, state + j, next + j);
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
