/* queue_end.c: one side's end of a queue: waiting and callbacks.
 *
 * A thread increments the count of waiting threads in the shared memory before it checks the queue
 * for the last time and waits. The other end sends an event only when the count is not zero. So no
 * event is missed, and few events are sent. */
#define _GNU_SOURCE
#include "queue_end.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "AEEStdErr.h"

/* ---- waiting ---- */

static struct timespec moment_after(uint32_t microseconds)
{
    struct timespec moment;
    clock_gettime(CLOCK_MONOTONIC, &moment);
    moment.tv_sec += (time_t)(microseconds / 1000000u);
    moment.tv_nsec += (long)(microseconds % 1000000u) * 1000;
    if (moment.tv_nsec >= 1000000000) {
        moment.tv_nsec -= 1000000000;
        moment.tv_sec++;
    }
    return moment;
}

static uint32_t events_so_far(struct dspqueue *queue)
{
    pthread_mutex_lock(&queue->lock);
    uint32_t events = queue->events;
    pthread_mutex_unlock(&queue->lock);
    return events;
}

/* Waits until the number of received events differs from `before`. With `until` NULL, waits without
 * a limit. Returns AEE_EEXPIRED after that time, AEE_EINTERRUPTED when the queue is being closed,
 * or the queue's error when the other end is gone. */
static int await_event(struct dspqueue *queue, uint32_t before, const struct timespec *until)
{
    int code = AEE_SUCCESS;
    pthread_mutex_lock(&queue->lock);
    while (queue->events == before && code == AEE_SUCCESS) {
        if (queue->closing) {
            code = AEE_EINTERRUPTED;
        } else if (queue->error != 0) {
            code = queue->error;
        } else if (until == NULL) {
            pthread_cond_wait(&queue->changed, &queue->lock);
        } else if (pthread_cond_timedwait(&queue->changed, &queue->lock, until) == ETIMEDOUT) {
            code = queue->events == before ? AEE_EEXPIRED : AEE_SUCCESS;
        }
    }
    pthread_mutex_unlock(&queue->lock);
    return code;
}

static void count_waiter(struct queue_position *position, int more)
{
    __atomic_add_fetch(&position->waiting, (uint32_t)more, __ATOMIC_SEQ_CST);
}

int queue_attempt(struct dspqueue *queue, struct queue_position *position, uint32_t timeout_us,
                  int (*attempt)(struct dspqueue *queue, void *what), void *what)
{
    int code = attempt(queue, what);
    if (code != AEE_EWOULDBLOCK || timeout_us == 0) {
        return code == AEE_EWOULDBLOCK ? AEE_EEXPIRED : code;
    }
    struct timespec until = moment_after(timeout_us);
    count_waiter(position, 1);
    for (;;) {
        uint32_t before = events_so_far(queue);
        code = attempt(queue, what);
        if (code != AEE_EWOULDBLOCK) {
            break;
        }
        code = await_event(queue, before, timeout_us == DSPQUEUE_TIMEOUT_NONE ? NULL : &until);
        if (code != AEE_SUCCESS) {
            break;
        }
    }
    count_waiter(position, -1);
    return code;
}

/* Adds 0, because a load could overtake the stores to the queue in qemu-hexagon, which executes barriers as
 * nothing; an exchange is one on the build machine. */
void queue_wake_if_waiting(struct dspqueue *queue, struct queue_position *position,
                           enum queue_event event)
{
    if (__atomic_fetch_add(&position->waiting, 0, __ATOMIC_SEQ_CST) != 0) {
        queue->side->wake(queue, event);
    }
}

void queue_note(struct dspqueue *queue, enum queue_moment moment)
{
    if (queue->side->note != NULL) {
        queue->side->note(queue, moment);
    }
}

/* ---- callbacks ---- */

static void *call_back(void *argument)
{
    struct dspqueue *queue = argument;
    uint32_t seen = 0;
    queue_note(queue, QUEUE_THREAD_BEGINS);
    count_waiter(queue->in.reader, 1);
    for (;;) {
        uint32_t before = events_so_far(queue);
        uint32_t written = __atomic_load_n(&queue->in.writer->packets, __ATOMIC_SEQ_CST);
        if (written != seen && queue->packet_callback != NULL) {
            seen = written;
            queue_note(queue, QUEUE_CALLBACK_BEGINS);
            queue->packet_callback(queue, AEE_SUCCESS, queue->context);
            queue_note(queue, QUEUE_CALLBACK_ENDS);
            continue;
        }
        int code = await_event(queue, before, NULL);
        if (code != AEE_SUCCESS) {
            if (code != AEE_EINTERRUPTED && queue->error_callback != NULL) {
                queue->error_callback(queue, code, queue->context);
            }
            break;
        }
    }
    count_waiter(queue->in.reader, -1);
    queue_note(queue, QUEUE_THREAD_ENDS);
    return NULL;
}

bool queue_end_open(struct dspqueue *queue, const struct queue_side *side, bool is_dsp,
                    struct queue_memory *memory, uint64_t size, size_t stack_size)
{
    struct queue_ring request, response;
    if (!queue_rings(memory, size, &request, &response)) {
        return false;
    }
    queue->side = side;
    queue->memory = memory;
    queue->memory_size = size;
    queue->out = is_dsp ? response : request;
    queue->in = is_dsp ? request : response;
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&queue->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&queue->lock, NULL);
    pthread_mutex_init(&queue->writing, NULL);
    pthread_mutex_init(&queue->reading, NULL);
    if (queue->packet_callback == NULL && queue->error_callback == NULL) {
        return true;
    }
    pthread_attr_t thread;
    pthread_attr_init(&thread);
    if (stack_size > 0) {
        pthread_attr_setstacksize(&thread, stack_size);
    }
    queue->has_thread = pthread_create(&queue->thread, &thread, call_back, queue) == 0;
    pthread_attr_destroy(&thread);
    return queue->has_thread;
}

void queue_end_close(struct dspqueue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->closing = true;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    if (queue->has_thread && pthread_equal(queue->thread, pthread_self())) {
        pthread_detach(queue->thread);
    } else if (queue->has_thread) {
        pthread_join(queue->thread, NULL);
    }
}

void queue_end_event(struct dspqueue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->events++;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}

void queue_end_fail(struct dspqueue *queue, int error)
{
    pthread_mutex_lock(&queue->lock);
    queue->error = error;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}
