/* queue_message.h: what the two ends of the queues say to each other beside the rings. */
#ifndef BUILDTOOL_QUEUE_MESSAGE_H
#define BUILDTOOL_QUEUE_MESSAGE_H

#include <stdint.h>

#include "queue_ring.h"

enum queue_message_kind {
    QUEUE_CREATE = 1, /* to the DSP; size; the memory's descriptor comes with it; answer: id */
    QUEUE_DESTROY,    /* to the DSP; id */
    QUEUE_CHECK,      /* to the DSP; count, buffers; answer: each one's size, a uint32_t */
    QUEUE_EVENT       /* both ways; id */
};

struct queue_message {
    uint32_t kind;
    uint32_t count;
    uint64_t id;
    uint64_t size;
};

struct queue_check {
    struct queue_message head;
    struct dspqueue_buffer buffers[QUEUE_BUFFERS_MAX];
};

#endif
