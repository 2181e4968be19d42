/* wire.h: the protocol between libcdsprpc and the DSP shell. Compiled on both sides.
 *
 * Each message is a wire_header followed by `size` bytes. One file descriptor can be attached to
 * the first byte of a message. The protocol uses three kinds of AF_UNIX stream sockets:
 *
 *   control     One for each session. Host to DSP: CHANNEL. DSP to host: HELLO, UPCALL.
 *               End of file means that the other side is gone.
 *   channel     One for each host thread that is in a call; channels are pooled. The host sends
 *               a request, and the DSP thread of that channel answers with REPLY. Until then,
 *               the DSP can request files with NEED, from any thread.
 *   supervisor  DIED, with the wait status of the DSP process.
 *
 * Numbers are little-endian on both sides. */
#ifndef BUILDTOOL_WIRE_H
#define BUILDTOOL_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#define WIRE_MAGIC 0x50524346u
#define WIRE_TEXT_MAX 4096u
#define WIRE_MESSAGE_MAX 4096u  /* bytes in a DOWNCALL, its answer or an UPCALL */
#define WIRE_ARGUMENTS_MAX 540u /* 255 in, 255 out, 15 + 15 handles */

/* The descriptors of the DSP process's sockets and of its log. */
enum wire_fd { WIRE_FD_CONTROL = 3, WIRE_FD_SUPERVISOR = 4, WIRE_FD_LOG = 5 };

enum wire_kind {
    /* Requests on a channel. */
    WIRE_OPEN = 1,  /* value: 1 for a 64-bit handle; payload: file, symbol, URI; fd: the skel */
    WIRE_INVOKE,    /* handle, value: scalars; payload: wire_argument[], in buffers */
    WIRE_CLOSE,     /* handle */
    WIRE_SHARE,     /* payload: wire_buffer; fd: the buffer */
    WIRE_UNSHARE,   /* handle: buffer id */
    WIRE_MAP,       /* payload: wire_map; handle in the reply: the DSP's address */
    WIRE_UNMAP,     /* handle: buffer id */
    WIRE_DOWNCALL,  /* value: topic; payload: message; fd: optional */
    WIRE_EXCEPTION, /* makes the DSP process crash */
    /* Answers on a channel. */
    WIRE_REPLY, /* result; OPEN: handle or text; INVOKE: out handles, then out buffers */
    WIRE_NEED,  /* payload: file name with a terminator; answered by FILE */
    WIRE_FILE,  /* result; fd: the file */
    /* Messages on the control socket. */
    WIRE_CHANNEL, /* fd: the DSP's end of a new channel */
    WIRE_HELLO,   /* value: process id */
    WIRE_UPCALL,  /* value: topic; payload: message; fd: optional */
    /* Messages on the supervisor socket. */
    WIRE_DIED /* value: wait status */
};

struct wire_header {
    uint32_t magic;
    uint32_t kind;
    uint32_t size; /* bytes after the header */
    int32_t result;
    uint32_t value;
    uint32_t reserved;
    uint64_t handle;
};

/* The subject of a DOWNCALL or an UPCALL: the part of the runtime on the DSP and its counterpart in
 * libcdsprpc that exchange the message. */
enum wire_topic { WIRE_TOPIC_DSPQUEUE = 1, WIRE_TOPIC_COUNT = 8 };

/* How an argument of INVOKE is passed. */
enum wire_transfer {
    WIRE_COPIED, /* in: the bytes are in the request; out: they are in the reply */
    WIRE_SHARED, /* by reference: a part of a shared buffer */
    WIRE_VALUE   /* a handle: its 8 bytes are in `id` */
};

struct wire_argument {
    uint32_t transfer; /* enum wire_transfer */
    uint32_t length;
    uint64_t offset; /* into the shared buffer */
    uint64_t id;     /* of the shared buffer */
};

struct wire_buffer {
    uint64_t id;
    uint64_t size;
    int32_t client_fd;
    uint32_t shift; /* where the buffer begins in its file */
};

struct wire_map {
    uint64_t id;
    uint64_t offset;
    uint64_t length;
    uint32_t flags; /* enum fastrpc_map_flags */
    uint32_t given; /* 1: the client gets the DSP's address */
};

_Static_assert(sizeof(struct wire_header) == 32, "the same on both sides");
_Static_assert(sizeof(struct wire_argument) == 24, "the same on both sides");
_Static_assert(sizeof(struct wire_buffer) == 24, "the same on both sides");
_Static_assert(sizeof(struct wire_map) == 32, "the same on both sides");

/* Each function returns 0 or an errno value: EPIPE when the other side is gone. A system call that
 * is interrupted (EINTR) is repeated. */

/* Sends all parts. The first bytes are a wire_header. fd is a descriptor to attach, or -1. Modifies
 * the elements of `parts`. */
int wire_send_parts(int socket, struct iovec *parts, int count, int fd);

/* Sends a header and a payload. Sets the header's magic and size. */
int wire_send(int socket, struct wire_header *header, const void *payload, size_t size, int fd);

/* Receives a header. Returns EPROTO when its magic is wrong. *fd is the attached descriptor, with
 * close-on-exec set, or -1. */
int wire_receive(int socket, struct wire_header *header, int *fd);

/* Receive exactly the requested number of bytes. */
int wire_read(int socket, void *bytes, size_t size);
int wire_read_parts(int socket, struct iovec *parts, int count);

/* Receives `size` bytes and discards them. */
int wire_skip(int socket, size_t size);

#endif
