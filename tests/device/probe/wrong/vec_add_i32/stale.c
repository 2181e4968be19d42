/* Intentionally wrong: a second call with the same length gets the sums of the first call. */
#include <string.h>

#include "kernels.h"

enum { MOST = 1 << 17 };

void vec_add_i32(const int32_t *a, const int32_t *b, int32_t *sum, size_t count)
{
    static int32_t last[MOST];
    static size_t last_count;

    if (count != last_count)
        for (size_t i = 0; i < count && i < MOST; i++)
            last[i] = (int32_t)((uint32_t)a[i] + (uint32_t)b[i]);
    last_count = count;
    memcpy(sum, last, count * sizeof *sum);
}
