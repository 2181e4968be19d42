/* An HVX kernel. */
#include "@IDENT@.h"

#include <string.h>

#include <hexagon_types.h>
#include <hexagon_protos.h>
#include <hvx_hexagon_protos.h>

enum { LANES = sizeof(HVX_Vector) / sizeof(int16_t) };

/* A vector at any address; volatile keeps the compiler from merging such accesses
 * into aligned ones that reach beyond the end of the data. */
typedef volatile HVX_Vector unaligned_vector __attribute__((aligned(1), may_alias));

void @IDENT@_scale_add(int16_t factor, const int16_t *a, const int16_t *b, int16_t *result,
                       size_t count)
{
    const HVX_Vector factors = Q6_Vh_vsplat_R(factor);
    size_t i = 0;

    for (; i + LANES <= count; i += LANES)
        *(unaligned_vector *)(result + i) = Q6_Vh_vmpyiacc_VhVhVh(
            *(const unaligned_vector *)(b + i), *(const unaligned_vector *)(a + i), factors);

    if (i < count) { /* the rest is part of a vector: in a copy, so that nothing else is touched */
        const size_t bytes = (count - i) * sizeof *result;
        HVX_Vector rest_a = Q6_V_vzero(), rest_b = Q6_V_vzero();

        memcpy(&rest_a, a + i, bytes);
        memcpy(&rest_b, b + i, bytes);
        rest_b = Q6_Vh_vmpyiacc_VhVhVh(rest_b, rest_a, factors);
        memcpy(result + i, &rest_b, bytes);
    }
}
