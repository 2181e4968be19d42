/* queue_order.c: a packet reaches the callback of a thread that looks while it is being written, as a
 * thread does that an earlier event has woken up. For this machine, with both ends in one process. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "AEEStdErr.h"
#include "queue_end.h"

static void look(void);

static void stored(uint32_t *word, uint32_t value)
{
    __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
    look();
}

#define __atomic_exchange_n(word, value, order) stored(word, value)
#include "queue_ring.c"
#undef __atomic_exchange_n

enum { PACKETS = 3, MEMORY = 4096 };
static _Alignas(64) unsigned char memory[MEMORY];
static struct dspqueue writer, reader;
static volatile int is_writing, read_so_far;

/* The reader's thread gets an event, and time to look. */
static void look(void)
{
    if (is_writing) {
        queue_end_event(&reader);
        usleep(20000);
    }
}

static void wake(struct dspqueue *queue, enum queue_event event)
{
    (void)event;
    queue_end_event(queue == &writer ? &reader : &writer);
}

static int no_buffers(struct dspqueue *queue, uint32_t count, struct dspqueue_buffer *buffers,
                      bool address)
{
    (void)queue, (void)count, (void)buffers, (void)address;
    return AEE_SUCCESS;
}

static const struct queue_side side = {.wake = wake, .buffers = no_buffers};

static void read_all(struct dspqueue *queue, AEEResult error, void *context)
{
    uint32_t flags, buffers, length;
    uint8_t message[4];
    (void)error, (void)context;
    while (dspqueue_read_noblock(queue, &flags, 0, &buffers, NULL, sizeof message, &length,
                                 message) == AEE_SUCCESS)
        read_so_far++;
}

int main(void)
{
    struct queue_memory *shared = (struct queue_memory *)memory;
    shared->request_size = shared->response_size = 512;
    reader.packet_callback = read_all;
    if (!queue_end_open(&writer, &side, false, shared, MEMORY, 0) ||
        !queue_end_open(&reader, &side, true, shared, MEMORY, 0))
        return 1;
    for (int number = 0; number < PACKETS; number++) {
        is_writing = 1;
        dspqueue_write_noblock(&writer, 0, 0, NULL, 4, (const uint8_t *)"abcd");
        is_writing = 0;
        for (int waited = 0; waited < 1000 && read_so_far <= number; waited++)
            usleep(10000);
        if (read_so_far != number + 1)
            break;
    }
    printf("%d of %d packets were read\n", read_so_far, PACKETS);
    fflush(stdout);
    _exit(0);
}
