/* libraries.c: opens the libraries that the DSP process requests during a call.
 *
 * On a device, too, the FastRPC library of the client searches for them: apps_std_fopen_with_env() in
 * quic/fastrpc, src/apps_std_imp.c. */
#include <unistd.h>

#include "search.h"
#include "session.h"
#include "uri.h"

/* Receives the name of a library and sends its descriptor, or the code of the search. */
static int open_library(const struct session *session, int socket, uint32_t size)
{
    char name[WIRE_TEXT_MAX];
    if (size == 0 || size > sizeof name) {
        return -1;
    }
    int problem = wire_read(socket, name, size);
    if (problem != 0) {
        return problem;
    }
    name[size - 1] = 0;
    struct wire_header file = {.kind = WIRE_FILE};
    int fd = search_open(name, domain_name(session->effective % DOMAINS), false, &file.result);
    problem = wire_send(socket, &file, NULL, 0, fd);
    if (fd >= 0) {
        close(fd);
    }
    return problem;
}

int session_await_reply(const struct session *session, int socket, struct wire_header *header)
{
    for (;;) {
        int came = -1;
        int problem = wire_receive(socket, header, &came);
        if (came >= 0) {
            close(came);
        }
        if (problem != 0 || header->kind != WIRE_NEED) {
            return problem;
        }
        problem = open_library(session, socket, header->size);
        if (problem != 0) {
            return problem;
        }
    }
}
