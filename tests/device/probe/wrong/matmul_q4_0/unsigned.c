/* Intentionally wrong: nibbles are not from -8 to 7. */
#include "product_q4_0.h"

int matmul_q4_0(const uint8_t *weights, const uint8_t *x, size_t rows, size_t cols, size_t count,
                float *y)
{
    const size_t blocks = row_blocks(cols);

    for (size_t n = 0; n < count; n++)
        for (size_t r = 0; r < rows; r++)
            y[n * rows + r] = product_q4_0(weights + r * blocks * Q4_0_BYTES,
                                           x + n * blocks * Q8_0_BYTES, cols, as_gguf, 0);
    return 1;
}
