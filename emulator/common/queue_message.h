/* queue_message.h: messages between the two ends of queues, sent outside the rings. */
#ifndef BUILDTOOL_QUEUE_MESSAGE_H
#define BUILDTOOL_QUEUE_MESSAGE_H

#include <stdint.h>

#include "queue_ring.h"

enum queue_message_kind {
    QUEUE_CREATE = 1, /* to the DSP: size, and the descriptor of the memory; answer: id */
    QUEUE_DESTROY,    /* to the DSP: id */
    QUEUE_CHECK,      /* to the DSP: count, buffers; answer: the size of each, a uint32_t */
    QUEUE_EVENT       /* in both directions: id */
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
