/* messages.c: messages between a part of the runtime and its counterpart in libcdsprpc. */
#include <errno.h>
#include <pthread.h>

#include "AEEStdErr.h"
#include "core.h"

static shell_downcall handlers[WIRE_TOPIC_COUNT];
static pthread_mutex_t control_lock = PTHREAD_MUTEX_INITIALIZER;

void shell_on_downcall(enum wire_topic topic, shell_downcall handler)
{
    handlers[topic] = handler;
}

int downcall(uint32_t topic, const void *in, size_t in_size, int *fd, void *out, size_t out_room,
             size_t *out_size)
{
    *out_size = 0;
    if (topic >= WIRE_TOPIC_COUNT || handlers[topic] == NULL) {
        return AEE_EUNSUPPORTED;
    }
    return handlers[topic](in, in_size, fd, out, out_room, out_size);
}

int shell_upcall(enum wire_topic topic, const void *message, size_t size, int fd)
{
    if (size > WIRE_MESSAGE_MAX) {
        return AEE_EBADPARM;
    }
    struct wire_header header = {.kind = WIRE_UPCALL, .value = (uint32_t)topic};
    pthread_mutex_lock(&control_lock);
    int problem = wire_send(WIRE_FD_CONTROL, &header, message, size, fd);
    pthread_mutex_unlock(&control_lock);
    return problem == 0 ? AEE_SUCCESS : AEE_ECONNRESET;
}
