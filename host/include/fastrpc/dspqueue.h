/* dspqueue.h: packets between the ARM side and the DSP through shared memory.
 *
 * Names, values and behaviour as in quic/fastrpc, inc/dspqueue.h. The ARM side creates a
 * queue and exports its id; the DSP side imports it. Each side writes packets that the
 * other reads, in order. A packet is a message, references to buffers, or both. */
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

/* For dspqueue_get_stat: "read" and "write" as the asking side sees them. */
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

/* A reference to a buffer that the ARM side has mapped with fastrpc_mmap. 24 bytes on
 * both sides. size 0: all of it, offset 0. The reader finds its own address in ptr, NULL
 * when the buffer is not mapped there. */
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

/* Runs on a thread of the queue's own. */
typedef void (*dspqueue_callback_t)(dspqueue_t queue, AEEResult error, void *context);

/* ARM side. Sizes in bytes, 0 for the default. With a packet callback, reads that wait
 * are not allowed; it is called after packets have come and reads until there are none. */
AEEResult dspqueue_create(int domain, uint32_t flags, uint32_t req_queue_size,
                          uint32_t resp_queue_size, dspqueue_callback_t packet_callback,
                          dspqueue_callback_t error_callback, void *callback_context,
                          dspqueue_t *queue);
AEEResult dspqueue_export(dspqueue_t queue, uint64_t *queue_id);

/* DSP side. AEE_EITEMBUSY when the queue is imported already. */
AEEResult dspqueue_import(uint64_t queue_id, dspqueue_callback_t packet_callback,
                          dspqueue_callback_t error_callback, void *callback_context,
                          dspqueue_t *queue);

/* Both sides from here on. The DSP's end is closed first: AEE_ERPC otherwise. */
AEEResult dspqueue_close(dspqueue_t queue);

/* AEE_EWOULDBLOCK: no room. AEE_ENOSUCHMAP: a buffer that is not mapped. */
AEEResult dspqueue_write_noblock(dspqueue_t queue, uint32_t flags, uint32_t num_buffers,
                                 struct dspqueue_buffer *buffers, uint32_t message_length,
                                 const uint8_t *message);

/* AEE_EEXPIRED: no room within `timeout_us`. */
AEEResult dspqueue_write(dspqueue_t queue, uint32_t flags, uint32_t num_buffers,
                         struct dspqueue_buffer *buffers, uint32_t message_length,
                         const uint8_t *message, uint32_t timeout_us);

/* AEE_EWOULDBLOCK: no packet. AEE_EBADPARM: it does not fit; it stays in the queue. */
AEEResult dspqueue_read_noblock(dspqueue_t queue, uint32_t *flags, uint32_t max_buffers,
                                uint32_t *num_buffers, struct dspqueue_buffer *buffers,
                                uint32_t max_message_length, uint32_t *message_length,
                                uint8_t *message);
AEEResult dspqueue_read(dspqueue_t queue, uint32_t *flags, uint32_t max_buffers,
                        uint32_t *num_buffers, struct dspqueue_buffer *buffers,
                        uint32_t max_message_length, uint32_t *message_length, uint8_t *message,
                        uint32_t timeout_us);

/* What the next packet is, without taking it. */
AEEResult dspqueue_peek_noblock(dspqueue_t queue, uint32_t *flags, uint32_t *num_buffers,
                                uint32_t *message_length);
AEEResult dspqueue_peek(dspqueue_t queue, uint32_t *flags, uint32_t *num_buffers,
                        uint32_t *message_length, uint32_t timeout_us);

/* Announces a packet: in `wakeup_delay` microseconds, 0 when not known. */
AEEResult dspqueue_write_early_wakeup_noblock(dspqueue_t queue, uint32_t wakeup_delay,
                                              uint32_t packet_flags);
AEEResult dspqueue_get_stat(dspqueue_t queue, enum dspqueue_stat stat, uint64_t *value);

/* Queues to several domains at once (newer libraries). */
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
    uint64_t *ids;    /* out, num_ids of them */
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
