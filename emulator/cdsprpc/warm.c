/* warm.c: DSP processes that are forks of one that has begun: QEMU has translated the shell's code.
 *
 * A variable asks for them, for a program that starts many (`buildtool test`). It names a skel that the
 * process loads and unloads before it is forked. The process ends with the last program that has its
 * socket: this one, and those that it forks. */
#define _GNU_SOURCE
#include "warm.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define VARIABLE "BUILDTOOL_SIM_WARM"
#define STREAMS 4 /* control, supervisor, errors, the log: as emulator/shell/warm.c reads them */

static bool has_begun; /* or failed to */
static int warm_socket = -1;

/* Returns the index of the argument behind those of qemu and the shell, or 0. */
static int index_of_serve(const struct command *command)
{
    int at = command->count - 1;
    while (at > 0 && strcmp(command->arguments[at], "serve") != 0) {
        at--;
    }
    return at;
}

static void begin(const struct session *session, const struct command *command, warm_spawn *spawn)
{
    static char word[] = "warm";
    struct command warm = *command;
    struct session none = *session; /* only for `spawn` */
    int ends[2];
    const int at = index_of_serve(command);
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    has_begun = true;
    if (null < 0 || at == 0 || warm.count + 2 > COMMAND_ARGUMENTS_MAX ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        return;
    }
    memmove(&warm.arguments[at + 2], &warm.arguments[at + 1],
            (size_t)(warm.count - at) * sizeof warm.arguments[0]);
    warm.arguments[at] = word;
    warm.arguments[at + 1] = getenv(VARIABLE);
    none.errors = null;
    if (spawn(&none, &warm, ends[1], null)) {
        warm_socket = ends[0];
    } else {
        close(ends[0]);
    }
    close(ends[1]);
    close(null);
}

bool warm_start(const struct session *session, const struct command *command, int control,
                int supervisor, warm_spawn *spawn)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    if (getenv("BUILDTOOL_SIM_DEBUG") != NULL || getenv("BUILDTOOL_SIM_PLUGIN") != NULL) {
        return false;
    }
    pthread_mutex_lock(&lock);
    if (!has_begun && getenv(VARIABLE) != NULL) {
        begin(session, command, spawn);
    }
    pthread_mutex_unlock(&lock);
    const int at = index_of_serve(command);
    const char *facts = at == 0 ? NULL : command->arguments[at + 1];
    if (warm_socket < 0 || facts == NULL) {
        return false;
    }
    const int streams[STREAMS] = {control, supervisor, session->errors, STDERR_FILENO};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof streams)];
    } room = {.bytes = {0}};
    struct iovec part = {(void *)(uintptr_t)facts, (size_t)(command->text + command->used - facts)};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &room, .msg_controllen = sizeof room};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof streams);
    memcpy(CMSG_DATA(header), streams, sizeof streams);
    return sendmsg(warm_socket, &message, MSG_NOSIGNAL) == (ssize_t)part.iov_len;
}
