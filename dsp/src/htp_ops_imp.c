/*
 * The functions that the generated skel calls.  They check the arguments, which come from
 * another processor, and call the kernels.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "AEEStdErr.h"
#include "HAP_power.h"
#include "htp_ops.h"
#include "hvx.h"
#include "kernels.h"

/* A session has no data.  Its address identifies it in votes for power. */
struct session {
    char unused;
};

/* HVX is off until a client votes for it, and vector instructions crash while it is off. */
static int vote_for_hvx(struct session *session, boolean power_up)
{
    HAP_power_request_t request;

    memset(&request, 0, sizeof request);
    request.type = HAP_power_set_HVX;
    request.hvx.power_up = power_up;
    return HAP_power_set(session, &request);
}

int htp_ops_open(const char *uri, remote_handle64 *handle)
{
    struct session *session = malloc(sizeof *session);

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

int htp_ops_close(remote_handle64 handle)
{
    struct session *session = (struct session *)(uintptr_t)handle;

    vote_for_hvx(session, FALSE);
    free(session);
    return AEE_SUCCESS;
}

/* __HEXAGON_ARCH__ is decimal: 68 for v68. */
AEEResult htp_ops_info(remote_handle64 handle, int32_t *arch, int32_t *vector_bytes)
{
    (void)handle;
    *arch = __HEXAGON_ARCH__;
    *vector_bytes = HVX_BYTES;
    return AEE_SUCCESS;
}

AEEResult htp_ops_vec_add_i32(remote_handle64 handle, const int32_t *a, int a_len, const int32_t *b,
                              int b_len, int32_t *sum, int sum_len)
{
    (void)handle;
    if (a_len < 0 || b_len != a_len || sum_len != a_len)
        return AEE_EBADPARM;
    vec_add_i32(a, b, sum, (size_t)a_len);
    return AEE_SUCCESS;
}

AEEResult htp_ops_matvec_q8_0(remote_handle64 handle, int32_t rows, int32_t cols,
                              const uint8_t *weights, int weights_len, const uint8_t *x, int x_len,
                              float *y, int y_len)
{
    const int64_t row_blocks = ((int64_t)cols + Q8_0_VALUES - 1) / Q8_0_VALUES;
    const int64_t row_bytes = row_blocks * Q8_0_BYTES;

    (void)handle;
    if (rows < 0 || cols < 0)
        return AEE_EBADPARM;
    if (weights_len != rows * row_bytes || x_len != row_bytes || y_len != rows)
        return AEE_EBADPARM;
    matvec_q8_0(weights, x, (size_t)rows, (size_t)cols, y);
    return AEE_SUCCESS;
}

AEEResult htp_ops_rms_norm_f32(remote_handle64 handle, float epsilon, const float *x, int x_len,
                               const float *weight, int weight_len, float *y, int y_len)
{
    (void)handle;
    if (x_len < 0 || weight_len != x_len || y_len != x_len)
        return AEE_EBADPARM;
    rms_norm_f32(x, weight, (size_t)x_len, epsilon, y);
    return AEE_SUCCESS;
}
