/* Answers the packets of a dspqueue.  The buffers are shared memory, so nothing is copied. */
#include "queue.h"

#include <limits.h>
#include <stdint.h>

#include "AEEStdErr.h"
#include "htp_ops.h"

#define WRITE_TIMEOUT_US 1000000u

/* The last one is the output. */
enum { FIRST, SECOND, OUTPUT, BUFFERS };

/* Returns how many elements of `size` bytes a buffer has, or -1 if it is not an array of them. */
static int elements(const struct dspqueue_buffer *buffer, size_t size)
{
    if (buffer->ptr == NULL || buffer->size > INT_MAX || buffer->size % size != 0 ||
        (uintptr_t)buffer->ptr % size != 0)
        return -1;
    return (int)(buffer->size / size);
}

static int call(remote_handle64 handle, const queue_request *request,
                const struct dspqueue_buffer buffers[BUFFERS])
{
    const int halves = request->op == QUEUE_MATMUL_F16_HMX;
    const size_t in = halves ? sizeof(uint16_t) : 1;
    const int first = elements(&buffers[FIRST], in), second = elements(&buffers[SECOND], in);
    const int output = elements(&buffers[OUTPUT], halves ? in : sizeof(float));

    if (first < 0 || second < 0 || output < 0)
        return AEE_EBADPARM;
    if (halves)
        return htp_ops_matmul_f16_hmx(handle, request->rows, request->cols, request->count,
                                      buffers[FIRST].ptr, first, buffers[SECOND].ptr, second,
                                      buffers[OUTPUT].ptr, output);
    if (request->op != QUEUE_MATVEC_Q4_0)
        return AEE_EUNSUPPORTED;
    return htp_ops_matvec_q4_0(handle, request->rows, request->cols, buffers[FIRST].ptr, first,
                               buffers[SECOND].ptr, second, buffers[OUTPUT].ptr, output);
}

void serve_packets(dspqueue_t queue, AEEResult error, void *context)
{
    struct dspqueue_buffer buffers[BUFFERS];
    queue_request request;
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
            buffers[OUTPUT].flags = DSPQUEUE_BUFFER_FLAG_FLUSH_SENDER |
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
