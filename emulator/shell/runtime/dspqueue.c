/* dspqueue.c: the DSP's end of queues. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "AEEStdErr.h"
#include "../core.h"
#include "../counts.h"
#include "../module.h"
#include "../profile.h"
#include "../stack_depth.h"
#include "queue_end.h"
#include "queue_message.h"
#include "runtime.h"

#define CALLBACK_STACK 131072u
#define FRAME_BYTES 8 /* of allocframe: the frame pointer and the return address */

/* A queue that the ARM side has created. */
struct exported {
    struct exported *next;
    uint64_t id;
    void *memory;
    uint64_t size;
    struct dspqueue *open; /* imported */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct exported *all;
static uint64_t last_id;

static struct exported *by_id(uint64_t id)
{
    struct exported *exported = all;
    while (exported != NULL && exported->id != id) {
        exported = exported->next;
    }
    return exported;
}

/* ---- buffers ---- */

/* Checks that the client has mapped the buffer (otherwise AEE_ENOSUCHMAP) and that the part lies in
 * the buffer (otherwise AEE_EBADPARM). Replaces a size of 0 with the buffer's size. */
static int check(struct dspqueue_buffer *buffer)
{
    uint64_t size = 0;
    if (shell_fd_mapped((int)buffer->fd, &size) != AEE_SUCCESS) {
        shell_logf(SHELL_ERROR,
                   "a queue packet refers to descriptor %d, which the client has not "
                   "mapped with fastrpc_mmap",
                   (int)buffer->fd);
        return AEE_ENOSUCHMAP;
    }
    if (buffer->size == 0 ? buffer->offset != 0 : (uint64_t)buffer->offset + buffer->size > size) {
        return AEE_EBADPARM;
    }
    if (buffer->size == 0) {
        buffer->size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
    }
    return AEE_SUCCESS;
}

/* Adds and drops references to the client's mapping (FASTRPC_MAP_FD). A mapping that the skel
 * created with HAP_mmap is not counted: the skel keeps it itself. */
static void refer(struct dspqueue_buffer *buffer, bool address)
{
    void *mapped = NULL;
    uint64_t size = 0;
    bool held = shell_fd_get((int)buffer->fd, &mapped, &size) == AEE_SUCCESS;
    if (!held) {
        mapped = mapped_address((int)buffer->fd);
    }
    if (address) {
        buffer->address = 0;
        buffer->ptr = mapped == NULL ? NULL : (uint8_t *)mapped + buffer->offset;
    }
    if (held && (buffer->flags & DSPQUEUE_BUFFER_FLAG_REF) == 0) {
        shell_fd_put((int)buffer->fd);
    }
    if (held && (buffer->flags & DSPQUEUE_BUFFER_FLAG_DEREF) != 0) {
        shell_fd_put((int)buffer->fd);
    }
}

static int buffers_here(struct dspqueue *queue, uint32_t count, struct dspqueue_buffer *buffers,
                        bool address)
{
    (void)queue;
    for (uint32_t i = 0; i < count; i++) {
        int code = check(&buffers[i]);
        if (code != AEE_SUCCESS) {
            return code;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        refer(&buffers[i], address);
    }
    return AEE_SUCCESS;
}

static void wake(struct dspqueue *queue, enum queue_event event)
{
    struct queue_message message = {.kind = QUEUE_EVENT, .count = (uint32_t)event, .id = queue->id};
    shell_upcall(WIRE_TOPIC_DSPQUEUE, &message, sizeof message, -1);
}

/* Callbacks count for the skel that has them, and accesses to the queue for nobody. */
static void note(struct dspqueue *queue, enum queue_moment moment)
{
    static _Thread_local uint32_t read_before;
    static _Thread_local uintptr_t top;
    const uintptr_t caller = (uintptr_t)__builtin_frame_address(0) + FRAME_BYTES;
    const uint32_t read_now = __atomic_load_n(&queue->in.reader->packets, __ATOMIC_RELAXED);
    uint32_t offset;
    const char *skel = module_at((uintptr_t)queue->packet_callback, &offset);
    switch (moment) {
    case QUEUE_THREAD_BEGINS:
        fault_thread();
        profile_thread_begin();
        break;
    case QUEUE_CALLBACK_BEGINS:
        read_before = read_now;
        top = shell_facts()->measure_stack ? stack_fill(fault_stack.low) : 0;
        counts_begin(skel == NULL ? "" : skel, COUNTS_QUEUES, 0);
        break;
    case QUEUE_CALLBACK_ENDS:
        counts_callback_end(read_now - read_before);
        if (top != 0) {
            counts_stack(stack_depth(fault_stack.low, top) + (uint32_t)(caller - top));
        }
        break;
    case QUEUE_ACCESS_BEGINS:
        counts_access_begin();
        break;
    case QUEUE_ACCESS_ENDS:
    case QUEUE_ACCESS_FAILS:
        counts_access_end(moment == QUEUE_ACCESS_ENDS);
        break;
    case QUEUE_THREAD_ENDS:
        profile_thread_end();
        fault_thread_end();
        break;
    }
}

static const struct queue_side side = {.wake = wake, .buffers = buffers_here, .note = note};

/* ---- requests of the ARM side ---- */

static int create(const struct queue_message *message, int fd, uint64_t *id)
{
    struct exported *exported = calloc(1, sizeof *exported);
    void *memory = fd < 0 || message->size > 3ull * QUEUE_SIZE_MAX
                       ? MAP_FAILED
                       : mmap(NULL, (size_t)message->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                              0);
    if (exported == NULL || memory == MAP_FAILED) {
        free(exported);
        return AEE_ENOMEMORY;
    }
    pthread_mutex_lock(&lock);
    *exported = (struct exported){
        .next = all, .id = ++last_id, .memory = memory, .size = message->size};
    all = exported;
    *id = exported->id;
    pthread_mutex_unlock(&lock);
    return AEE_SUCCESS;
}

static int destroy(uint64_t id)
{
    struct exported *gone = NULL;
    pthread_mutex_lock(&lock);
    const struct exported *exported = by_id(id);
    int code = exported == NULL         ? AEE_EBADPARM
               : exported->open != NULL ? AEE_EITEMBUSY
                                        : AEE_SUCCESS;
    for (struct exported **at = &all; code == AEE_SUCCESS && *at != NULL; at = &(*at)->next) {
        if (*at == exported) {
            gone = *at;
            *at = gone->next;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    if (gone != NULL) {
        munmap(gone->memory, (size_t)gone->size);
        free(gone);
    }
    return code;
}

static int check_all(const void *in, size_t in_size, uint32_t *sizes, size_t *out_size)
{
    struct queue_check asked;
    if (in_size > sizeof asked) {
        return AEE_EBADPARM;
    }
    memcpy(&asked, in, in_size);
    uint32_t count = asked.head.count;
    if (count > QUEUE_BUFFERS_MAX ||
        in_size < sizeof asked.head + count * sizeof asked.buffers[0]) {
        return AEE_EBADPARM;
    }
    for (uint32_t i = 0; i < count; i++) {
        int code = check(&asked.buffers[i]);
        if (code != AEE_SUCCESS) {
            return code;
        }
        sizes[i] = asked.buffers[i].size;
    }
    *out_size = count * sizeof sizes[0];
    return AEE_SUCCESS;
}

static void receive_event(uint64_t id)
{
    pthread_mutex_lock(&lock);
    const struct exported *exported = by_id(id);
    if (exported != NULL && exported->open != NULL) {
        queue_end_event(exported->open);
    }
    pthread_mutex_unlock(&lock);
}

static int handle(const void *in, size_t in_size, int *fd, void *out, size_t out_room,
                  size_t *out_size)
{
    struct queue_message message;
    if (in_size < sizeof message) {
        return AEE_EBADPARM;
    }
    memcpy(&message, in, sizeof message);
    switch (message.kind) {
    case QUEUE_CREATE: {
        uint64_t id = 0;
        int code = out_room < sizeof id ? AEE_EBADPARM : create(&message, *fd, &id);
        memcpy(out, &id, code == AEE_SUCCESS ? sizeof id : 0);
        *out_size = code == AEE_SUCCESS ? sizeof id : 0;
        return code;
    }
    case QUEUE_DESTROY:
        return destroy(message.id);
    case QUEUE_CHECK:
        return out_room < QUEUE_BUFFERS_MAX * sizeof(uint32_t)
                   ? AEE_EBADPARM
                   : check_all(in, in_size, out, out_size);
    case QUEUE_EVENT:
        receive_event(message.id);
        return AEE_SUCCESS;
    default:
        return AEE_EUNSUPPORTED;
    }
}

__attribute__((constructor)) static void listen_for_queues(void)
{
    shell_on_downcall(WIRE_TOPIC_DSPQUEUE, handle);
}

/* ---- requests of the skel ---- */

static int import(uint64_t queue_id, dspqueue_callback_t packet_callback,
                  dspqueue_callback_t error_callback, void *callback_context, dspqueue_t *queue)
{
    struct dspqueue *made = calloc(1, sizeof *made);
    if (queue == NULL || made == NULL) {
        free(made);
        return queue == NULL ? AEE_EBADPARM : AEE_ENOMEMORY;
    }
    pthread_mutex_lock(&lock);
    struct exported *exported = by_id(queue_id);
    int code = exported == NULL         ? AEE_EBADPARM
               : exported->open != NULL ? AEE_EITEMBUSY
                                        : AEE_SUCCESS;
    if (code == AEE_SUCCESS) {
        made->id = queue_id;
        made->packet_callback = packet_callback;
        made->error_callback = error_callback;
        made->context = callback_context;
        *queue = made; /* before the first callback */
        exported->open = made;
        if (!queue_end_open(made, &side, true, exported->memory, exported->size, CALLBACK_STACK)) {
            exported->open = NULL;
            code = AEE_EBADSTATE;
        }
    }
    pthread_mutex_unlock(&lock);
    if (code != AEE_SUCCESS) {
        free(made);
    }
    return code;
}

/* What starts and ends the thread of callbacks depends on that thread. */
AEEResult dspqueue_import(uint64_t queue_id, dspqueue_callback_t packet_callback,
                          dspqueue_callback_t error_callback, void *callback_context,
                          dspqueue_t *queue)
{
    counts_pause();
    const int code = import(queue_id, packet_callback, error_callback, callback_context, queue);
    counts_resume();
    return code;
}

AEEResult dspqueue_close(dspqueue_t queue)
{
    counts_pause();
    pthread_mutex_lock(&lock);
    struct exported *exported = queue == NULL ? NULL : by_id(queue->id);
    bool known = exported != NULL && exported->open == queue;
    if (known) {
        exported->open = NULL;
    }
    pthread_mutex_unlock(&lock);
    if (known) {
        queue_end_close(queue);
        free(queue);
    }
    counts_resume();
    return known ? AEE_SUCCESS : AEE_EBADPARM;
}

const struct shell_symbol dspqueue_symbols[] = {
    EXPORT(dspqueue_import),
    EXPORT(dspqueue_close),
    EXPORT(dspqueue_write),
    EXPORT(dspqueue_write_noblock),
    EXPORT(dspqueue_write_early_wakeup_noblock),
    EXPORT(dspqueue_read),
    EXPORT(dspqueue_read_noblock),
    EXPORT(dspqueue_peek),
    EXPORT(dspqueue_peek_noblock),
    EXPORT(dspqueue_get_stat),
    EXPORT_END,
};
