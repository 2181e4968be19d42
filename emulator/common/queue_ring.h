/* queue_ring.h: the shared memory of a queue: one ring of packets for each direction.
 *
 * Compiled on both sides. Neither side trusts the content of the shared memory: an invalid content
 * is AEE_EBADITEM. The locks in queue_end.h serialize the writers of one side, and its readers. */
#ifndef BUILDTOOL_QUEUE_RING_H
#define BUILDTOOL_QUEUE_RING_H

#include <stdbool.h>
#include <stdint.h>

/* libcdsprpc is compiled with -fvisibility=hidden; these functions are exported. */
#pragma GCC visibility push(default)
#include "dspqueue.h"
#pragma GCC visibility pop

/* Limits of quic/fastrpc, inc/dspqueue_shared.h. */
#define QUEUE_SIZE_MAX 16777216u
#define QUEUE_BUFFERS_MAX 64u
#define QUEUE_MESSAGE_MAX 65536u
#define QUEUE_REQUEST_DEFAULT 65536u
#define QUEUE_RESPONSE_DEFAULT 16384u

/* The position of one side in a ring. It fills a cache line. */
struct queue_position {
    uint32_t position; /* offset in the ring in bytes, a multiple of 8 */
    uint32_t packets;  /* number of packets written or read so far */
    uint32_t waiting;  /* number of threads that wait for an event */
    uint32_t unused[13];
};

struct queue_memory {
    uint32_t request_size;  /* bytes of the ring to the DSP, which follows this structure */
    uint32_t response_size; /* bytes of the ring from the DSP, which follows the other ring */
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

/* Returns the bytes of memory for a queue with rings of these sizes, each rounded up to a multiple
 * of 8. */
uint64_t queue_memory_size(uint32_t request_size, uint32_t response_size);

/* Finds the rings in a memory of `size` bytes. Returns false when the ring sizes in it are
 * invalid. */
bool queue_rings(struct queue_memory *memory, uint64_t size, struct queue_ring *request,
                 struct queue_ring *response);

/* Puts a packet into the ring. Returns AEE_EWOULDBLOCK when there is no space, and AEE_EBADPARM
 * when the packet can never fit. */
int queue_put(const struct queue_ring *ring, uint32_t flags, uint32_t buffer_count,
              const struct dspqueue_buffer *buffers, uint32_t message_length,
              const uint8_t *message);

/* Describes the next packet. Returns AEE_EWOULDBLOCK when there is none. */
int queue_peek(const struct queue_ring *ring, struct queue_packet *packet);

/* Removes the next packet and copies its buffer references and its message, unless the pointer is
 * NULL. Leaves the packet in the ring and returns AEE_EBADPARM when one of them does not fit. */
int queue_get(const struct queue_ring *ring, struct queue_packet *packet, uint32_t buffers_max,
              struct dspqueue_buffer *buffers, uint32_t message_max, uint8_t *message);

/* Return the number of packets and of bytes in the ring. */
uint32_t queue_packets(const struct queue_ring *ring);
uint32_t queue_bytes(const struct queue_ring *ring);

#endif
