/* queue_end.h: one side's end of a queue: waiting, callbacks, buffer references.
 *
 * Compiled on both sides. `struct queue_side` has the operations that differ between the sides:
 * waking the other end, and mapping a descriptor to an address. */
#ifndef BUILDTOOL_QUEUE_END_H
#define BUILDTOOL_QUEUE_END_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "queue_ring.h"

/* What happened at the other end. */
enum queue_event { QUEUE_EVENT_PACKET = 1, QUEUE_EVENT_SPACE = 2 };

/* The beginning and the end of the thread of the callbacks, of the callback for packets, and of each
 * function that writes to the queue or reads from it. */
enum queue_moment {
    QUEUE_THREAD_BEGINS,
    QUEUE_THREAD_ENDS,
    QUEUE_CALLBACK_BEGINS,
    QUEUE_CALLBACK_ENDS,
    QUEUE_ACCESS_BEGINS,
    QUEUE_ACCESS_ENDS, /* it has written or read something */
    QUEUE_ACCESS_FAILS
};

struct queue_side {
    /* Sends an event to the other end. */
    void (*wake)(struct dspqueue *queue, enum queue_event event);

    /* Checks that the buffers are mapped, and counts references. With `address`, also fills in
     * ptr. Returns a code. Counts no reference unless all buffers are valid. */
    int (*buffers)(struct dspqueue *queue, uint32_t count, struct dspqueue_buffer *buffers,
                   bool address);

    /* Is called at each moment, by the thread that it is of. NULL: nothing. */
    void (*note)(struct dspqueue *queue, enum queue_moment moment);
};

struct dspqueue {
    struct dspqueue *next;
    uint64_t id;
    const struct queue_side *side;
    struct queue_memory *memory;
    uint64_t memory_size;
    struct queue_ring out, in;
    pthread_mutex_t writing, reading; /* held by the thread that writes or reads */
    pthread_mutex_t lock;             /* protects the members below */
    pthread_cond_t changed;
    uint32_t events; /* received so far */
    int error;       /* why the other side is gone; 0 while it is there */
    bool closing;
    dspqueue_callback_t packet_callback, error_callback;
    void *context;
    bool has_thread;
    pthread_t thread;
    int domain; /* on the ARM side only */
};

/* Initializes all members except next, id, domain and the callbacks with their context, which the
 * caller sets. With a callback, starts the thread that runs it. Returns false when the rings are
 * invalid or the thread cannot be created. */
bool queue_end_open(struct dspqueue *queue, const struct queue_side *side, bool is_dsp,
                    struct queue_memory *memory, uint64_t size, size_t stack_size);

/* Ends the callbacks and all waits. Does not free the memory. */
void queue_end_close(struct dspqueue *queue);

/* Handles an event from the other end. */
void queue_end_event(struct dspqueue *queue);

/* Records that the other end is gone, with the error that later calls return. */
void queue_end_fail(struct dspqueue *queue, int error);

/* Calls `attempt`, and calls it again after each event while it returns AEE_EWOULDBLOCK. `position`
 * has this side's count of waiting threads. Returns the code of `attempt`, AEE_EEXPIRED after the
 * timeout, or AEE_EINTERRUPTED when the queue is closed in the meantime. */
int queue_attempt(struct dspqueue *queue, struct queue_position *position, uint32_t timeout_us,
                  int (*attempt)(struct dspqueue *queue, void *what), void *what);

/* Tells the side of a moment. */
void queue_note(struct dspqueue *queue, enum queue_moment moment);

/* Sends an event to the other end if `position` counts waiting threads. */
void queue_wake_if_waiting(struct dspqueue *queue, struct queue_position *position,
                           enum queue_event event);

#endif
