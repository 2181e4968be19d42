/* The DSP side of @NAME@: called by the generated skel. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <hexagon_types.h>
#include <hexagon_protos.h>
#include <hvx_hexagon_protos.h>

#include "AEEStdErr.h"
#include "HAP_power.h"
#include "@IDENT@_dsp.h"

enum { LANES = sizeof(HVX_Vector) / sizeof(int16_t) };

/* A vector at any address; volatile keeps the compiler from merging such accesses
 * into aligned ones that reach beyond the end of the data. */
typedef volatile HVX_Vector unaligned_vector __attribute__((aligned(1), may_alias));

static int vote_for_hvx(void *session, boolean power_up)
{
    HAP_power_request_t request;

    memset(&request, 0, sizeof request);
    request.type = HAP_power_set_HVX;
    request.hvx.power_up = power_up;
    return HAP_power_set(session, &request);
}

int @IDENT@_dsp_open(const char *uri, remote_handle64 *handle)
{
    void *session = malloc(1);

    (void)uri;
    if (session == NULL)
        return AEE_ENOMEMORY;
    if (vote_for_hvx(session, TRUE) != 0) {
        free(session);
        return AEE_EFAILED;
    }
    *handle = (remote_handle64)(uintptr_t)session;
    return AEE_SUCCESS;
}

int @IDENT@_dsp_close(remote_handle64 handle)
{
    void *session = (void *)(uintptr_t)handle;

    vote_for_hvx(session, FALSE);
    free(session);
    return AEE_SUCCESS;
}

AEEResult @IDENT@_dsp_scale_add(remote_handle64 handle, int16_t factor, const int16_t *a, int a_len,
                            const int16_t *b, int b_len, int16_t *result, int result_len)
{
    const HVX_Vector factors = Q6_Vh_vsplat_R(factor);
    int i = 0;

    (void)handle;
    if (b_len != a_len || result_len != a_len)
        return AEE_EBADPARM;

    for (; i + LANES <= a_len; i += LANES)
        *(unaligned_vector *)(result + i) = Q6_Vh_vmpyiacc_VhVhVh(
            *(const unaligned_vector *)(b + i), *(const unaligned_vector *)(a + i), factors);

    if (i < a_len) { /* the rest is part of a vector: in a copy, so that nothing else is touched */
        const size_t bytes = (size_t)(a_len - i) * sizeof *result;
        HVX_Vector rest_a = Q6_V_vzero(), rest_b = Q6_V_vzero();

        memcpy(&rest_a, a + i, bytes);
        memcpy(&rest_b, b + i, bytes);
        rest_b = Q6_Vh_vmpyiacc_VhVhVh(rest_b, rest_a, factors);
        memcpy(result + i, &rest_b, bytes);
    }
    return AEE_SUCCESS;
}
