/* Intentionally wrong: right sums, then zeros up to the next whole vector. */
#include <string.h>

#include "kernels.h"

void vec_add_i32(const int32_t *a, const int32_t *b, int32_t *sum, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sum[i] = (int32_t)((uint32_t)a[i] + (uint32_t)b[i]);
    memset(sum + count, 0, (32 - count % 32) % 32 * sizeof *sum);
}
