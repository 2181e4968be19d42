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
#include "dspqueue.h"
#include "htp_ops.h"
#include "hvx.h"
#include "kernels.h"
#include "queue.h"

/* Its address also identifies the session in votes for power. */
struct session {
    dspqueue_t queue; /* NULL without one */
    int has_hmx;
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

/* Some chips have no HMX, or have it fused off. */
static int vote_for_hmx(struct session *session, boolean power_up)
{
    HAP_power_request_t request;

    memset(&request, 0, sizeof request);
    request.type = HAP_power_set_HMX;
    request.hmx.power_up = power_up;
    return HAP_power_set(session, &request);
}

int htp_ops_open(const char *uri, remote_handle64 *handle)
{
    struct session *session = calloc(1, sizeof *session);

    (void)uri;
    if (session == NULL)
        return AEE_ENOMEMORY;
    if (vote_for_hvx(session, TRUE) != 0) {
        free(session);
        return AEE_EFAILED;
    }
    session->has_hmx = vote_for_hmx(session, TRUE) == 0;
    *handle = (remote_handle64)(uintptr_t)session;
    return AEE_SUCCESS;
}

int htp_ops_close(remote_handle64 handle)
{
    struct session *session = (struct session *)(uintptr_t)handle;

    htp_ops_close_queue(handle);
    vote_for_hvx(session, FALSE);
    if (session->has_hmx)
        vote_for_hmx(session, FALSE);
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

AEEResult htp_ops_matmul_q4_0(remote_handle64 handle, int32_t rows, int32_t cols, int32_t count,
                              const uint8_t *weights, int weights_len, const uint8_t *x, int x_len,
                              float *y, int y_len)
{
    const int64_t row_blocks = ((int64_t)cols + Q4_0_VALUES - 1) / Q4_0_VALUES;

    (void)handle;
    if (rows < 0 || cols < 0 || count < 0 || y_len != (int64_t)count * rows)
        return AEE_EBADPARM;
    if (weights_len != rows * row_blocks * Q4_0_BYTES || x_len != count * row_blocks * Q8_0_BYTES)
        return AEE_EBADPARM;
    return matmul_q4_0(weights, x, (size_t)rows, (size_t)cols, (size_t)count, y) ? AEE_SUCCESS
                                                                                 : AEE_ENOMEMORY;
}

AEEResult htp_ops_matvec_q4_0(remote_handle64 handle, int32_t rows, int32_t cols,
                              const uint8_t *weights, int weights_len, const uint8_t *x, int x_len,
                              float *y, int y_len)
{
    return htp_ops_matmul_q4_0(handle, rows, cols, 1, weights, weights_len, x, x_len, y, y_len);
}

AEEResult htp_ops_open_queue(remote_handle64 handle, uint64_t id)
{
    struct session *session = (struct session *)(uintptr_t)handle;

    if (session->queue != NULL)
        return AEE_EITEMBUSY;
    return dspqueue_import(id, serve_packets, ignore_error, session, &session->queue);
}

AEEResult htp_ops_close_queue(remote_handle64 handle)
{
    struct session *session = (struct session *)(uintptr_t)handle;
    const int code = session->queue == NULL ? AEE_SUCCESS : dspqueue_close(session->queue);

    session->queue = NULL;
    return code;
}

AEEResult htp_ops_softmax_f32(remote_handle64 handle, const float *x, int x_len, float *y,
                              int y_len)
{
    (void)handle;
    if (x_len < 0 || y_len != x_len)
        return AEE_EBADPARM;
    softmax_f32(x, (size_t)x_len, y);
    return AEE_SUCCESS;
}

AEEResult htp_ops_gated_delta_step_f32(remote_handle64 handle, const float *q, int q_len,
                                       const float *k, int k_len, const float *v, int v_len,
                                       float decay, float beta, float *state, int state_len,
                                       float *y, int y_len)
{
    (void)handle;
    if (k_len < 0 || v_len < 0 || q_len != k_len || y_len != v_len)
        return AEE_EBADPARM;
    if (state_len != (int64_t)k_len * v_len)
        return AEE_EBADPARM;
    gated_delta_step_f32(q, k, (size_t)k_len, v, (size_t)v_len, decay, beta, state, y);
    return AEE_SUCCESS;
}

/* Whether the sizes of a product on HMX are what the lengths say. */
static int are_sizes(int32_t rows, int32_t inner, int32_t columns, int a_len, int b_len, int c_len)
{
    return rows > 0 && inner > 0 && columns > 0 && a_len == (int64_t)rows * inner &&
           b_len == (int64_t)inner * columns && c_len == (int64_t)rows * columns;
}

AEEResult htp_ops_matmul_f16_hmx(remote_handle64 handle, int32_t rows, int32_t inner,
                                 int32_t columns, const uint16_t *a, int a_len, const uint16_t *b,
                                 int b_len, uint16_t *c, int c_len)
{
    if (!((struct session *)(uintptr_t)handle)->has_hmx)
        return AEE_EUNSUPPORTED;
    if (!are_sizes(rows, inner, columns, a_len, b_len, c_len))
        return AEE_EBADPARM;
    return matmul_f16_hmx(a, b, (size_t)rows, (size_t)inner, (size_t)columns, c);
}

AEEResult htp_ops_matmul_u8i8_hmx(remote_handle64 handle, int32_t rows, int32_t inner,
                                  int32_t columns, const uint8_t *a, int a_len, uint8_t a_zero,
                                  const int8_t *b, int b_len, const float *scales, int scales_len,
                                  uint8_t c_zero, uint8_t *c, int c_len)
{
    const struct hmx_quantized quantized = {a, a_zero, b, scales, c_zero};

    if (!((struct session *)(uintptr_t)handle)->has_hmx)
        return AEE_EUNSUPPORTED;
    if (!are_sizes(rows, inner, columns, a_len, b_len, c_len) || scales_len != columns ||
        inner > 32768)
        return AEE_EBADPARM;
    for (int32_t n = 0; n < columns; n++)
        if (!(scales[n] >= 0x1p-20f && scales[n] <= 255))
            return AEE_EBADPARM;
    return matmul_u8i8_hmx(&quantized, (size_t)rows, (size_t)inner, (size_t)columns, c);
}
