/* Sum of two int32 vectors: first whole HVX vectors, then one partial vector. */
#include "hvx.h"
#include "kernels.h"

void vec_add_i32(const int32_t *a, const int32_t *b, int32_t *sum, size_t count)
{
    const size_t tail = count % HVX_WORDS;
    size_t i = 0;

    for (; i < count - tail; i += HVX_WORDS)
        hvx_store(sum + i, Q6_Vw_vadd_VwVw(hvx_load(a + i), hvx_load(b + i)));

    if (tail > 0) {
        const size_t bytes = tail * sizeof *sum;
        const HVX_Vector rest = Q6_Vw_vadd_VwVw(hvx_load_first(a + i, bytes),
                                                hvx_load_first(b + i, bytes));

        hvx_store_first(sum + i, rest, bytes);
    }
}
