/* One request through a dspqueue.  Applications keep the queue and the mappings. */
#define _GNU_SOURCE /* for RTLD_DEFAULT */
#include "probe_queue.h"

#include <dlfcn.h>
#include <stdint.h>

#include "AEEStdErr.h"
#include "dspqueue.h"

#define WAIT_US 5000000u

enum { BUFFERS = 3 };

/* Older libraries lack these functions. */
static struct {
    __typeof__(dspqueue_create) *create;
    __typeof__(dspqueue_export) *export_id;
    __typeof__(dspqueue_close) *close;
    __typeof__(dspqueue_write) *write;
    __typeof__(dspqueue_read) *read;
} library;

int probe_has_queues(void)
{
    *(void **)&library.create = dlsym(RTLD_DEFAULT, "dspqueue_create");
    *(void **)&library.export_id = dlsym(RTLD_DEFAULT, "dspqueue_export");
    *(void **)&library.close = dlsym(RTLD_DEFAULT, "dspqueue_close");
    *(void **)&library.write = dlsym(RTLD_DEFAULT, "dspqueue_write");
    *(void **)&library.read = dlsym(RTLD_DEFAULT, "dspqueue_read");
    return library.create && library.export_id && library.close && library.write && library.read;
}

static int exchange(dspqueue_t queue, const queue_request *request, struct dspqueue_buffer *buffers)
{
    uint32_t flags, count = 0, length = 0;
    int32_t result = AEE_EFAILED;
    int code = library.write(queue, 0, BUFFERS, buffers, sizeof *request, (const uint8_t *)request,
                             WAIT_US);

    if (code == 0)
        code = library.read(queue, &flags, BUFFERS, &count, buffers, sizeof result, &length,
                            (uint8_t *)&result, WAIT_US);
    return code != 0 ? code : length == sizeof result ? result : AEE_EFAILED;
}

static int call(remote_handle64 handle, const queue_request *request,
                struct dspqueue_buffer *buffers)
{
    dspqueue_t queue;
    uint64_t id = 0;
    int code = library.create(CDSP_DOMAIN_ID, 0, 0, 0, NULL, NULL, NULL, &queue);
    int closed;

    if (code != 0)
        return code;
    code = library.export_id(queue, &id);
    if (code == 0)
        code = htp_ops_open_queue(handle, id);
    if (code == 0)
        code = exchange(queue, request, buffers);
    closed = htp_ops_close_queue(handle); /* before this end */
    if (closed == 0)
        closed = library.close(queue);
    return code != 0 ? code : closed;
}

int probe_queue_call(remote_handle64 handle, const queue_request *request,
                     const struct probe_buffer *first, const struct probe_buffer *second,
                     const struct probe_buffer *output)
{
    const struct probe_buffer *const mapped[BUFFERS] = {first, second, output};
    struct dspqueue_buffer buffers[BUFFERS];
    int count = 0, code = 0;

    while (count < BUFFERS && code == 0) {
        code = probe_buffer_map(mapped[count]);
        if (code == 0) {
            buffers[count] = probe_buffer_reference(mapped[count],
                                                    DSPQUEUE_BUFFER_FLAG_FLUSH_SENDER |
                                                        DSPQUEUE_BUFFER_FLAG_INVALIDATE_RECIPIENT);
            count++;
        }
    }
    if (code == 0)
        code = call(handle, request, buffers);
    while (count > 0)
        probe_buffer_unmap(mapped[--count]);
    return code;
}
