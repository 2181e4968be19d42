/* dspqueue.c: the ends of queues on the ARM side. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "buffers.h"
#include "log.h"
#include "memory.h"
#include "message.h"
#include "queue_end.h"
#include "queue_message.h"
#include "queues.h"
#include "session.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct dspqueue *queues;

/* Converts a code of the DSP's handler to the ARM side's value. The code for a dead DSP process
 * does not change. */
static int host_code(int code)
{
    unsigned offset = (unsigned)code - DSP_AEE_EOFFSET;
    return code == DSP_CODE(AEE_EBADSTATE) || offset > 0x3ff ? code : (int)offset;
}

/* ---- the operations of struct queue_side ---- */

static void wake(struct dspqueue *queue, enum queue_event event)
{
    struct queue_message message = {.kind = QUEUE_EVENT, .count = (uint32_t)event, .id = queue->id};
    message_downcall(queue->domain, WIRE_TOPIC_DSPQUEUE, &message, sizeof message, -1, NULL, NULL);
}

static int check(struct dspqueue *queue, uint32_t count, struct dspqueue_buffer *buffers)
{
    struct queue_check asked = {.head = {.kind = QUEUE_CHECK, .count = count, .id = queue->id}};
    uint32_t sizes[QUEUE_BUFFERS_MAX];
    size_t room = sizeof sizes;
    memcpy(asked.buffers, buffers, count * sizeof asked.buffers[0]);
    int code = message_downcall(queue->domain, WIRE_TOPIC_DSPQUEUE, &asked,
                                sizeof asked.head + count * sizeof asked.buffers[0], -1, sizes,
                                &room);
    if (code == AEE_SUCCESS && room != count * sizeof sizes[0]) {
        return AEE_ERPC;
    }
    for (uint32_t i = 0; code == AEE_SUCCESS && i < count; i++) {
        buffers[i].size = sizes[i];
    }
    return host_code(code);
}

/* The DSP side knows the mappings, so it checks the buffers of packets in both directions. */
static int buffers_here(struct dspqueue *queue, uint32_t count, struct dspqueue_buffer *buffers,
                        bool address)
{
    if (!address) {
        return check(queue, count, buffers);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *start = buffers_address_of((int)buffers[i].fd);
        buffers[i].ptr = start == NULL ? NULL : start + buffers[i].offset;
    }
    return AEE_SUCCESS;
}

static const struct queue_side side = {.wake = wake, .buffers = buffers_here};

/* ---- messages from the DSP ---- */

static void heard(int domain, const void *message, size_t size, int fd)
{
    struct queue_message event;
    if (fd >= 0) {
        close(fd);
    }
    if (message != NULL && size < sizeof event) {
        return;
    }
    if (message != NULL) {
        memcpy(&event, message, sizeof event);
    }
    pthread_mutex_lock(&lock);
    for (struct dspqueue *queue = queues; queue != NULL; queue = queue->next) {
        if (queue->domain == domain && message == NULL) {
            queue_end_fail(queue, AEE_ECONNRESET);
        } else if (queue->domain == domain && queue->id == event.id) {
            queue_end_event(queue);
        }
    }
    pthread_mutex_unlock(&lock);
}

static void listen_for_queues(void)
{
    watch_on_upcall(WIRE_TOPIC_DSPQUEUE, heard);
}

/* ---- creating and closing ---- */

static uint32_t size_or(uint32_t size, uint32_t standard)
{
    return size == 0 ? standard : (size < 64 ? 64 : (size + 7u) & ~7u);
}

