/* The products of HMX on the CPU, in double precision, with what HMX may differ by. */
#ifndef HMX_H
#define HMX_H

#include <stddef.h>
#include <stdint.h>

#include "reference.h"

/* The sizes of a product: a is rows by inner, b is inner by columns. */
struct hmx_sizes {
    size_t rows, inner, columns;
};

/* Returns the exact value of an fp16 below exponent 31. */
double hmx_half(uint16_t bits);

/*
 * c = a b of halves.
 *
 * For K = inner and S, the sum of the magnitudes of the K products, the tolerance is
 *
 *     K * 2^-22 * S + 2^-11 * |c| + 2^-25
 *
 * HMX adds eight products at a time (four on v73) to an accumulator with a common exponent x, and cuts
 * below 2^(x - 22).  2^x is at most S / 2, because a product is at least 4 * 2^x, an accumulator 16
 * times 2^x, and the exponent grows by one.  An addition cuts at most eleven times (seven on v73).  So
 * its error is below 16 (8) times 2^-22 * S / 2, and there are K / 8 (K / 4) of them.  The other terms
 * are half of the last place of fp16.  v68 and v69 add exactly.
 */
void reference_matmul_f16(const uint16_t *a, const uint16_t *b, struct hmx_sizes sizes,
                          struct reference_value *c);

/*
 * c = zero + scale * sum of (a - a_zero) * b, not rounded, limited to 0 to 255.
 *
 * The tolerance is 0.8125 + scale / 2: 1/2 for the rounding to an integer, 1/8 for the accumulator, which is cut
 * at 1/16 before it is multiplied by 1.m, 1/16 for the product, which is cut there, and 255 * 2^-11 for
 * the scale with 11 bits.  Up to v69, HMX adds `c_zero` to the sum as a multiple of the scale.
 */
void reference_matmul_u8i8(const uint8_t *a, uint8_t a_zero, const int8_t *b, const float *scales,
                           uint8_t c_zero, struct hmx_sizes sizes, struct reference_value *c);

/* Returns the sum of (a - a_zero) * b of one element. */
double hmx_sum(const uint8_t *a, uint8_t a_zero, const int8_t *b, struct hmx_sizes sizes,
               size_t row, size_t column);

#endif
