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
 * y[i] = x[i] * weight[i] / sqrt(mean of x^2 + epsilon) for `count` values.  The pointers need the
 * alignment of float only.  `y` may be `x` or `weight` but must not overlap them otherwise.
 *
 * It computes in the DSP's own format, so only Hexagon has it, and the last bits of its results
 * depend on the arch.
 */
void rms_norm_f32(const float *x, const float *weight, size_t count, float epsilon, float *y);

#endif
