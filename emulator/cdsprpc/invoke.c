/* invoke.c: makes one call: sends the arguments and receives the reply.
 *
 * Arguments inside shared buffers are passed by reference, others through the socket. */
#include "invoke.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buffers.h"
#include "handles.h"
#include "session.h"

#define BUFFERS_MAX 255

struct marshalled {
    struct wire_header header;
    struct wire_argument arguments[WIRE_ARGUMENTS_MAX];
    struct iovec out[2 + BUFFERS_MAX]; /* to the DSP */
    int out_count;
    struct iovec in[BUFFERS_MAX]; /* from the DSP */
    int in_count;
    uint64_t in_size;
};

static int marshal_buffer(struct session *session, const remote_arg *argument, bool is_in,
                          struct marshalled *call, struct wire_argument *wire)
{
    int code = AEE_SUCCESS;
    if (argument->buf.nLen > UINT32_MAX || (argument->buf.pv == NULL && argument->buf.nLen > 0)) {
        return AEE_EBADPARM;
    }
    wire->transfer = WIRE_COPIED;
    wire->length = (uint32_t)argument->buf.nLen;
    if (wire->length == 0) {
        return AEE_SUCCESS;
    }
    if (buffers_share_range(session, argument->buf.pv, argument->buf.nLen, wire, &code)) {
        return code;
    }
    const struct iovec part = {.iov_base = argument->buf.pv, .iov_len = argument->buf.nLen};
    if (is_in) {
        call->out[call->out_count++] = part;
        if (call->header.size > UINT32_MAX - wire->length) {
            return AEE_EBADPARM;
        }
        call->header.size += wire->length;
    } else {
        call->in[call->in_count++] = part;
        call->in_size += wire->length;
    }
    return AEE_SUCCESS;
}

/* A handle argument, in or out, is a number, or the descriptor of a buffer with an offset. If it can
 * be a descriptor, shares the buffer with the DSP process. A failure is an error only for a
 * registered buffer, because any other number may equal a descriptor by chance. */
static int marshal_handle(struct session *session, const remote_arg *argument,
                          struct wire_argument *wire)
{
    struct stat status;
    int fd = argument->dma.fd;
    wire->transfer = WIRE_VALUE;
    memcpy(&wire->id, argument, sizeof wire->id);
    if (buffers_has_fd(fd)) {
        return buffers_share_fd(session, fd, NULL);
    }
    if (fd > STDERR_FILENO && fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
        buffers_share_fd(session, fd, NULL);
    }
    return AEE_SUCCESS;
}

static int marshal(struct session *session, uint32_t scalars, const remote_arg *arguments,
                   struct marshalled *call)
{
    uint32_t ins = REMOTE_SCALARS_INBUFS(scalars);
    uint32_t buffers = ins + REMOTE_SCALARS_OUTBUFS(scalars);
    uint32_t all = REMOTE_SCALARS_LENGTH(scalars);
    memset(call->arguments, 0, all * sizeof call->arguments[0]);
    call->header.magic = WIRE_MAGIC;
    call->header.size = all * (uint32_t)sizeof call->arguments[0];
    call->out_count = 2;
    call->in_count = 0;
    call->in_size = 0;
    for (uint32_t i = 0; i < all; i++) {
        int code = AEE_SUCCESS;
        if (i < buffers) {
            code = marshal_buffer(session, &arguments[i], i < ins, call, &call->arguments[i]);
        } else {
            code = marshal_handle(session, &arguments[i], &call->arguments[i]);
        }
        if (code != AEE_SUCCESS) {
            return code;
        }
    }
    call->out[0] = (struct iovec){.iov_base = &call->header, .iov_len = sizeof call->header};
    call->out[1] = (struct iovec){.iov_base = call->arguments,
                                  .iov_len = all * sizeof call->arguments[0]};
    return AEE_SUCCESS;
}

/* Receives the data of a reply. The reply of a failed method has none. */
static int take_answer(int socket, const struct wire_header *answer, uint32_t scalars,
                       remote_arg *arguments, struct marshalled *call)
{
    uint32_t out_handles = REMOTE_SCALARS_OUTHANDLES(scalars);
    uint64_t values[15];
    if (answer->result != AEE_SUCCESS) {
        return wire_skip(socket, answer->size);
    }
    if (answer->size != out_handles * sizeof values[0] + call->in_size) {
        return EPROTO;
    }
    int problem = wire_read(socket, values, out_handles * sizeof values[0]);
    problem = problem != 0 ? problem : wire_read_parts(socket, call->in, call->in_count);
    uint32_t first = REMOTE_SCALARS_LENGTH(scalars) - out_handles;
    for (uint32_t i = 0; problem == 0 && i < out_handles; i++) {
        /* `arguments` is NULL only without arguments: NOLINTNEXTLINE(*-core.NonNullParamChecker) */
        memcpy(&arguments[first + i], &values[i], sizeof values[i]);
    }
    return problem;
}

int invoke(struct opened *handle, uint32_t scalars, remote_arg *arguments, void (*sent)(void *),
           void *context)
{
    struct marshalled call;
    struct channel *channel;
    struct session *session = handle->session;
    if (session->dead) {
        return DSP_CODE(AEE_EBADSTATE);
    }
    if (arguments == NULL && REMOTE_SCALARS_LENGTH(scalars) != 0) {
        return AEE_EBADPARM;
    }
    memset(&call.header, 0, sizeof call.header);
    call.header.kind = WIRE_INVOKE;
    call.header.value = scalars;
    call.header.handle = handle->remote;
    int code = marshal(session, scalars, arguments, &call);
    if (code != AEE_SUCCESS) {
        return code;
    }
    if (session_channel(session, &channel) != AEE_SUCCESS) {
        return session_lost(session);
    }
    struct running running = {.name = handle->name, .method = REMOTE_SCALARS_METHOD(scalars)};
    session_running(session, &running);
    struct wire_header answer = {.result = 0};
    int problem = wire_send_parts(channel->socket, call.out, call.out_count, -1);
    bool bad_address = problem == EFAULT;
    if (sent != NULL) {
        sent(context);
    }
    problem = problem != 0 ? problem : session_await_reply(session, channel->socket, &answer);
    if (problem == 0) {
        problem = take_answer(channel->socket, &answer, scalars, arguments, &call);
        bad_address = problem == EFAULT;
    }
    session_channel_back(session, channel, problem == 0);
    code = problem == 0 ? answer.result : bad_address ? AEE_EBADPARM : session_lost(session);
    session_returned(session, &running);
    return code;
}
