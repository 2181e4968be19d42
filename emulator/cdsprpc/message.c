/* message.c: messages from a part of the library to its counterpart in the DSP shell. */
#include "message.h"

#include "buffers.h"
#include "session.h"

/* Finds or starts a session, and marks it so that it does not end with its last handle. */
static int session_pinned(int domain, struct session **session)
{
    int code = session_get(domain, true, session);
    if (code == AEE_SUCCESS) {
        pthread_mutex_lock(&(*session)->lock);
        (*session)->pinned = true;
        code = (*session)->watched ? AEE_SUCCESS : watch_start(*session);
        pthread_mutex_unlock(&(*session)->lock);
        if (code != AEE_SUCCESS) {
            session_put(*session);
        }
    }
    return code;
}

int message_downcall(int domain, enum wire_topic topic, const void *in, size_t in_size, int fd,
                     void *out, size_t *out_size)
{
    struct session *session;
    struct wire_header header = {.kind = WIRE_DOWNCALL, .value = (uint32_t)topic};
    if (in_size > WIRE_MESSAGE_MAX) {
        return AEE_EBADPARM;
    }
    int code = session_pinned(domain, &session);
    if (code != AEE_SUCCESS) {
        return code;
    }
    code = session_request(session, &header, in, in_size, fd, out, out_size);
    session_put(session);
    return code;
}

int message_share_fd(int domain, int fd)
{
    struct session *session;
    int code = session_pinned(domain, &session);
    if (code != AEE_SUCCESS) {
        return code;
    }
    code = buffers_share_fd(session, fd, NULL);
    session_put(session);
    return code;
}
