/* A plain product with weights in Q4_0, in which the wrong kernels omit or change terms. */
#ifndef PRODUCT_Q4_0_H
#define PRODUCT_Q4_0_H

#include "fp16.h"
#include "kernels.h"

static inline float half_at(const uint8_t *bytes)
{
    return fp16_to_float((uint32_t)bytes[0] | (uint32_t)bytes[1] << 8);
}

/* The sum of the first `cols` terms of one row.  `nibble` says where value i of a block is: byte i / 2
 * or i % 16, low or high. */
static inline float product_q4_0(const uint8_t *row, const uint8_t *x, size_t cols,
                                 unsigned (*nibble)(size_t i), int offset)
{
    float sum = 0;

    for (size_t c = 0; c < cols; c++) {
        const uint8_t *w_block = row + c / Q4_0_VALUES * Q4_0_BYTES;
        const uint8_t *x_block = x + c / Q8_0_VALUES * Q8_0_BYTES;
        const unsigned at = nibble(c % Q4_0_VALUES);
        const int weight = (w_block[2 + at / 2] >> (at % 2 * 4) & 15) - offset;

        sum += half_at(w_block) * half_at(x_block) *
               (float)(weight * (int8_t)x_block[Q8_0_SCALE_BYTES + c % Q8_0_VALUES]);
    }
    return sum;
}

/* Twice the byte, plus 1 for a high nibble. */
static inline unsigned as_gguf(size_t i)
{
    return (unsigned)(i < 16 ? 2 * i : 2 * (i - 16) + 1);
}

static inline size_t row_blocks(size_t cols)
{
    return (cols + Q4_0_VALUES - 1) / Q4_0_VALUES;
}

#endif
