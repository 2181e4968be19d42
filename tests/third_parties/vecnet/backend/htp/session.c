// One session: the votes, the matrix unit, and the queue of operators.
#include <AEEStdErr.h>
#include <HAP_compute_res.h>
#include <HAP_farf.h>
#include <HAP_power.h>
#include <dspqueue.h>
#include <remote.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "vecnet_iface.h"
#include "vecnet_msg.h"

struct session {
    dspqueue_t queue;
    unsigned resource;
};

static kernel *const kernels[] = {
    op_add, op_sub, op_min, op_max, op_and, op_or, op_xor, op_average, op_half_difference,
    op_add_saturated, op_sub_saturated, op_absolute, op_negate, op_not, op_relu, op_shift_left,
    op_shift_right, op_greater, op_clamp, op_multiply, op_scale_qf32,
#ifdef HTP_HAS_SF
    op_scale_sf,
#endif
};

AEEResult vecnet_iface_open(const char *uri, remote_handle64 *handle) {
    struct session *session = calloc(1, sizeof *session);
    *handle = (remote_handle64) (uintptr_t) session;
    return session ? AEE_SUCCESS : AEE_ENOMEMORY;
}

AEEResult vecnet_iface_close(remote_handle64 handle) {
    free((void *) (uintptr_t) handle);
    return AEE_SUCCESS;
}

static void packets(dspqueue_t queue, AEEResult error, void *context) {
    for (;;) {
        struct vecnet_request request;
        struct dspqueue_buffer buffers[3];
        uint32_t flags, count, length;
        if (dspqueue_read_noblock(queue, &flags, 3, &count, buffers, sizeof request, &length,
                                  (uint8_t *) &request))
            return;
        struct vecnet_response response = {AEE_SUCCESS};
        if (count == 3 && request.op < sizeof kernels / sizeof *kernels &&
            request.words % 32 == 0 && request.words * 4 <= buffers[2].size)
            kernels[request.op](buffers[0].ptr, buffers[1].ptr, buffers[2].ptr, request.words / 32);
        else
            response.status = AEE_EBADPARM;
        FARF(HIGH, "operator %u of %u words", (unsigned) request.op, (unsigned) request.words);
        buffers[2].flags = DSPQUEUE_BUFFER_FLAG_FLUSH_SENDER;
        dspqueue_write(queue, 0, count, buffers, sizeof response, (uint8_t *) &response,
                       DSPQUEUE_TIMEOUT_NONE);
    }
}

static void failed(dspqueue_t queue, AEEResult error, void *context) {
    FARF(ERROR, "the queue failed: 0x%08x", (unsigned) error);
}

static int vote(void *context) {
    HAP_power_request_t request;
    memset(&request, 0, sizeof request);
    request.type = HAP_power_set_HVX;
    request.hvx.power_up = TRUE;
    int error = HAP_power_set(context, &request);
#ifdef HTP_HAS_HMX
    memset(&request, 0, sizeof request);
    request.type = HAP_power_set_HMX;
    request.hmx.power_up = TRUE;
    error |= HAP_power_set(context, &request);
#endif
    return error;
}

AEEResult vecnet_iface_start(remote_handle64 handle, uint64 queue) {
    struct session *session = (void *) (uintptr_t) handle;
    int error = vote(session);
    if (error)
        return error;
#ifdef HTP_HAS_HMX
    compute_res_attr_t attributes;
    HAP_compute_res_attr_init(&attributes);
    HAP_compute_res_attr_set_hmx_param(&attributes, 1);
    session->resource = HAP_compute_res_acquire(&attributes, 100000);
    if (!session->resource)
        return AEE_ENOMEMORY;
#endif
    return dspqueue_import(queue, packets, failed, session, &session->queue);
}

AEEResult vecnet_iface_stop(remote_handle64 handle) {
    struct session *session = (void *) (uintptr_t) handle;
    int error = dspqueue_close(session->queue);
    if (session->resource)
        HAP_compute_res_release(session->resource);
    HAP_power_destroy_client(session);
    return error;
}
