/*
 * The operations of htp_ops on the CPU, as the reference for the DSP's results.  They
 * implement the definitions of the operations and share no code with the kernels.
 */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stddef.h>
#include <stdint.h>

/* sum[i] = a[i] + b[i], with wrapping. */
void reference_vec_add_i32(const int32_t *a, const int32_t *b, int32_t *sum, size_t count);

/* One element of a float result, and its tolerance. */
struct reference_value {
    double value;
    double tolerance;
};

/*
 * y = W x in double precision.  W is `rows` rows of Q8_0 blocks, and x is one row.
 *
 * The tolerance is a bound on the rounding error of a sum of n = ceil(cols / 32) float
 * terms in any order: (n + 3) * 2^-24 * the sum of their magnitudes.
 */
void reference_matvec_q8_0(const uint8_t *weights, const uint8_t *x, size_t rows, size_t cols,
                           struct reference_value *y);

/*
 * y[i] = x[i] * weight[i] / sqrt(mean of x^2 + epsilon) in double precision.
 *
 * The tolerance is (n / 64 + 16) * 2^-23 of the magnitude of y[i], for n values.  The DSP adds n / 32
 * squares in each lane, each addition has an error of at most 2^-23 of the sum, and the square root
 * halves it.
 */
void reference_rms_norm_f32(const float *x, const float *weight, size_t count, float epsilon,
                            struct reference_value *y);

#endif
