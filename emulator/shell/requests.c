/* requests.c: the requests on a channel, except INVOKE. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "AEEStdErr.h"
#include "core.h"

bool reply(int socket, int result, uint64_t handle, const void *payload, size_t size)
{
    struct wire_header header = {.kind = WIRE_REPLY, .result = result, .handle = handle};
    return wire_send(socket, &header, payload, size, -1) == 0;
}

/* The payload consists of file, symbol and URI, each with a terminator. */
bool request_open(int socket, const struct wire_header *request, int skel)
{
    char text[WIRE_TEXT_MAX];
    if (request->size < 3 || request->size > sizeof text ||
        wire_read(socket, text, request->size) != 0 || text[request->size - 1] != 0) {
        return false;
    }
    const char *end = text + request->size;
    const char *file = text;
    const char *symbol = file + strlen(file) + 1;
    const char *uri = symbol < end ? symbol + strlen(symbol) + 1 : end;
    if (uri >= end) {
        return false;
    }
    uint64_t handle = 0;
    char reason[WIRE_TEXT_MAX];
    reason[0] = 0;
    int code = handle_open(skel, file, symbol, uri, request->value != 0, &handle, reason,
                           sizeof reason);
    return reply(socket, code, handle, reason, code == AEE_SUCCESS ? 0 : strlen(reason) + 1);
}

bool request_close(int socket, const struct wire_header *request)
{
    return reply(socket, handle_close(request->handle), 0, NULL, 0);
}

static bool request_share(int socket, const struct wire_header *request, int *fd)
{
    struct wire_buffer buffer;
    if (request->size != sizeof buffer || wire_read(socket, &buffer, sizeof buffer) != 0) {
        return false;
    }
    if (*fd < 0) {
        return reply(socket, AEE_EBADPARM, 0, NULL, 0);
    }
    int code = buffer_share(&buffer, *fd);
    *fd = -1;
    return reply(socket, code, 0, NULL, 0);
}

static bool request_map(int socket, const struct wire_header *request)
{
    struct wire_map map;
    uint64_t address = 0;
    if (request->size != sizeof map || wire_read(socket, &map, sizeof map) != 0) {
        return false;
    }
    int code = buffer_map(&map, &address);
    return reply(socket, code, address, NULL, 0);
}

static bool request_downcall(int socket, const struct wire_header *request, int *fd)
{
    char in[WIRE_MESSAGE_MAX];
    char out[WIRE_MESSAGE_MAX];
    size_t out_size = 0;
    if (request->size > sizeof in || wire_read(socket, in, request->size) != 0) {
        return false;
    }
    int code = downcall(request->value, in, request->size, fd, out, sizeof out, &out_size);
    return reply(socket, code, 0, out, out_size);
}

bool request_other(int socket, const struct wire_header *request, int *fd)
{
    switch (request->kind) {
    case WIRE_SHARE:
        return request_share(socket, request, fd);
    case WIRE_UNSHARE:
        return reply(socket, buffer_unshare(request->handle), 0, NULL, 0);
    case WIRE_MAP:
        return request_map(socket, request);
    case WIRE_UNMAP:
        return reply(socket, buffer_unmap(request->handle), 0, NULL, 0);
    case WIRE_DOWNCALL:
        return request_downcall(socket, request, fd);
    case WIRE_EXCEPTION:
        fault_context.skel = "libcdsprpc's exception request";
        abort();
    default:
        return false;
    }
}
