/* channel.c: buffers what the program writes until the host program fetches it, and its input. */
#include "channel.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "program.h"
#include "qurt.h"

#define BUFFER_SIZE 65536u
#define WAKE 1u
#define WAIT_US 2000000u /* of next(): a call that takes much longer looks as if it hung */

static qurt_mutex_t lock;
static qurt_cond_t changed; /* for the threads of the program */
static qurt_signal_t wake;  /* for next() */

static struct {
    uint8 bytes[BUFFER_SIZE];
    size_t used;
    int stream; /* of the bytes */
} out;

static struct {
    uint8 bytes[BUFFER_SIZE];
    size_t at, used;
    enum { IDLE, WANTED, ASKED } state; /* ASKED: the host program reads */
    bool ended;
} in;

static bool waiting;              /* next() waits: the host program has all that it returned */
static int ended_by = EVENT_NONE; /* EVENT_END or EVENT_LEFT */
static int32 ended_with;

void channel_init(void)
{
    qurt_mutex_init(&lock);
    qurt_cond_init(&changed);
    qurt_signal_init(&wake);
}

/* The buffer has the bytes of one stream at a time, so the order of all output is kept. */
void channel_write(int stream, const void *bytes, size_t size)
{
    const uint8 *from = bytes;

    qurt_mutex_lock(&lock);
    while (size > 0) {
        while (out.used == BUFFER_SIZE || (out.used > 0 && out.stream != stream))
            qurt_cond_wait(&changed, &lock);
        size_t part = BUFFER_SIZE - out.used < size ? BUFFER_SIZE - out.used : size;
        memcpy(out.bytes + out.used, from, part);
        out.stream = stream;
        out.used += part;
        from += part;
        size -= part;
        qurt_signal_set(&wake, WAKE);
    }
    qurt_mutex_unlock(&lock);
}

void channel_flush(void)
{
    qurt_mutex_lock(&lock);
    while (out.used > 0 || !waiting)
        qurt_cond_wait(&changed, &lock);
    qurt_mutex_unlock(&lock);
}

size_t channel_read(void *bytes, size_t room)
{
    qurt_mutex_lock(&lock);
    while (in.at == in.used && !in.ended) {
        if (in.state == IDLE) {
            in.state = WANTED;
            qurt_signal_set(&wake, WAKE);
        }
        qurt_cond_wait(&changed, &lock);
    }
    size_t part = in.used - in.at < room ? in.used - in.at : room;
    memcpy(bytes, in.bytes + in.at, part);
    in.at += part;
    qurt_mutex_unlock(&lock);
    return part;
}

static void end(int event, int status)
{
    qurt_mutex_lock(&lock);
    ended_by = event;
    ended_with = status;
    qurt_signal_set(&wake, WAKE);
    qurt_mutex_unlock(&lock);
}

void channel_end(void)
{
    end(EVENT_END, 0);
}

void channel_leave(int status)
{
    channel_flush();
    end(EVENT_LEFT, status);
    for (;;) /* the host program ends, and this process with it */
        qurt_timer_sleep(WAIT_US);
}

int channel_next(int32 *status, uint8 *data, int room, uint32 *used)
{
    int event = EVENT_NONE;
    bool timed_out = false;

    *status = 0;
    *used = 0;
    qurt_mutex_lock(&lock);
    waiting = true;
    qurt_cond_broadcast(&changed);
    while (out.used == 0 && in.state != WANTED && ended_by == EVENT_NONE && !timed_out) {
        unsigned int got = 0;
        qurt_mutex_unlock(&lock);
        timed_out = qurt_signal_wait_timed(&wake, WAKE, QURT_SIGNAL_ATTR_WAIT_ANY, &got, WAIT_US) !=
                    QURT_EOK;
        qurt_signal_clear(&wake, WAKE);
        qurt_mutex_lock(&lock);
    }
    if (out.used > 0) {
        size_t part = out.used < (size_t)room ? out.used : (size_t)room;
        memcpy(data, out.bytes, part);
        memmove(out.bytes, out.bytes + part, out.used - part);
        out.used -= part;
        *used = (uint32)part;
        event = out.stream == STREAM_ERROR ? EVENT_ERROR : EVENT_OUTPUT;
        waiting = false;
    } else if (in.state == WANTED) {
        in.state = ASKED;
        event = EVENT_INPUT;
    } else if (ended_by != EVENT_NONE) {
        event = ended_by;
        *status = ended_with;
    }
    qurt_cond_broadcast(&changed);
    qurt_mutex_unlock(&lock);
    return event;
}

void channel_input(const uint8 *data, size_t size)
{
    qurt_mutex_lock(&lock);
    in.state = IDLE;
    in.at = in.used = 0; /* it was asked for because all was read */
    if (size == 0)
        in.ended = true;
    else {
        in.used = size < BUFFER_SIZE ? size : BUFFER_SIZE;
        memcpy(in.bytes, data, in.used);
    }
    qurt_cond_broadcast(&changed);
    qurt_mutex_unlock(&lock);
}
