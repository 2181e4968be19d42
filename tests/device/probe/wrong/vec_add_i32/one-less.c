/* Intentionally wrong: the last element is left out. */
#include <string.h>

#include "kernels.h"

void vec_add_i32(const int32_t *a, const int32_t *b, int32_t *sum, size_t count)
{
    for (size_t i = 0; i + 1 < count; i++)
        sum[i] = (int32_t)((uint32_t)a[i] + (uint32_t)b[i]);
}
