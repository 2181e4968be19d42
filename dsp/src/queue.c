/* Answers the packets of a dspqueue.  The buffers are shared memory, so nothing is copied. */
#include "queue.h"

#include <limits.h>
#include <stdint.h>

#include "AEEStdErr.h"
#include "htp_ops.h"

#define WRITE_TIMEOUT_US 1000000u

enum { WEIGHTS, X, Y, BUFFERS };

static int call(remote_handle64 handle, const matvec_q4_0_request *request,
                const struct dspqueue_buffer buffers[BUFFERS])
{
    const struct dspqueue_buffer *y = &buffers[Y];

    for (int i = 0; i < BUFFERS; i++)
        if (buffers[i].ptr == NULL || buffers[i].size > INT_MAX)
            return AEE_EBADPARM;
    if ((uintptr_t)y->ptr % sizeof(float) != 0 || y->size % sizeof(float) != 0)
        return AEE_EBADPARM;
    return htp_ops_matvec_q4_0(handle, request->rows, request->cols, buffers[WEIGHTS].ptr,
                               (int)buffers[WEIGHTS].size, buffers[X].ptr, (int)buffers[X].size,
                               y->ptr, (int)(y->size / sizeof(float)));
}

void serve_packets(dspqueue_t queue, AEEResult error, void *context)
{
    struct dspqueue_buffer buffers[BUFFERS];
    matvec_q4_0_request request;
    uint32_t flags, count, length;

    (void)error;
    while (dspqueue_read_noblock(queue, &flags, BUFFERS, &count, buffers, sizeof request, &length,
                                 (uint8_t *)&request) == AEE_SUCCESS) {
        int32_t result = AEE_EBADPARM;

        if (count == BUFFERS && length == sizeof request)
            result = call((remote_handle64)(uintptr_t)context, &request, buffers);
        for (uint32_t i = 0; i < count; i++)
            buffers[i].flags = 0;
        if (count == BUFFERS)
            buffers[Y].flags = DSPQUEUE_BUFFER_FLAG_FLUSH_SENDER |
                               DSPQUEUE_BUFFER_FLAG_INVALIDATE_RECIPIENT;
        dspqueue_write(queue, 0, count, buffers, sizeof result, (const uint8_t *)&result,
                       WRITE_TIMEOUT_US);
    }
}

void ignore_error(dspqueue_t queue, AEEResult error, void *context)
{
    (void)queue;
    (void)error;
    (void)context;
}
