/* A plain product, in which the wrong kernels omit or add terms. */
#ifndef PRODUCT_H
#define PRODUCT_H

#include "fp16.h"
#include "kernels.h"

/* The sum of the terms from `first` up to `end` of one row. */
static inline float product(const uint8_t *row, const uint8_t *x, size_t first, size_t end)
{
    float sum = 0;

    for (size_t i = first; i < end; i++) {
        const uint8_t *w_block = row + i / Q8_0_VALUES * Q8_0_BYTES;
        const uint8_t *x_block = x + i / Q8_0_VALUES * Q8_0_BYTES;
        const size_t at = Q8_0_SCALE_BYTES + i % Q8_0_VALUES;

        sum += fp16_to_float((uint32_t)w_block[0] | (uint32_t)w_block[1] << 8) *
               fp16_to_float((uint32_t)x_block[0] | (uint32_t)x_block[1] << 8) *
               (float)((int8_t)w_block[at] * (int8_t)x_block[at]);
    }
    return sum;
}

static inline size_t row_bytes(size_t cols)
{
    return (cols + Q8_0_VALUES - 1) / Q8_0_VALUES * Q8_0_BYTES;
}

#endif
