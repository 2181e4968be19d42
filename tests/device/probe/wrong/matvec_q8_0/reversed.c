/* Intentionally wrong: rows in reverse order. */
#include "product.h"

void matvec_q8_0(const uint8_t *weights, const uint8_t *x, size_t rows, size_t cols, float *y)
{
    for (size_t r = 0; r < rows; r++)
        y[rows - 1 - r] = product(weights + r * row_bytes(cols), x, 0, cols);
}
