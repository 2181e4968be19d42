/* queue.c: answers the packets of a queue. */
#include <stdint.h>

#include "AEEStdErr.h"
#include "device_probe.h"
#include "dspqueue.h"

#define MESSAGE_MAX 64
#define WAIT_US 1000000u

static dspqueue_t queue;

static void answer(dspqueue_t from, AEEResult error, void *context)
{
    uint8_t message[MESSAGE_MAX];
    uint32_t flags, buffers, length;

    (void)error;
    (void)context;
    while (dspqueue_read_noblock(from, &flags, 0, &buffers, NULL, sizeof message, &length,
                                 message) == 0) {
        for (uint32_t i = 0; i < length; i++)
            message[i]++;
        dspqueue_write(from, 0, 0, NULL, length, message, WAIT_US);
    }
}

static void ignore(dspqueue_t from, AEEResult error, void *context)
{
    (void)from;
    (void)error;
    (void)context;
}

AEEResult device_probe_open_queue(remote_handle64 handle, uint64_t id)
{
    (void)handle;
    return dspqueue_import(id, answer, ignore, NULL, &queue);
}

AEEResult device_probe_close_queue(remote_handle64 handle)
{
    (void)handle;
    return dspqueue_close(queue);
}
