/* wire.c: messages over stream sockets, with attached descriptors. Compiled on both sides. */
#include "wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PARTS_AT_ONCE 256

union control_room {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

/* Removes `done` bytes from the front of the parts. Returns the index of the first part that is not
 * empty. */
static int parts_advance(struct iovec *parts, int count, size_t done)
{
    int first = 0;
    while (first < count && done >= parts[first].iov_len) {
        done -= parts[first].iov_len;
        first++;
    }
    if (first < count) {
        parts[first].iov_base = (char *)parts[first].iov_base + done;
        parts[first].iov_len -= done;
    }
    return first;
}

int wire_send_parts(int socket, struct iovec *parts, int count, int fd)
{
    union control_room room;
    int first = parts_advance(parts, count, 0);
    while (first < count) {
        struct msghdr message;
        memset(&message, 0, sizeof message);
        message.msg_iov = parts + first;
        int now = count - first < PARTS_AT_ONCE ? count - first : PARTS_AT_ONCE;
        message.msg_iovlen = (__typeof__(message.msg_iovlen))now;
        if (fd >= 0) {
            memset(&room, 0, sizeof room);
            message.msg_control = &room;
            message.msg_controllen = sizeof room;
            struct cmsghdr *control = CMSG_FIRSTHDR(&message);
            control->cmsg_level = SOL_SOCKET;
            control->cmsg_type = SCM_RIGHTS;
            control->cmsg_len = CMSG_LEN(sizeof fd);
            memcpy(CMSG_DATA(control), &fd, sizeof fd);
        }
        ssize_t sent = sendmsg(socket, &message, MSG_NOSIGNAL);
        if (sent < 0) {
            if (errno == EINTR) {
                continue;
            }
            return errno == ECONNRESET ? EPIPE : errno;
        }
        fd = -1;
        first += parts_advance(parts + first, count - first, (size_t)sent);
    }
    return 0;
}

int wire_send(int socket, struct wire_header *header, const void *payload, size_t size, int fd)
{
    header->magic = WIRE_MAGIC;
    header->size = (uint32_t)size;
    struct iovec parts[2] = {
        {.iov_base = header, .iov_len = sizeof *header},
        {.iov_base = (void *)(uintptr_t)payload, .iov_len = size},
    };
    return wire_send_parts(socket, parts, 2, fd);
}

/* Returns the attached descriptor, or -1. The control buffer holds one descriptor only. */
static int received_fd(struct msghdr *message)
{
    int fd = -1;
    const struct cmsghdr *control = CMSG_FIRSTHDR(message);
    if (control != NULL && control->cmsg_level == SOL_SOCKET && control->cmsg_type == SCM_RIGHTS &&
        control->cmsg_len >= CMSG_LEN(sizeof fd)) {
        memcpy(&fd, CMSG_DATA(control), sizeof fd);
    }
    return fd;
}

int wire_receive(int socket, struct wire_header *header, int *fd)
{
    union control_room room;
    size_t have = 0;
    *fd = -1;
    while (have < sizeof *header) {
        struct iovec part = {.iov_base = (char *)header + have, .iov_len = sizeof *header - have};
        struct msghdr message;
        memset(&message, 0, sizeof message);
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = &room;
        message.msg_controllen = sizeof room;
        ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        int problem = got < 0 ? errno : EPIPE;
        if (got > 0) {
            int came = received_fd(&message);
            if (came >= 0 && *fd >= 0) {
                close(came);
            } else if (came >= 0) {
                *fd = came;
            }
            have += (size_t)got;
            if (have < sizeof *header || header->magic == WIRE_MAGIC) {
                continue;
            }
            problem = EPROTO;
        }
        if (*fd >= 0) {
            close(*fd);
            *fd = -1;
        }
        return problem == ECONNRESET ? EPIPE : problem;
    }
    return 0;
}

int wire_read_parts(int socket, struct iovec *parts, int count)
{
    int first = parts_advance(parts, count, 0);
    while (first < count) {
        int now = count - first < PARTS_AT_ONCE ? count - first : PARTS_AT_ONCE;
        ssize_t got = readv(socket, parts + first, now);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return got == 0 || errno == ECONNRESET ? EPIPE : errno;
        }
        first += parts_advance(parts + first, count - first, (size_t)got);
    }
    return 0;
}

int wire_read(int socket, void *bytes, size_t size)
{
    struct iovec part = {.iov_base = bytes, .iov_len = size};
    return wire_read_parts(socket, &part, 1);
}

int wire_skip(int socket, size_t size)
{
    char dump[512];
    while (size > 0) {
        size_t now = size < sizeof dump ? size : sizeof dump;
        int problem = wire_read(socket, dump, now);
        if (problem != 0) {
            return problem;
        }
        size -= now;
    }
    return 0;
}
