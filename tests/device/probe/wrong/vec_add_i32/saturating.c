/* Intentionally wrong: saturating sums. */
#include <string.h>

#include "kernels.h"

void vec_add_i32(const int32_t *a, const int32_t *b, int32_t *sum, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const int64_t exact = (int64_t)a[i] + b[i];

        sum[i] = exact > INT32_MAX ? INT32_MAX : exact < INT32_MIN ? INT32_MIN : (int32_t)exact;
    }
}
