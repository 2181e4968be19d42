/* vectors.c: arithmetic in HVX whose results are exact. */
#include <stdint.h>
#include <string.h>

#include <hexagon_types.h>
#include <hexagon_protos.h>
#include <hvx_hexagon_protos.h>

#include "AEEStdErr.h"
#include "device_probe.h"

/* A vector at any address; volatile keeps the compiler from merging such accesses. */
typedef volatile HVX_Vector unaligned_vector __attribute__((aligned(1), may_alias));
typedef float floats __attribute__((vector_size(128)));

enum { BYTES = sizeof(HVX_Vector) };

/* The code with which HVX was refused to the session when it was opened. */
static int hvx_power(remote_handle64 handle)
{
    return *(const int *)(uintptr_t)handle;
}

AEEResult device_probe_add_mul_i16(remote_handle64 handle, const int16_t *a, int a_len,
                                   const int16_t *b, int b_len, int16_t *result, int result_len)
{
    const int lanes = BYTES / (int)sizeof *a;

    if (hvx_power(handle) != 0)
        return hvx_power(handle);
    if (b_len != a_len || result_len != a_len || a_len % lanes != 0)
        return AEE_EBADPARM;
    for (int i = 0; i < a_len; i += lanes) {
        const HVX_Vector first = *(const unaligned_vector *)(a + i);
        const HVX_Vector product = Q6_Vh_vmpyi_VhVh(first, *(const unaligned_vector *)(b + i));

        *(unaligned_vector *)(result + i) = Q6_Vh_vadd_VhVh(product, first);
    }
    return AEE_SUCCESS;
}

/* The compiler makes HVX instructions of * and +. */
AEEResult device_probe_add_mul_f32(remote_handle64 handle, const float *a, int a_len,
                                   const float *b, int b_len, float *result, int result_len)
{
    const int lanes = BYTES / (int)sizeof *a;

    if (hvx_power(handle) != 0)
        return hvx_power(handle);
    if (b_len != a_len || result_len != a_len || a_len % lanes != 0)
        return AEE_EBADPARM;
    for (int i = 0; i < a_len; i += lanes) {
        const floats first = (floats) * (const unaligned_vector *)(a + i);
        const floats second = (floats) * (const unaligned_vector *)(b + i);

        *(unaligned_vector *)(result + i) = (HVX_Vector)(first * second + first);
    }
    return AEE_SUCCESS;
}
