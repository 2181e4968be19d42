/* queue_io.c: writing to a queue and reading from it. Compiled on both sides. */
#include <string.h>

#include "AEEStdErr.h"
#include "queue_end.h"

/* Calls `attempt` once, or, with a timeout, until it succeeds. */
static int access_queue(struct dspqueue *queue, struct queue_position *position,
                        const uint32_t *timeout_us,
                        int (*attempt)(struct dspqueue *queue, void *what), void *what)
{
    queue_note(queue, QUEUE_ACCESS_BEGINS);
    const int code = timeout_us == NULL
                         ? attempt(queue, what)
                         : queue_attempt(queue, position, *timeout_us, attempt, what);
    queue_note(queue, code == AEE_SUCCESS ? QUEUE_ACCESS_ENDS : QUEUE_ACCESS_FAILS);
    return code;
}

/* ---- writing ---- */

struct write {
    uint32_t flags, buffer_count, message_length;
    struct dspqueue_buffer *buffers;
    const uint8_t *message;
};

static bool buffers_good(uint32_t count, const struct dspqueue_buffer *buffers)
{
    uint32_t both = DSPQUEUE_BUFFER_FLAG_REF | DSPQUEUE_BUFFER_FLAG_DEREF;
    for (uint32_t i = 0; i < count; i++) {
        if ((buffers[i].flags & DSPQUEUE_BUFFER_FLAG_RESERVED_ZERO) != 0 ||
            (buffers[i].flags & both) == both) {
            return false;
        }
    }
    return true;
}

static int write_once(struct dspqueue *queue, void *what)
{
    const struct write *write = what;
    struct dspqueue_buffer copies[QUEUE_BUFFERS_MAX];
    if (queue->error != 0) {
        return queue->error;
    }
    if (write->buffer_count > QUEUE_BUFFERS_MAX ||
        (write->buffer_count > 0 && write->buffers == NULL) ||
        (write->message_length > 0 && write->message == NULL) ||
        !buffers_good(write->buffer_count, write->buffers)) {
        return AEE_EBADPARM;
    }
    uint32_t flags = write->flags &
                     (DSPQUEUE_PACKET_FLAG_WAKEUP | DSPQUEUE_PACKET_FLAG_DRIVER_READY);
    flags |= DSPQUEUE_PACKET_FLAG_USER_READY;
    flags |= write->buffer_count > 0 ? DSPQUEUE_PACKET_FLAG_BUFFERS : 0u;
    flags |= write->message_length > 0 ? DSPQUEUE_PACKET_FLAG_MESSAGE : 0u;
    int code = AEE_SUCCESS;
    if (write->buffer_count > 0) {
        memcpy(copies, write->buffers, write->buffer_count * sizeof copies[0]);
        code = queue->side->buffers(queue, write->buffer_count, copies, false);
        for (uint32_t i = 0; i < write->buffer_count; i++) {
            copies[i].address = 0; /* the reader fills in its own address */
        }
    }
    if (code != AEE_SUCCESS) {
        return code;
    }
    pthread_mutex_lock(&queue->writing);
    code = queue_put(&queue->out, flags, write->buffer_count, copies, write->message_length,
                     write->message);
    pthread_mutex_unlock(&queue->writing);
    if (code == AEE_SUCCESS) {
        queue_wake_if_waiting(queue, queue->out.reader, QUEUE_EVENT_PACKET);
    }
    return code;
}

AEEResult dspqueue_write_noblock(dspqueue_t queue, uint32_t flags, uint32_t num_buffers,
                                 struct dspqueue_buffer *buffers, uint32_t message_length,
                                 const uint8_t *message)
{
    struct write write = {flags, num_buffers, message_length, buffers, message};
    return queue == NULL ? AEE_EBADPARM
                         : access_queue(queue, queue->out.writer, NULL, write_once, &write);
}

AEEResult dspqueue_write(dspqueue_t queue, uint32_t flags, uint32_t num_buffers,
                         struct dspqueue_buffer *buffers, uint32_t message_length,
                         const uint8_t *message, uint32_t timeout_us)
{
    struct write write = {flags, num_buffers, message_length, buffers, message};
    return queue == NULL ? AEE_EBADPARM
                         : access_queue(queue, queue->out.writer, &timeout_us, write_once, &write);
}

AEEResult dspqueue_write_early_wakeup_noblock(dspqueue_t queue, uint32_t wakeup_delay,
                                              uint32_t packet_flags)
{
    uint8_t message[4];
    memcpy(message, &wakeup_delay, sizeof message);
    return dspqueue_write_noblock(queue, packet_flags | DSPQUEUE_PACKET_FLAG_WAKEUP, 0, NULL,
                                  wakeup_delay == 0 ? 0 : sizeof message, message);
}

/* ---- reading ---- */

struct read {
    uint32_t buffers_max, message_max;
    struct dspqueue_buffer *buffers;
    uint8_t *message;
    struct queue_packet packet;
};

/* Finds the next packet and discards packets that only announce one. The caller holds `reading`. */
static int next_packet(struct dspqueue *queue, struct queue_packet *packet)
{
    int code;
    while ((code = queue_peek(&queue->in, packet)) == AEE_SUCCESS &&
           (packet->flags & DSPQUEUE_PACKET_FLAG_WAKEUP) != 0) {
        queue_get(&queue->in, packet, 0, NULL, 0, NULL);
    }
    return code;
}

