/* library.c: requests libraries from libcdsprpc during a call. */
#include <string.h>

#include "core.h"

struct request {
    const char *name;
    int fd;
};

/* The host thread of the channel waits for a REPLY and answers other messages until then. Requests
 * do not mix, because the caller holds the lock of the modules. */
static void request_on(int socket, void *context)
{
    struct request *request = context;
    struct wire_header header = {.kind = WIRE_NEED};
    if (wire_send(socket, &header, request->name, strlen(request->name) + 1, -1) == 0) {
        wire_receive(socket, &header, &request->fd);
    }
}

bool library_request(const char *name, int *fd)
{
    struct request request = {.name = name, .fd = -1};
    bool sent = true;
    if (strlen(name) >= WIRE_TEXT_MAX) {
        *fd = -1;
        return true;
    }
    if (channel_socket >= 0) {
        request_on(channel_socket, &request);
    } else {
        sent = running_use_channel(request_on, &request);
    }
    *fd = request.fd;
    return sent;
}
