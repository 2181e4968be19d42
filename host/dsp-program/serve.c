/* serve.c: runs programs one after the other, each in a process of its own.
 *
 * On the emulated device, most of the time that a test takes is translating the code of this program
 * and its libraries.  A process that is forked from this one has that done.
 *
 * A request at the socket has three descriptors, the standard streams, and the length of the rest:
 * texts that each end with a NUL, the working directory, the number of variables, these, and the
 * arguments.  The answer is the exit status of the process, 128+n for signal n, as four bytes.  A
 * byte that arrives before it is a signal for the process. */
#define _GNU_SOURCE
#include "serve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SOCKET = STDIN_FILENO, STREAMS = 3, SIZE_MAX_BYTES = 1 << 26, NOT_RUN = 125 };

struct request {
    int streams[STREAMS];
    uint32_t size;
    char *texts;
};

/* Receives the length and the streams; returns whether there is a request. */
static bool receive_streams(struct request *request)
{
    char room[CMSG_SPACE(sizeof request->streams)];
    struct iovec part = {&request->size, sizeof request->size};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    const ssize_t got = recvmsg(SOCKET, &message, MSG_CMSG_CLOEXEC | MSG_WAITALL);
    const struct cmsghdr *control = CMSG_FIRSTHDR(&message);

    if (got != sizeof request->size || control == NULL || request->size > SIZE_MAX_BYTES ||
        control->cmsg_len != CMSG_LEN(sizeof request->streams))
        return false;
    memcpy(request->streams, CMSG_DATA(control), sizeof request->streams);
    return true;
}

static bool receive(struct request *request)
{
    size_t used = 0;

    if (!receive_streams(request))
        return false;
    request->texts = malloc(request->size + 1);
    if (request->texts == NULL)
        return false;
    while (used < request->size) {
        const ssize_t got = read(SOCKET, request->texts + used, request->size - used);
        if (got <= 0)
            return false;
        used += (size_t)got;
    }
    request->texts[used] = 0;
    return true;
}

/* In the new process: becomes what the request says. */
static int become(const struct request *request, int (*run)(int, char **))
{
    char *text = request->texts, *end = text + request->size;
    const char *directory = text;
    int count = 0;

    for (int i = 0; i < STREAMS; i++)
        if (dup2(request->streams[i], i) < 0)
            return NOT_RUN;
    if (chdir(directory) != 0)
        return NOT_RUN;
    if (getenv("PWD") != NULL)
        setenv("PWD", directory, 1);
    text += strlen(text) + 1;
    long variables = strtol(text, NULL, 10);
    for (text += strlen(text) + 1; variables-- > 0; text += strlen(text) + 1)
        putenv(text);
    char **arguments = calloc((size_t)(end - text) + 2, sizeof *arguments);
    if (arguments == NULL)
        return NOT_RUN;
    for (; text < end; text += strlen(text) + 1)
        arguments[count++] = text;
    return run(count, arguments);
}

/* Waits until the process has ended, and passes signals on; returns its wait status. */
static int attend(pid_t process, int ended)
{
    struct pollfd polled[] = {{.fd = SOCKET, .events = POLLIN}, {.fd = ended, .events = POLLIN}};
    int status = 0;

    while (polled[1].revents == 0) {
        uint8_t number = SIGKILL;
        if (poll(polled, 2, -1) < 0 || polled[0].revents == 0)
            continue;
        if (read(SOCKET, &number, 1) <= 0) {
            kill(process, SIGKILL);
            _exit(0);
        }
        kill(process, number);
    }
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

/* Runs the program of a request; returns its exit status. */
static int32_t answer(const struct request *request, int (*run)(int, char **))
{
    int ended[2], status = NOT_RUN << 8;

    if (pipe2(ended, O_CLOEXEC) != 0)
        return NOT_RUN;
    const pid_t process = fork();
    if (process == 0) {
        close(ended[0]);
        exit(become(request, run));
    }
    close(ended[1]);
    for (int i = 0; i < STREAMS; i++)
        close(request->streams[i]);
    if (process > 0)
        status = attend(process, ended[0]);
    close(ended[0]);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int serve(int (*run)(int, char **))
{
    struct request request;

    while (receive(&request)) {
        const int32_t status = answer(&request, run);
        free(request.texts);
        if (write(SOCKET, &status, sizeof status) != sizeof status)
            return NOT_RUN;
    }
    return 0;
}