static int read_once(struct dspqueue *queue, void *what)
{
    struct read *read = what;
    pthread_mutex_lock(&queue->reading);
    int code = next_packet(queue, &read->packet);
    if (code == AEE_SUCCESS) {
        code = queue_get(&queue->in, &read->packet, read->buffers_max, read->buffers,
                         read->message_max, read->message);
    }
    pthread_mutex_unlock(&queue->reading);
    if (code == AEE_EWOULDBLOCK && queue->error != 0) {
        return queue->error;
    }
    if (code != AEE_SUCCESS) {
        return code;
    }
    queue_wake_if_waiting(queue, queue->in.writer, QUEUE_EVENT_SPACE);
    if (read->buffers == NULL || read->packet.buffers == 0) {
        return AEE_SUCCESS;
    }
    return queue->side->buffers(queue, read->packet.buffers, read->buffers, true);
}

static int read_within(dspqueue_t queue, uint32_t *flags, uint32_t *num_buffers,
                       uint32_t *message_length, struct read *read, const uint32_t *timeout_us)
{
    if (queue == NULL) {
        return AEE_EBADPARM;
    }
    int code = access_queue(queue, queue->in.reader, timeout_us, read_once, read);
    if (code != AEE_SUCCESS) {
        return code;
    }
    if (flags != NULL) {
        *flags = read->packet.flags;
    }
    if (num_buffers != NULL) {
        *num_buffers = read->packet.buffers;
    }
    if (message_length != NULL) {
        *message_length = read->packet.message_length;
    }
    return AEE_SUCCESS;
}

AEEResult dspqueue_read_noblock(dspqueue_t queue, uint32_t *flags, uint32_t max_buffers,
                                uint32_t *num_buffers, struct dspqueue_buffer *buffers,
                                uint32_t max_message_length, uint32_t *message_length,
                                uint8_t *message)
{
    struct read read = {max_buffers, max_message_length, buffers, message, {0, 0, 0}};
    return read_within(queue, flags, num_buffers, message_length, &read, NULL);
}

AEEResult dspqueue_read(dspqueue_t queue, uint32_t *flags, uint32_t max_buffers,
                        uint32_t *num_buffers, struct dspqueue_buffer *buffers,
                        uint32_t max_message_length, uint32_t *message_length, uint8_t *message,
                        uint32_t timeout_us)
{
    struct read read = {max_buffers, max_message_length, buffers, message, {0, 0, 0}};
    return read_within(queue, flags, num_buffers, message_length, &read, &timeout_us);
}

static int peek_once(struct dspqueue *queue, void *what)
{
    pthread_mutex_lock(&queue->reading);
    int code = next_packet(queue, what);
    pthread_mutex_unlock(&queue->reading);
    return code == AEE_EWOULDBLOCK && queue->error != 0 ? queue->error : code;
}

static int peek_within(dspqueue_t queue, uint32_t *flags, uint32_t *num_buffers,
                       uint32_t *message_length, const uint32_t *timeout_us)
{
    struct queue_packet packet;
    if (queue == NULL) {
        return AEE_EBADPARM;
    }
    int code = access_queue(queue, queue->in.reader, timeout_us, peek_once, &packet);
    if (code == AEE_SUCCESS && flags != NULL) {
        *flags = packet.flags;
    }
    if (code == AEE_SUCCESS && num_buffers != NULL) {
        *num_buffers = packet.buffers;
    }
    if (code == AEE_SUCCESS && message_length != NULL) {
        *message_length = packet.message_length;
    }
    return code;
}

AEEResult dspqueue_peek_noblock(dspqueue_t queue, uint32_t *flags, uint32_t *num_buffers,
                                uint32_t *message_length)
{
    return peek_within(queue, flags, num_buffers, message_length, NULL);
}

AEEResult dspqueue_peek(dspqueue_t queue, uint32_t *flags, uint32_t *num_buffers,
                        uint32_t *message_length, uint32_t timeout_us)
{
    return peek_within(queue, flags, num_buffers, message_length, &timeout_us);
}

AEEResult dspqueue_get_stat(dspqueue_t queue, enum dspqueue_stat stat, uint64_t *value)
{
    if (queue == NULL || value == NULL) {
        return AEE_EBADPARM;
    }
    switch (stat) {
    case DSPQUEUE_STAT_READ_QUEUE_PACKETS:
        *value = queue_packets(&queue->in);
        return AEE_SUCCESS;
    case DSPQUEUE_STAT_READ_QUEUE_BYTES:
        *value = queue_bytes(&queue->in);
        return AEE_SUCCESS;
    case DSPQUEUE_STAT_WRITE_QUEUE_PACKETS:
        *value = queue_packets(&queue->out);
        return AEE_SUCCESS;
    case DSPQUEUE_STAT_WRITE_QUEUE_BYTES:
        *value = queue_bytes(&queue->out);
        return AEE_SUCCESS;
    case DSPQUEUE_STAT_EARLY_WAKEUP_WAIT_TIME:
    case DSPQUEUE_STAT_EARLY_WAKEUP_MISSES:
        *value = 0; /* threads never spin for an announced packet */
        return AEE_SUCCESS;
    case DSPQUEUE_STAT_SIGNALING_PERF:
        *value = DSPQUEUE_SIGNALING_PERF_REDUCED_SIGNALING;
        return AEE_SUCCESS;
    default:
        return AEE_EBADPARM;
    }
}
