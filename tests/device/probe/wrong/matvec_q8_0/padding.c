/* Intentionally wrong: the padding of the last block counts. */
#include "product.h"

void matvec_q8_0(const uint8_t *weights, const uint8_t *x, size_t rows, size_t cols, float *y)
{
    const size_t padded = row_bytes(cols) / Q8_0_BYTES * Q8_0_VALUES;

    for (size_t r = 0; r < rows; r++)
        y[r] = product(weights + r * row_bytes(cols), x, 0, padded);
}
