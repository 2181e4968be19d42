// One session: power, VTCM, workers and the queue.
#include <AEEStdErr.h>
#include <HAP_compute_res.h>
#include <HAP_dcvs.h>
#include <HAP_farf.h>
#include <HAP_mem.h>
#include <HAP_perf.h>
#include <HAP_power.h>
#include <HAP_ps.h>
#include <dspqueue.h>
#include <qurt.h>
#include <remote.h>
#include <stdlib.h>
#include <string.h>

#include "blend_iface.h"
#include "blend_msg.h"
#include "kernels.h"

#define VTCM_BYTES (256 * 1024)
#define WORKER_VTCM (16 * 1024)

struct session {
    dspqueue_t queue;
    unsigned resource;
    uint8_t *vtcm;
    unsigned workers;
    unsigned matrix;
    unsigned packets;
    uint64_t microseconds;
};

AEEResult blend_iface_open(const char *uri, remote_handle64 *handle) {
    (void) uri;
    struct session *session = calloc(1, sizeof *session);
    if (!session)
        return AEE_ENOMEMORY;
    *handle = (remote_handle64) (uintptr_t) session;
    return AEE_SUCCESS;
}

AEEResult blend_iface_close(remote_handle64 handle) {
    free((void *) (uintptr_t) handle);
    return AEE_SUCCESS;
}

static int power_up(void *context) {
    HAP_power_request_t request;
    memset(&request, 0, sizeof request);
    request.type = HAP_power_set_apptype;
    request.apptype = HAP_POWER_COMPUTE_CLIENT_CLASS;
    int error = HAP_power_set(context, &request);

    memset(&request, 0, sizeof request);
    request.type = HAP_power_set_DCVS_v3;
    request.dcvs_v3.set_dcvs_enable = TRUE;
    request.dcvs_v3.dcvs_enable = FALSE;
    request.dcvs_v3.set_bus_params = TRUE;
    request.dcvs_v3.bus_params.target_corner = HAP_DCVS_VCORNER_MAX;
#if __HEXAGON_ARCH__ >= 79
    HAP_set_dcvs_v3_protected_bus_corners(&request, 1);
#endif
    error |= HAP_power_set(context, &request);

    memset(&request, 0, sizeof request);
    request.type = HAP_power_set_HVX;
    request.hvx.power_up = TRUE;
    return error | HAP_power_set(context, &request);
}

static uint32_t counter(void) {
    uint32_t value;
    __asm__ volatile("%0 = upmucnt2" : "=r"(value));
    return value;
}

static int run(struct session *session, const struct blend_request *request,
               struct dspqueue_buffer *buffers, uint32_t count) {
    if (count != 3 || request->count * 4 > buffers[2].size)
        return AEE_EBADPARM;
    struct job jobs[8];
    for (unsigned i = 0; i < session->workers; i++)
        jobs[i] = (struct job) {
            .a = buffers[0].ptr,
            .b = buffers[1].ptr,
            .result = buffers[2].ptr,
            .weight = request->weight,
            .vtcm = session->vtcm + i * WORKER_VTCM,
            .vtcm_size = WORKER_VTCM,
        };
    switch (request->op) {
    case BLEND_MIX:
        workers_run(mix, jobs, request->count);
        return AEE_SUCCESS;
    case BLEND_SCALE:
        workers_run(scale, jobs, request->count);
        return AEE_SUCCESS;
    case BLEND_COUNTERS:
        jobs[0].result[0] = (int32_t) (counter() - counter()) <= 0;
        return AEE_SUCCESS;
    case BLEND_MATRIX:
        if (!session->matrix)
            return AEE_EUNSUPPORTED;
        if (HAP_compute_res_hmx_lock(session->resource))
            return AEE_EFAILED;
        jobs[0].result[0] = matrix_multiply_ones(session->vtcm);
        HAP_compute_res_hmx_unlock(session->resource);
        return AEE_SUCCESS;
    default:
        return AEE_EUNSUPPORTED;
    }
}

static void packets(dspqueue_t queue, AEEResult error, void *context) {
    struct session *session = context;
    for (;;) {
        struct blend_request request;
        struct dspqueue_buffer buffers[4];
        uint32_t flags, count, length;
        if (dspqueue_read_noblock(queue, &flags, 4, &count, buffers, sizeof request, &length,
                                  (uint8_t *) &request))
            return;
        uint64_t begin = HAP_perf_get_qtimer_count();
        struct blend_response response = {.arch = __HEXAGON_ARCH__, .threads = session->workers};
        response.status = run(session, &request, buffers, count);
        session->microseconds += HAP_perf_qtimer_count_to_us(HAP_perf_get_qtimer_count() - begin);
        session->packets++;
        buffers[2].flags = DSPQUEUE_BUFFER_FLAG_FLUSH_SENDER;
        dspqueue_write(queue, 0, count, buffers, sizeof response, (uint8_t *) &response,
                       DSPQUEUE_TIMEOUT_NONE);
    }
}

static void failed(dspqueue_t queue, AEEResult error, void *context) {
    FARF(ERROR, "the queue failed: 0x%08x", (unsigned) error);
}

AEEResult blend_iface_start(remote_handle64 handle, uint64 queue, uint32 workers, uint32 matrix) {
    struct session *session = (void *) (uintptr_t) handle;
    int error = power_up(session);
    if (error)
        return error;
    compute_res_attr_t attributes;
    HAP_compute_res_attr_init(&attributes);
    HAP_compute_res_attr_set_vtcm_param(&attributes, VTCM_BYTES, 0);
    if (matrix)
        HAP_compute_res_attr_set_hmx_param(&attributes, 1);
    session->resource = HAP_compute_res_acquire(&attributes, 100000);
    if (!session->resource)
        return AEE_ENOMEMORY;
    session->vtcm = HAP_compute_res_attr_get_vtcm_ptr(&attributes);
    session->workers = workers;
    session->matrix = matrix;
    error = workers_start(workers);
    if (error)
        return AEE_EFAILED;
    FARF(ALWAYS, "blend: %u workers, VTCM %p, matrix %u", workers, session->vtcm, matrix);
    return dspqueue_import(queue, packets, failed, session, &session->queue);
}

AEEResult blend_iface_stop(remote_handle64 handle, uint32 *count, uint32 *vtcm_bytes,
                           uint64 *microseconds) {
    struct session *session = (void *) (uintptr_t) handle;
    int error = dspqueue_close(session->queue);
    workers_stop();
    HAP_compute_res_release(session->resource);
    HAP_power_destroy_client(session);
    *count = session->packets;
    *vtcm_bytes = VTCM_BYTES;
    *microseconds = session->microseconds;
    return error;
}
