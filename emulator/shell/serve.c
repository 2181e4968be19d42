/* serve.c: serves the control socket, and starts a thread for each channel.
 *
 * The main thread only waits on the control socket. At its end of file, the client has ended, and
 * the process exits even if other threads are running. */
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "core.h"
#include "counts.h"
#include "profile.h"
#include "runtime/threads.h"
#include "trace.h"

/* The stack that the shell and musl need. It is added to the stack that the client requests, by
 * default 16 KiB as on a device. */
#define STACK_OWN (96u * 1024u)

/* A call that has been running so long is reported, once. A call that has been running for a shorter
 * time is reported when the client ends. */
#define SECONDS_LONG 10
#define SECONDS_BEFORE_END 1
#define TICK_MILLISECONDS 1000

_Thread_local int channel_socket = -1;

static void *channel(void *argument)
{
    int socket = (int)(intptr_t)argument;
    bool usable = true;
    channel_socket = socket;
    fault_thread();
    profile_thread_begin();
    while (usable) {
        struct wire_header request;
        int fd = -1;
        if (wire_receive(socket, &request, &fd) != 0) {
            break;
        }
        switch (request.kind) {
        case WIRE_INVOKE:
            usable = request_invoke(socket, &request);
            break;
        case WIRE_OPEN:
            usable = request_open(socket, &request, fd);
            break;
        case WIRE_CLOSE:
            usable = request_close(socket, &request);
            break;
        default:
            usable = request_other(socket, &request, &fd);
            break;
        }
        if (fd >= 0) {
            close(fd);
        }
    }
    channel_socket = -1; /* destructors of thread-local variables follow */
    profile_thread_end();
    fault_thread_end();
    close(socket);
    return NULL;
}

static void channel_start(int socket)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, shell_facts()->stack_bytes + STACK_OWN);
    if (pthread_create(&thread, &attributes, channel, (void *)(intptr_t)socket) != 0) {
        shell_logf(SHELL_ERROR, "cannot create a thread for another call");
        close(socket);
    }
    pthread_attr_destroy(&attributes);
}

/* Waits for a message on the control socket, and reports calls that take long in the meantime. */
static void await_message(void)
{
    struct pollfd polled = {.fd = WIRE_FD_CONTROL, .events = POLLIN};
    while (poll(&polled, 1, TICK_MILLISECONDS) == 0) {
        counts_tick();
        running_report(SECONDS_LONG, "");
    }
}

void serve(void)
{
    struct wire_header header = {.kind = WIRE_HELLO, .value = (uint32_t)getpid()};
    if (wire_send(WIRE_FD_CONTROL, &header, NULL, 0, -1) != 0) {
        _exit(0);
    }
    running_start();
    trace_open();
    profile_start();
    for (;;) {
        int fd = -1;
        await_message();
        if (wire_receive(WIRE_FD_CONTROL, &header, &fd) != 0) {
            running_report(SECONDS_BEFORE_END, "the client has ended; ");
            threads_note_stacks();
            counts_write();
            _exit(0);
        }
        if (header.kind == WIRE_CHANNEL && fd >= 0) {
            channel_start(fd);
        } else if (fd >= 0) {
            close(fd);
        }
        if (wire_skip(WIRE_FD_CONTROL, header.size) != 0) {
            _exit(0);
        }
    }
}
