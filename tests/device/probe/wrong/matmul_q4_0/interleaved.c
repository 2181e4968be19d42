/* Intentionally wrong: value i is in byte i / 2, as in other formats. */
#include "product_q4_0.h"

static unsigned in_pairs(size_t i)
{
    return (unsigned)i;
}

int matmul_q4_0(const uint8_t *weights, const uint8_t *x, size_t rows, size_t cols, size_t count,
                float *y)
{
    const size_t blocks = row_blocks(cols);

    for (size_t n = 0; n < count; n++)
        for (size_t r = 0; r < rows; r++)
            y[n * rows + r] = product_q4_0(weights + r * blocks * Q4_0_BYTES,
                                           x + n * blocks * Q8_0_BYTES, cols, in_pairs, 8);
    return 1;
}
