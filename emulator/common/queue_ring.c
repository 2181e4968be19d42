/* queue_ring.c: the shared memory of a queue: one ring of packets for each direction.
 *
 * A packet is a header of 8 bytes, its buffer references and its message, padded to a multiple of 8
 * bytes. A packet does not wrap: when it does not fit before the ring's end, the writer puts a
 * header with FLAG_SKIP there and the packet at the ring's start. */
#include "queue_ring.h"

#include <string.h>

#include "AEEStdErr.h"

#define FLAG_SKIP 0x8000u /* no packet here: the next one is at the ring's start */

struct header {
    uint32_t length; /* bytes, including this header */
    uint16_t flags;
    uint8_t buffers;
    uint8_t unused;
};

_Static_assert(sizeof(struct header) == 8 && sizeof(struct dspqueue_buffer) == 24, "same on both");

static uint32_t load(const uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

/* An exchange: on Hexagon, LLVM stores a value without a barrier, and qemu executes none. The next load,
 * of the number of waiting threads, could overtake the store. */
static void store(uint32_t *word, uint32_t value)
{
    __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST);
}

static uint32_t rounded(uint32_t size)
{
    return (size + 7u) & ~7u;
}

uint64_t queue_memory_size(uint32_t request_size, uint32_t response_size)
{
    return sizeof(struct queue_memory) + (uint64_t)rounded(request_size) + rounded(response_size);
}

static bool size_good(uint32_t size)
{
    return size >= 64 && size <= QUEUE_SIZE_MAX && size % 8 == 0;
}

bool queue_rings(struct queue_memory *memory, uint64_t size, struct queue_ring *request,
                 struct queue_ring *response)
{
    if (size < sizeof *memory) {
        return false;
    }
    uint32_t request_size = load(&memory->request_size);
    uint32_t response_size = load(&memory->response_size);
    if (!size_good(request_size) || !size_good(response_size) ||
        queue_memory_size(request_size, response_size) > size) {
        return false;
    }
    uint8_t *bytes = (uint8_t *)(memory + 1);
    *request = (struct queue_ring){bytes, request_size, &memory->request_writer,
                                   &memory->request_reader};
    *response = (struct queue_ring){bytes + request_size, response_size, &memory->response_writer,
                                    &memory->response_reader};
    return true;
}

/* Reads both positions. Returns false when one of them is invalid. */
static bool positions(const struct queue_ring *ring, uint32_t *read, uint32_t *write)
{
    *read = load(&ring->reader->position);
    *write = load(&ring->writer->position);
    return *read < ring->size && *write < ring->size && *read % 8 == 0 && *write % 8 == 0;
}

/* Returns the number of free bytes. The last 8 bytes are never used, because equal positions mean
 * that the ring is empty. */
static uint32_t room(const struct queue_ring *ring, uint32_t read, uint32_t write)
{
    return (write >= read ? ring->size - write + read : read - write) - 8;
}

static uint32_t filled(const struct queue_ring *ring, uint32_t read, uint32_t write)
{
    return write >= read ? write - read : ring->size - read + write;
}

static void put_header(const struct queue_ring *ring, uint32_t at, const struct header *header)
{
    memcpy(ring->bytes + at, header, sizeof *header);
}

