/* warm.c: a process that is forked for each DSP process.
 *
 * A DSP process executes little, most of it once: QEMU takes longer to translate that. A fork has what
 * was translated before. QEMU translates anew when the first thread starts, so one starts here. */
#define _GNU_SOURCE
#include "warm.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core.h"
#include "module.h"

#define FACTS_MAX 64
#define STREAMS 4 /* control, supervisor, errors, the log: see emulator/cdsprpc/warm.c */

static char text[8192];

static void *nothing(void *argument)
{
    return argument;
}

static int has_none(void *context, const char *name, char *reason, size_t room)
{
    (void)context, (void)name, (void)reason, (void)room;
    return -1;
}

static void translate(const char *path)
{
    struct module *module;
    char reason[MODULE_REASON_MAX];
    const char *slash = strrchr(path, '/');
    pthread_t thread;
    if (pthread_create(&thread, NULL, nothing, NULL) == 0) {
        pthread_join(thread, NULL);
    }
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file >= 0 && module_load(file, slash == NULL ? path : slash + 1, shell_facts()->arch,
                                 has_none, NULL, 0, &module, reason) == 0) {
        module_unload(module);
    }
    close(file);
}

/* Receives a request; returns its size, or 0 at the end. */
static size_t receive(int streams[STREAMS])
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(STREAMS * sizeof(int))];
    } room;
    struct iovec part = {text, sizeof text};
    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = &room;
    message.msg_controllen = sizeof room;
    const ssize_t got = recvmsg(WIRE_FD_CONTROL, &message, MSG_CMSG_CLOEXEC);
    const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (got <= 0 || header == NULL || header->cmsg_len != CMSG_LEN(STREAMS * sizeof(int))) {
        return 0;
    }
    memcpy(streams, CMSG_DATA(header), STREAMS * sizeof(int));
    return (size_t)got;
}

/* In the new process: has the descriptors that libcdsprpc gives one that it starts. */
static int become(const int streams[STREAMS], size_t size, int (*serve)(int, char **))
{
    char *facts[FACTS_MAX];
    int count = 0;
    dup2(streams[2], STDOUT_FILENO);
    dup2(streams[2], STDERR_FILENO);
    dup2(streams[0], WIRE_FD_CONTROL);
    dup2(streams[1], WIRE_FD_SUPERVISOR);
    dup2(streams[3], WIRE_FD_LOG);
    for (int i = 0; i < STREAMS; i++) {
        close(streams[i]);
    }
    for (char *at = text; at < text + size && count < FACTS_MAX; at += strlen(at) + 1) {
        facts[count++] = at;
    }
    return serve(count, facts);
}

void warm(char *skel, int (*serve)(int, char **))
{
    int streams[STREAMS];
    translate(skel);
    signal(SIGCHLD, SIG_IGN); /* nobody waits for them */
    for (size_t size; (size = receive(streams)) != 0;) {
        if (fork() == 0) {
            _exit(become(streams, size, serve));
        }
        for (int i = 0; i < STREAMS; i++) {
            close(streams[i]);
        }
    }
    _exit(0);
}
