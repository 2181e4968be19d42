/* queue_ring.h: the shared memory of a queue: one ring of packets each way.
 *
 * Compiled on both sides. Each side trusts nothing that it reads there: what cannot be is
 * AEE_EBADITEM. Writers of one side take turns, and so do its readers (queue_end.h). */
#ifndef BUILDTOOL_QUEUE_RING_H
#define BUILDTOOL_QUEUE_RING_H

#include <stdbool.h>
#include <stdint.h>

/* The library hides what is not declared to be seen. */
#pragma GCC visibility push(default)
#include "dspqueue.h"
#pragma GCC visibility pop

/* Limits of quic/fastrpc, inc/dspqueue_shared.h. */
#define QUEUE_SIZE_MAX 16777216u
#define QUEUE_BUFFERS_MAX 64u
#define QUEUE_MESSAGE_MAX 65536u
#define QUEUE_REQUEST_DEFAULT 65536u
#define QUEUE_RESPONSE_DEFAULT 16384u

/* One side's position in a ring, on a cache line of its own. */
struct queue_position {
    uint32_t position; /* bytes from the ring's start, a multiple of 8 */
    uint32_t packets;  /* written or read so far */
    uint32_t waiting;  /* threads that need an event */
    uint32_t unused[13];
};

struct queue_memory {
    uint32_t request_size;  /* bytes of the ring to the DSP, which follows this struct */
    uint32_t response_size; /* of the ring from the DSP, which follows that one */
    uint32_t unused[14];
    struct queue_position request_writer, request_reader, response_writer, response_reader;
};

struct queue_ring {
    uint8_t *bytes;
    uint32_t size;
    struct queue_position *writer, *reader;
};

struct queue_packet {
    uint32_t flags;
    uint32_t buffers;
    uint32_t message_length;
};

/* Bytes that a queue with rings of these sizes takes, each rounded up to 8. */
uint64_t queue_memory_size(uint32_t request_size, uint32_t response_size);

/* The rings in a memory of `size` bytes; false when the sizes in it do not agree. */
bool queue_rings(struct queue_memory *memory, uint64_t size, struct queue_ring *request,
                 struct queue_ring *response);

/* AEE_EWOULDBLOCK; AEE_EBADPARM when it would never fit. */
int queue_put(const struct queue_ring *ring, uint32_t flags, uint32_t buffer_count,
              const struct dspqueue_buffer *buffers, uint32_t message_length,
              const uint8_t *message);
int queue_peek(const struct queue_ring *ring, struct queue_packet *packet);

/* NULL for what is not wanted. Takes the packet only when all fits. */
int queue_get(const struct queue_ring *ring, struct queue_packet *packet, uint32_t buffers_max,
              struct dspqueue_buffer *buffers, uint32_t message_max, uint8_t *message);

/* Packets and bytes in the ring. */
uint32_t queue_packets(const struct queue_ring *ring);
uint32_t queue_bytes(const struct queue_ring *ring);

#endif
