/* queue.c: the DSP's end of queues. */
#include "cases.h"
#include "HAP_mem.h"
#include "dspqueue.h"
#include "qurt.h"

static dspqueue_t queue;
static volatile int errors, served;

/* Answers each packet with its message, each byte incremented, and changes its buffers. */
static int answer_one(dspqueue_t from)
{
    uint8_t message[256];
    struct dspqueue_buffer buffers[4];
    uint32_t flags, count, length;
    int code = dspqueue_read_noblock(from, &flags, 4, &count, buffers, sizeof message, &length,
                                     message);
    if (code != 0) {
        return code;
    }
    for (uint32_t i = 0; i < length; i++) {
        message[i]++;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *words = buffers[i].ptr;
        if (words == NULL) {
            FARF(ERROR, "buffer %u has no address", (unsigned)i);
            return AEE_EFAILED;
        }
        words[0] += 1000;
    }
    served++;
    return dspqueue_write(from, 0, count, buffers, length, message, 1000000);
}

static void packets(dspqueue_t from, AEEResult error, void *context)
{
    (void)error;
    (void)context;
    int code;
    while ((code = answer_one(from)) == 0) {
    }
    if (code != AEE_EWOULDBLOCK) {
        FARF(ERROR, "queue: 0x%x", (unsigned)code);
        errors++;
    }
}

static void failed(dspqueue_t from, AEEResult error, void *context)
{
    (void)from;
    (void)context;
    FARF(ERROR, "queue failed: 0x%x", (unsigned)error);
}

/* id, whether by callback */
static int import(const int32_t *in, int32_t *out)
{
    dspqueue_t twice;
    int code = dspqueue_import((uint64_t)(uint32_t)in[0], in[1] ? packets : NULL,
                               in[1] ? failed : NULL, NULL, &queue);
    if (code != 0) {
        return code;
    }
    EQUAL(dspqueue_import((uint64_t)(uint32_t)in[0], NULL, NULL, NULL, &twice), AEE_EITEMBUSY);
    out[0] = 1;
    return 0;
}

static int close_queue(const int32_t *in, int32_t *out)
{
    (void)in;
    out[0] = served;
    out[1] = errors;
    int code = dspqueue_close(queue);
    CHECK(dspqueue_close(queue) != 0);
    return code;
}

/* Reads one packet, waiting up to `in[0]` us. */
static int read_one(const int32_t *in, int32_t *out)
{
    uint8_t message[256];
    uint32_t flags = 0, count = 0, length = 0, peeked = 0;
    int code = dspqueue_peek(queue, NULL, NULL, &peeked, (uint32_t)in[0]);
    if (code != 0) {
        return code;
    }
    code = dspqueue_read(queue, &flags, 0, &count, NULL, sizeof message, &length, message, 0);
    EQUAL(length, peeked);
    out[0] = (int)length;
    out[1] = message[0];
    out[2] = (int)count;
    out[3] = (int)flags;
    return code;
}

/* Writes `in[0]` packets that contain their number; out[0] is how many were written. */
static int write_many(const int32_t *in, int32_t *out)
{
    int written = 0, code = 0;
    while (written < in[0] && code == 0) {
        uint32_t number = (uint32_t)written;
        code = in[1] ? dspqueue_write(queue, 0, 0, NULL, sizeof number, (uint8_t *)&number,
                                      (uint32_t)in[1])
                     : dspqueue_write_noblock(queue, 0, 0, NULL, sizeof number, (uint8_t *)&number);
        written += code == 0;
    }
    out[0] = written;
    out[1] = code;
    return 0;
}

/* fd: a reference to a buffer that the client has not mapped. */
static int write_unmapped(const int32_t *in, int32_t *out)
{
    struct dspqueue_buffer buffer = {.fd = (uint32_t)in[0]};
    out[0] = dspqueue_write_noblock(queue, 0, 1, &buffer, 0, NULL);
    return 0;
}

static int crash(const int32_t *in, int32_t *out)
{
    (void)out;
    *(volatile int *)16 = in[0];
    return 0;
}

const struct named_case cases[] = {
    CASE(import),         CASE(close_queue), CASE(read_one), CASE(write_many),
    CASE(write_unmapped), CASE(crash),       {NULL, NULL},
};
