/* buffers.h: memory shared with the DSP. */
#ifndef BUILDTOOL_CDSPRPC_BUFFERS_H
#define BUILDTOOL_CDSPRPC_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session.h"
#include "wire.h"

/* Finds the buffer that contains [address, address + length) and shares it with the session's DSP
 * process. Returns false when there is no such buffer. Otherwise, sets `argument` and *code, the
 * code of sharing. */
bool buffers_share_range(struct session *session, const void *address, size_t length,
                         struct wire_argument *argument, int *code);
/* Shares the buffer with the client's descriptor. id may be NULL. */
int buffers_share_fd(struct session *session, int fd, uint64_t *id);
/* Whether the library knows a buffer with the client's descriptor. */
bool buffers_has_fd(int fd);
void buffers_forget(void); /* in a forked child */
/* Forgets all buffers, when the library is unloaded. The client keeps its memory. */
void buffers_free(void);

/* Adds a buffer, which begins at `shift` in its file. On success, takes ownership of fd. caller
 * is the return address of rpcmem_alloc, or NULL for a buffer that the client allocated. */
int buffers_add(void *address, size_t size, int client_fd, int fd, const void *caller,
                size_t shift);

/* A buffer, and where an address is. */
struct buffer_place {
    size_t size;
    int client_fd;
    bool gone;           /* freed */
    uintptr_t allocated; /* the return address of rpcmem_alloc; 0: another buffer */
    int64_t distance;    /* bytes outside: positive past the end, negative before the start */
    int64_t inside;      /* bytes from the start */
};

/* Finds the buffer of the client that contains an address, or else the nearest one, if it is near. For
 * a signal handler: returns false if another function of this file was interrupted. */
bool buffers_near(uintptr_t address, struct buffer_place *place);
/* Removes the buffer that starts at an address. Returns its descriptor, or -1. */
int buffers_remove(const void *address, bool ours, size_t *size, int *client_fd);
int buffers_fd_of(const void *address);
/* Returns the client's address of the buffer with a descriptor, or NULL when it is unknown. */
void *buffers_address_of(int client_fd);
void buffers_remove_fd(int client_fd);

#endif
