/* dspqueue.h: packets between the ARM side and the DSP through shared memory.
 *
 * The names, values and behavior are those of quic/fastrpc, inc/dspqueue.h. The ARM side creates a
 * queue and exports its id, and the DSP side imports it. Each side writes packets, which the other
 * side reads in order. A packet has a message, references to buffers, or both. */
#ifndef DSPQUEUE_H
#define DSPQUEUE_H

#include <stdint.h>
#include <stdlib.h>

#include "AEEStdDef.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DSPQUEUE_TIMEOUT_NONE 0xffffffff

enum dspqueue_packet_flags {
    DSPQUEUE_PACKET_FLAG_MESSAGE = 0x0001,
    DSPQUEUE_PACKET_FLAG_BUFFERS = 0x0002,
    DSPQUEUE_PACKET_FLAG_WAKEUP = 0x0004,
    DSPQUEUE_PACKET_FLAG_DRIVER_READY = 0x0008,
    DSPQUEUE_PACKET_FLAG_USER_READY = 0x0010,
    DSPQUEUE_PACKET_FLAG_RESERVED_ZERO = 0xffe0
};

enum dspqueue_buffer_flags {
    DSPQUEUE_BUFFER_FLAG_REF = 0x00000004,
    DSPQUEUE_BUFFER_FLAG_DEREF = 0x00000008,
    DSPQUEUE_BUFFER_FLAG_FLUSH_SENDER = 0x00000010,
    DSPQUEUE_BUFFER_FLAG_INVALIDATE_SENDER = 0x00000020,
    DSPQUEUE_BUFFER_FLAG_FLUSH_RECIPIENT = 0x00000040,
    DSPQUEUE_BUFFER_FLAG_INVALIDATE_RECIPIENT = 0x00000080
};
#define DSPQUEUE_BUFFER_FLAG_RESERVED_ZERO 0xffffff00

/* For dspqueue_get_stat. "Read" and "write" are from the view of the calling side. */
enum dspqueue_stat {
    DSPQUEUE_STAT_READ_QUEUE_PACKETS = 1,
    DSPQUEUE_STAT_READ_QUEUE_BYTES,
    DSPQUEUE_STAT_WRITE_QUEUE_PACKETS,
    DSPQUEUE_STAT_WRITE_QUEUE_BYTES,
    DSPQUEUE_STAT_EARLY_WAKEUP_WAIT_TIME,
    DSPQUEUE_STAT_EARLY_WAKEUP_MISSES,
    DSPQUEUE_STAT_SIGNALING_PERF
};

#define DSPQUEUE_SIGNALING_PERF_REDUCED_SIGNALING 100
#define DSPQUEUE_SIGNALING_PERF_OPTIMIZED_SIGNALING 1000

struct dspqueue;
typedef struct dspqueue *dspqueue_t;

/* A reference to a buffer that the ARM side has mapped with fastrpc_mmap. It has 24 bytes on both
 * sides. With size 0 and offset 0, it refers to the whole buffer. For the reader, ptr is its
 * address of the buffer, or NULL when the buffer is not mapped on that side. */
struct dspqueue_buffer {
    uint32_t fd;
    uint32_t size;
    uint32_t offset;
    uint32_t flags;
    union {
        void *ptr;
        uint64_t address;
    };
};

/* Callbacks run on a separate thread of the queue. */
typedef void (*dspqueue_callback_t)(dspqueue_t queue, AEEResult error, void *context);

/* Creates a queue. ARM side only. The sizes are in bytes; 0 means the default. The packet callback
 * is called when packets have arrived, and reads until there are none. A queue with a packet
 * callback does not allow reads that wait. */
AEEResult dspqueue_create(int domain, uint32_t flags, uint32_t req_queue_size,
                          uint32_t resp_queue_size, dspqueue_callback_t packet_callback,
                          dspqueue_callback_t error_callback, void *callback_context,
                          dspqueue_t *queue);
AEEResult dspqueue_export(dspqueue_t queue, uint64_t *queue_id);

/* Imports a queue. DSP side only. Returns AEE_EITEMBUSY when the queue is already imported. */
AEEResult dspqueue_import(uint64_t queue_id, dspqueue_callback_t packet_callback,
                          dspqueue_callback_t error_callback, void *callback_context,
                          dspqueue_t *queue);

/* Closes one end of a queue. Both sides can call this function and those below. Returns AEE_ERPC on
 * the ARM side unless the DSP side has closed its end. */
AEEResult dspqueue_close(dspqueue_t queue);

/* Writes a packet. Returns AEE_EWOULDBLOCK when there is no space, and AEE_ENOSUCHMAP when a buffer
 * is not mapped. */
AEEResult dspqueue_write_noblock(dspqueue_t queue, uint32_t flags, uint32_t num_buffers,
                                 struct dspqueue_buffer *buffers, uint32_t message_length,
                                 const uint8_t *message);

/* The same, but waits for space. Returns AEE_EEXPIRED when there is none within `timeout_us`. */
AEEResult dspqueue_write(dspqueue_t queue, uint32_t flags, uint32_t num_buffers,
                         struct dspqueue_buffer *buffers, uint32_t message_length,
                         const uint8_t *message, uint32_t timeout_us);

/* Reads a packet. Returns AEE_EWOULDBLOCK when there is none. Returns AEE_EBADPARM when the packet
 * does not fit; it stays in the queue. */
AEEResult dspqueue_read_noblock(dspqueue_t queue, uint32_t *flags, uint32_t max_buffers,
                                uint32_t *num_buffers, struct dspqueue_buffer *buffers,
                                uint32_t max_message_length, uint32_t *message_length,
                                uint8_t *message);
AEEResult dspqueue_read(dspqueue_t queue, uint32_t *flags, uint32_t max_buffers,
                        uint32_t *num_buffers, struct dspqueue_buffer *buffers,
                        uint32_t max_message_length, uint32_t *message_length, uint8_t *message,
                        uint32_t timeout_us);

/* Describes the next packet without removing it. */
AEEResult dspqueue_peek_noblock(dspqueue_t queue, uint32_t *flags, uint32_t *num_buffers,
                                uint32_t *message_length);
AEEResult dspqueue_peek(dspqueue_t queue, uint32_t *flags, uint32_t *num_buffers,
                        uint32_t *message_length, uint32_t timeout_us);

/* Announces a packet in `wakeup_delay` microseconds. 0 means that the time is unknown. */
AEEResult dspqueue_write_early_wakeup_noblock(dspqueue_t queue, uint32_t wakeup_delay,
                                              uint32_t packet_flags);
AEEResult dspqueue_get_stat(dspqueue_t queue, enum dspqueue_stat stat, uint64_t *value);

/* Creates queues to several domains at once (newer libraries). */
typedef enum { DSPQUEUE_CREATE } dspqueue_request_req_id;

typedef struct dspqueue_create_req {
    uint64_t ctx;
    uint64_t flags;
    uint32_t req_queue_size;
    uint32_t resp_queue_size;
    uint32_t priority;
    dspqueue_callback_t packet_callback;
    dspqueue_callback_t error_callback;
    void *callback_context;
    dspqueue_t queue; /* out */
    uint64_t *ids;    /* out: num_ids elements */
    uint32_t num_ids;
} dspqueue_create_req;

typedef struct dspqueue_request_payload {
    dspqueue_request_req_id id;
    union {
        dspqueue_create_req create;
    };
} dspqueue_request_payload;

int dspqueue_request(dspqueue_request_payload *req);

#ifdef __cplusplus
}
#endif

#endif