static struct queue_memory *new_memory(uint32_t request, uint32_t response, uint64_t *size, int *fd)
{
    *size = (queue_memory_size(request, response) + 4095) & ~4095ull;
    *fd = memory_file((size_t)*size);
    if (*fd < 0) {
        return NULL;
    }
    void *memory = mmap(NULL, (size_t)*size, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
    if (memory == MAP_FAILED) {
        close(*fd);
        return NULL;
    }
    struct queue_memory *made = memory;
    made->request_size = request;
    made->response_size = response;
    return made;
}

static int announce(struct dspqueue *queue, uint64_t size, int fd)
{
    struct queue_message message = {.kind = QUEUE_CREATE, .size = size};
    size_t room = sizeof queue->id;
    int code = message_downcall(queue->domain, WIRE_TOPIC_DSPQUEUE, &message, sizeof message, fd,
                                &queue->id, &room);
    return code == AEE_SUCCESS && room != sizeof queue->id ? AEE_ERPC : host_code(code);
}

AEEResult dspqueue_create(int domain, uint32_t flags, uint32_t req_queue_size,
                          uint32_t resp_queue_size, dspqueue_callback_t packet_callback,
                          dspqueue_callback_t error_callback, void *callback_context,
                          dspqueue_t *queue)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    uint32_t request = size_or(req_queue_size, QUEUE_REQUEST_DEFAULT);
    uint32_t response = size_or(resp_queue_size, QUEUE_RESPONSE_DEFAULT);
    uint64_t size = 0;
    int fd = -1;
    (void)flags;
    if (queue == NULL || req_queue_size > QUEUE_SIZE_MAX || resp_queue_size > QUEUE_SIZE_MAX ||
        domain >= EFFECTIVE_DOMAINS) {
        return AEE_EBADPARM;
    }
    pthread_once(&once, listen_for_queues);
    struct dspqueue *made = calloc(1, sizeof *made);
    struct queue_memory *memory = made == NULL ? NULL : new_memory(request, response, &size, &fd);
    if (memory == NULL) {
        free(made);
        return AEE_ENOMEMORY;
    }
    made->domain = domain < 0 ? OWN_DOMAIN : domain;
    made->packet_callback = packet_callback;
    made->error_callback = error_callback;
    made->context = callback_context;
    int code = announce(made, size, fd);
    close(fd);
    if (code == AEE_SUCCESS) {
        *queue = made; /* set before the first callback runs */
        code = queue_end_open(made, &side, false, memory, size, 0) ? AEE_SUCCESS : AEE_ENOMEMORY;
    }
    if (code != AEE_SUCCESS) {
        munmap(memory, (size_t)size);
        free(made);
        return code;
    }
    pthread_mutex_lock(&lock);
    made->next = queues;
    queues = made;
    pthread_mutex_unlock(&lock);
    return AEE_SUCCESS;
}

AEEResult dspqueue_export(dspqueue_t queue, uint64_t *queue_id)
{
    if (queue == NULL || queue_id == NULL) {
        return AEE_EBADPARM;
    }
    *queue_id = queue->id;
    return AEE_SUCCESS;
}

AEEResult dspqueue_close(dspqueue_t queue)
{
    if (queue == NULL) {
        return AEE_EBADPARM;
    }
    if (queue->error == 0) {
        struct queue_message message = {.kind = QUEUE_DESTROY, .id = queue->id};
        int code = message_downcall(queue->domain, WIRE_TOPIC_DSPQUEUE, &message, sizeof message,
                                    -1, NULL, NULL);
        if (code == DSP_CODE(AEE_EITEMBUSY)) {
            log_message("dspqueue_close: the DSP has not closed its end of the queue yet");
            return AEE_ERPC;
        }
    }
    pthread_mutex_lock(&lock);
    for (struct dspqueue **at = &queues; *at != NULL; at = &(*at)->next) {
        if (*at == queue) {
            *at = queue->next;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    queue_end_close(queue);
    munmap(queue->memory, (size_t)queue->memory_size);
    free(queue);
    return AEE_SUCCESS;
}

void queues_stop(int seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += seconds;
    pthread_mutex_lock(&lock);
    struct dspqueue *queue = queues;
    queues = NULL;
    pthread_mutex_unlock(&lock);
    for (; queue != NULL; queue = queue->next) {
        pthread_mutex_lock(&queue->lock);
        queue->closing = true;
        pthread_cond_broadcast(&queue->changed);
        pthread_mutex_unlock(&queue->lock);
        if (queue->has_thread && !pthread_equal(queue->thread, pthread_self())) {
            pthread_timedjoin_np(queue->thread, NULL, &until);
        }
    }
}

/* Only the DSP side can import queues. */
AEEResult dspqueue_import(uint64_t queue_id, dspqueue_callback_t packet_callback,
                          dspqueue_callback_t error_callback, void *callback_context,
                          dspqueue_t *queue)
{
    (void)queue_id;
    (void)packet_callback;
    (void)error_callback;
    (void)callback_context;
    (void)queue;
    return AEE_EUNSUPPORTED;
}

/* Queues to several domains are not supported. */
int dspqueue_request(dspqueue_request_payload *req)
{
    return req == NULL ? AEE_EBADPARM : AEE_EUNSUPPORTED;
}
