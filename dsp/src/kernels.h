/*
 * The kernels, without FastRPC: what the skel calls and what tests call directly.
 * They check nothing; htp_ops_imp.c does.
 */
#ifndef KERNELS_H
#define KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* One Q8_0 block: a little-endian fp16 scale, then 32 int8 values. */
enum { Q8_0_VALUES = 32, Q8_0_SCALE_BYTES = 2, Q8_0_BYTES = Q8_0_SCALE_BYTES + Q8_0_VALUES };

/*
 * sum[i] = a[i] + b[i] for `count` values, wrapping.  No alignment beyond int32_t's is
 * asked for.  `sum` may be `a` or `b`; it must not overlap them otherwise.
 */
void vec_add_i32(const int32_t *a, const int32_t *b, int32_t *sum, size_t count);

/*
 * y[r] = sum over c < cols of W[r][c] * x[c].  W is `rows` rows and x one row of
 * ceil(cols / 32) blocks, at any address; values beyond `cols` in a last block count as
 * zero.
 *
 * Within a block the sum is an exact integer.  Blocks are added in float, first
 * to last, each product rounded before it is added, so that every machine with
 * IEEE single precision gives the same bits.
 */
void matvec_q8_0(const uint8_t *weights, const uint8_t *x, size_t rows, size_t cols, float *y);

#endif
