/* queue_end.h: one side's end of a queue: waiting, callbacks, buffer references.
 *
 * Compiled on both sides; what differs is in `struct queue_side`: how the other end is
 * woken and how a descriptor becomes an address. */
#ifndef BUILDTOOL_QUEUE_END_H
#define BUILDTOOL_QUEUE_END_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "queue_ring.h"

/* What happened at the other end. */
enum queue_event { QUEUE_EVENT_PACKET = 1, QUEUE_EVENT_SPACE = 2 };

struct queue_side {
    /* Sends an event to the other end. */
    void (*wake)(struct dspqueue *queue, enum queue_event event);

    /* Checks that the buffers are mapped, counts references, and with `address` fills in
     * ptr. A code; nothing is counted unless all are good. */
    int (*buffers)(struct dspqueue *queue, uint32_t count, struct dspqueue_buffer *buffers,
                   bool address);
};

struct dspqueue {
    struct dspqueue *next;
    uint64_t id;
    const struct queue_side *side;
    struct queue_memory *memory;
    uint64_t memory_size;
    struct queue_ring out, in;
    pthread_mutex_t writing, reading; /* one thread at a time */
    pthread_mutex_t lock;             /* of what follows */
    pthread_cond_t changed;
    uint32_t events; /* received so far */
    int error;       /* the other side is gone: why */
    bool closing;
    dspqueue_callback_t packet_callback, error_callback;
    void *context;
    bool has_thread;
    pthread_t thread;
    int domain; /* of the ARM side's end */
};

/* Fills in everything but next, id and domain; false without memory for the thread. The
 * callbacks' thread runs from here on. */
bool queue_end_open(struct dspqueue *queue, const struct queue_side *side, bool is_dsp,
                    struct queue_memory *memory, uint64_t size, size_t stack_size);

/* Ends the callbacks and all waiting. The memory is the caller's. */
void queue_end_close(struct dspqueue *queue);

/* The other end has rung. */
void queue_end_event(struct dspqueue *queue);

/* The other end is gone. */
void queue_end_fail(struct dspqueue *queue, int error);

/* Attempts something, and again after each event, until it is not AEE_EWOULDBLOCK.
 * `position` is where this side counts its waiting threads. AEE_EEXPIRED after the time;
 * AEE_EINTERRUPTED when the queue is closed meanwhile. */
int queue_attempt(struct dspqueue *queue, struct queue_position *position, uint32_t timeout_us,
                  int (*attempt)(struct dspqueue *queue, void *what), void *what);

/* Rings for the other end if it has said there that it waits. */
void queue_wake_if_waiting(struct dspqueue *queue, const struct queue_position *position,
                           enum queue_event event);

#endif