int queue_put(const struct queue_ring *ring, uint32_t flags, uint32_t buffer_count,
              const struct dspqueue_buffer *buffers, uint32_t message_length,
              const uint8_t *message)
{
    if (buffer_count > QUEUE_BUFFERS_MAX || message_length > QUEUE_MESSAGE_MAX) {
        return AEE_EBADPARM;
    }
    uint32_t read, write;
    uint32_t references = buffer_count * (uint32_t)sizeof *buffers;
    struct header header = {.length = (uint32_t)sizeof header + references + message_length,
                            .flags = (uint16_t)(flags & ~FLAG_SKIP),
                            .buffers = (uint8_t)buffer_count};
    uint32_t whole = rounded(header.length);
    if (whole > ring->size - 8) {
        return AEE_EBADPARM;
    }
    if (!positions(ring, &read, &write)) {
        return AEE_EBADITEM;
    }
    uint32_t left = room(ring, read, write);
    uint32_t to_end = ring->size - write;
    uint32_t at = write;
    if (to_end < whole) {
        if (left < to_end + whole) {
            return AEE_EWOULDBLOCK;
        }
        put_header(ring, write, &(struct header){.length = to_end, .flags = FLAG_SKIP});
        at = 0;
    } else if (left < whole) {
        return AEE_EWOULDBLOCK;
    }
    put_header(ring, at, &header);
    if (references > 0) {
        memcpy(ring->bytes + at + sizeof header, buffers, references);
    }
    if (message_length > 0) {
        memcpy(ring->bytes + at + sizeof header + references, message, message_length);
    }
    /* In this order: a thread that sees the count of packets finds the packet, or it would wait for
     * the next one. */
    store(&ring->writer->position, (at + whole) % ring->size);
    store(&ring->writer->packets, load(&ring->writer->packets) + 1);
    return AEE_SUCCESS;
}

/* Reads the header and the position of the next packet. */
static int next(const struct queue_ring *ring, struct header *header, uint32_t *at)
{
    uint32_t read, write;
    if (!positions(ring, &read, &write)) {
        return AEE_EBADITEM;
    }
    uint32_t left = filled(ring, read, write);
    if (left == 0) {
        return AEE_EWOULDBLOCK;
    }
    memcpy(header, ring->bytes + read, sizeof *header);
    if (header->flags & FLAG_SKIP) {
        uint32_t to_end = ring->size - read;
        if (left <= to_end) {
            return AEE_EBADITEM;
        }
        left -= to_end;
        read = 0;
        memcpy(header, ring->bytes, sizeof *header);
    }
    uint32_t references = header->buffers * (uint32_t)sizeof(struct dspqueue_buffer);
    if (header->length < sizeof *header + references || rounded(header->length) > left ||
        header->length > ring->size - read || header->buffers > QUEUE_BUFFERS_MAX) {
        return AEE_EBADITEM;
    }
    *at = read;
    return AEE_SUCCESS;
}

static struct queue_packet packet_of(const struct header *header)
{
    uint32_t references = header->buffers * (uint32_t)sizeof(struct dspqueue_buffer);
    return (struct queue_packet){.flags = header->flags,
                                 .buffers = header->buffers,
                                 .message_length = header->length - (uint32_t)sizeof *header -
                                                   references};
}

int queue_peek(const struct queue_ring *ring, struct queue_packet *packet)
{
    struct header header;
    uint32_t at;
    int code = next(ring, &header, &at);
    if (code == AEE_SUCCESS) {
        *packet = packet_of(&header);
    }
    return code;
}

int queue_get(const struct queue_ring *ring, struct queue_packet *packet, uint32_t buffers_max,
              struct dspqueue_buffer *buffers, uint32_t message_max, uint8_t *message)
{
    struct header header;
    uint32_t at;
    int code = next(ring, &header, &at);
    if (code != AEE_SUCCESS) {
        return code;
    }
    *packet = packet_of(&header);
    if ((buffers != NULL && packet->buffers > buffers_max) ||
        (message != NULL && packet->message_length > message_max)) {
        return AEE_EBADPARM;
    }
    uint32_t references = packet->buffers * (uint32_t)sizeof *buffers;
    if (buffers != NULL && references > 0) {
        memcpy(buffers, ring->bytes + at + sizeof header, references);
    }
    if (message != NULL && packet->message_length > 0) {
        memcpy(message, ring->bytes + at + sizeof header + references, packet->message_length);
    }
    store(&ring->reader->packets, load(&ring->reader->packets) + 1);
    store(&ring->reader->position, (at + rounded(header.length)) % ring->size);
    return AEE_SUCCESS;
}

uint32_t queue_packets(const struct queue_ring *ring)
{
    /* A packet can be read before it is counted. */
    const uint32_t packets = load(&ring->writer->packets) - load(&ring->reader->packets);
    return (int32_t)packets > 0 ? packets : 0;
}

uint32_t queue_bytes(const struct queue_ring *ring)
{
    uint32_t read, write;
    return positions(ring, &read, &write) ? filled(ring, read, write) : 0;
}
