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
 * Y = W X in double precision.  W is `rows` rows of Q4_0 blocks, and X is `count` rows of Q8_0
 * blocks.  y[n * rows + r] is the product of row r of W and row n of X.  The tolerance is the same.
 */
void reference_matmul_q4_0(const uint8_t *weights, const uint8_t *x, size_t rows, size_t cols,
                           size_t count, struct reference_value *y);

/*
 * y[i] = e^x[i] / sum of e^x in double precision.
 *
 * The tolerance is (n + 2 * d + 12) * 2^-24 of y[i], for n values and d = max x - min x.  The DSP
 * adds n floats, with an error of at most 2^-24 of the sum in each addition.  The difference of x
 * and the maximum is rounded by at most d * 2^-24, which changes e^x as much, in y[i] and in the sum.
 * expf, the division and the products are good to 12 * 2^-24.
 */
void reference_softmax_f32(const float *x, size_t count, struct reference_value *y);

/*
 * A step of a gated delta net in double precision:
 *
 *     S = decay * S;  S = S + k (outer product) beta * (v - S^T k);  y = S^T q
 *
 * `state` is S before, `keys` rows of `values` floats; `next` is S after.
 *
 * The tolerance follows the computation.  Each operation of the DSP has an error of at most e = 2^-23
 * of the larger of its operands and its result.  A sum of n products has one of (n + 4) * e of the sum
 * of their magnitudes, and what errors of the operands add to that.
 */
void reference_gated_delta_step_f32(const float *q, const float *k, size_t keys, const float *v,
                                    size_t values, float decay, float beta, const float *state,
                                    struct reference_value *next, struct reference_value *y);

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
