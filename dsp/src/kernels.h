/*
 * The kernels, independent of FastRPC.  The skel calls them, and tests call them directly.
 * They do not check their arguments; htp_ops_imp.c does.
 */
#ifndef KERNELS_H
#define KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* A Q8_0 block is a little-endian fp16 scale and 32 int8 values. */
enum { Q8_0_VALUES = 32, Q8_0_SCALE_BYTES = 2, Q8_0_BYTES = Q8_0_SCALE_BYTES + Q8_0_VALUES };

/* A Q4_0 block is a little-endian fp16 scale and 16 bytes: byte i has value i in its low nibble and
 * value i + 16 in its high one, each plus 8. */
enum { Q4_0_VALUES = 32, Q4_0_BYTES = 2 + Q4_0_VALUES / 2 };

/*
 * sum[i] = a[i] + b[i] for `count` values, with wrapping.  The pointers need the alignment of
 * int32_t only.  `sum` may be `a` or `b` but must not overlap them otherwise.
 */
void vec_add_i32(const int32_t *a, const int32_t *b, int32_t *sum, size_t count);

/*
 * y[r] = sum over c < cols of W[r][c] * x[c].  W is `rows` rows and x is one row of
 * ceil(cols / 32) blocks, at any address.  Values of a last block beyond `cols` are treated
 * as zero.
 *
 * The sum of a block is an exact integer.  The blocks are added in float, from first to
 * last, and each product is rounded before it is added.  So every machine with IEEE single
 * precision computes the same bits.
 */
void matvec_q8_0(const uint8_t *weights, const uint8_t *x, size_t rows, size_t cols, float *y);

/*
 * y[n * rows + r] = sum over c < cols of W[r][c] * x[n][c], for n < count.  W is `rows` rows of
 * ceil(cols / 32) blocks of Q4_0, and x is `count` rows of as many blocks of Q8_0, at any address.
 * Values of a last block beyond `cols` are treated as zero.  Returns 0 if there is no memory.
 *
 * The order of the sums, and so each bit of the result, is that of matvec_q8_0.  Large matrices are
 * divided between threads and staged in VTCM if it is free, which does not change the result.
 */
int matmul_q4_0(const uint8_t *weights, const uint8_t *x, size_t rows, size_t cols, size_t count,
                float *y);

/*
 * y[i] = e^x[i] / sum of e^x, for `count` finite values.  The pointers need the alignment of float
 * only.  `y` may be `x` but must not overlap it otherwise.
 */
void softmax_f32(const float *x, size_t count, float *y);

/*
 * y[i] = x[i] * weight[i] / sqrt(mean of x^2 + epsilon) for `count` values.  The pointers need the
 * alignment of float only.  `y` may be `x` or `weight` but must not overlap them otherwise.
 *
 * It computes in the DSP's own format, so only Hexagon has it, and the last bits of its results
 * depend on the arch.
 */
void rms_norm_f32(const float *x, const float *weight, size_t count, float epsilon, float *y);

/*
 * One step of a gated delta net, with a state S of `keys` rows of `values` floats:
 *
 *     S = decay * S
 *     S = S + k (outer product) beta * (v - S^T k)
 *     y = S^T q
 *
 * The pointers need the alignment of float only, and the arrays must not overlap.  It computes like
 * rms_norm_f32.
 */
void gated_delta_step_f32(const float *q, const float *k, size_t keys, const float *v,
                          size_t values, float decay, float beta, float *state, float *y);

/*
 * c = a b in fp16, in row-major order: `a` has `rows` rows of `inner` halves, `b` has `inner` rows of
 * `columns`.  All sizes are 1 or more.  The pointers need the alignment of uint16_t only.
 *
 * HMX adds the products, up to v69 exactly, later with about 22 bits, and the sum is rounded once to
 * fp16.  From v68 on, exponent 31 is an ordinary one: a large sum is not infinite but up to 131,008.
 * Returns AEE_SUCCESS, AEE_ENOMEMORY without memory or VTCM, or the code of a lock that failed.
 */
int matmul_f16_hmx(const uint16_t *a, const uint16_t *b, size_t rows, size_t inner, size_t columns,
                   uint16_t *c);

/* A product of quantized matrices. */
struct hmx_quantized {
    const uint8_t *a;
    uint8_t a_zero; /* the value of `a` that means 0 */
    const int8_t *b;
    const float *scales; /* for each column: from 2^-20 to 255 */
    uint8_t c_zero;
};

/*
 * c[r][n] = c_zero + scales[n] * sum over k of (a[r][k] - a_zero) * b[k][n], rounded, from 0 to 255.
 * Sizes, order and result are those of matmul_f16_hmx; `inner` is at most 32,768.
 *
 * The sum is exact.  HMX has 11 bits of a scale, and drops what is below 1/16 twice.  Up to v69,
 * c_zero is added to the sum as a multiple of the scale.
 */
int matmul_u8i8_hmx(const struct hmx_quantized *quantized, size_t rows, size_t inner,
                    size_t columns, uint8_t *c);

#endif
