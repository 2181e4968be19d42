/* buffers.c: the buffers of the client, and the DSP processes that share them. */
#include "buffers.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session.h"

#define FREED_KEPT 64u
#define NEAR 0x10000 /* the size of a guard */

struct buffer {
    struct buffer *next;
    uint64_t id;
    uintptr_t address; /* 0: only the descriptor is known */
    size_t size;
    size_t shift;        /* where the buffer begins in its file */
    int client_fd;       /* the client's descriptor */
    int fd;              /* the library's descriptor */
    bool ours;           /* from rpcmem_alloc; otherwise fd is a duplicate */
    uintptr_t allocated; /* the return address of rpcmem_alloc */
    dev_t device;
    ino_t inode;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct buffer *buffers;
static struct buffer freed[FREED_KEPT]; /* for reports of crashes */
static size_t freed_count;
static uint64_t last_id;

/* ---- the client's buffers ---- */

static struct buffer *buffer_new(void *address, size_t size, int client_fd, int fd, bool ours)
{
    struct stat status;
    struct buffer *buffer = calloc(1, sizeof *buffer);
    if (buffer == NULL || fstat(fd, &status) != 0) {
        free(buffer);
        return NULL;
    }
    *buffer = (struct buffer){.address = (uintptr_t)address,
                              .size = size,
                              .client_fd = client_fd,
                              .fd = fd,
                              .ours = ours,
                              .device = status.st_dev,
                              .inode = status.st_ino};
    buffer->id = ++last_id;
    buffer->next = buffers;
    buffers = buffer;
    return buffer;
}

int buffers_add(void *address, size_t size, int client_fd, int fd, const void *caller, size_t shift)
{
    pthread_mutex_lock(&lock);
    struct buffer *buffer = buffer_new(address, size, client_fd, fd, caller != NULL);
    if (buffer != NULL) {
        buffer->shift = shift;
        buffer->allocated = (uintptr_t)caller;
    }
    pthread_mutex_unlock(&lock);
    return buffer == NULL ? AEE_ENOMEMORY : AEE_SUCCESS;
}

static void unshare(struct session *session, void *context)
{
    uint64_t id = *(const uint64_t *)context;
    pthread_mutex_lock(&session->sharing);
    struct shared **at = &session->shared;
    while (*at != NULL && (*at)->id != id) {
        at = &(*at)->next;
    }
    struct shared *shared = *at;
    if (shared != NULL) {
        *at = shared->next;
        if (!session->dead) {
            struct wire_header header = {.kind = WIRE_UNSHARE, .handle = id};
            session_request(session, &header, NULL, 0, -1, NULL, NULL);
        }
    }
    pthread_mutex_unlock(&session->sharing);
    free(shared);
}

/* Removes a buffer from the list. The caller holds the lock. */
static void unlink_locked(struct buffer *buffer)
{
    for (struct buffer **at = &buffers; *at != NULL; at = &(*at)->next) {
        if (*at == buffer) {
            *at = buffer->next;
            return;
        }
    }
}

int buffers_remove(const void *address, bool ours, size_t *size, int *client_fd)
{
    pthread_mutex_lock(&lock);
    struct buffer *buffer = buffers;
    while (buffer != NULL && (buffer->address != (uintptr_t)address || buffer->ours != ours)) {
        buffer = buffer->next;
    }
    if (buffer != NULL) {
        unlink_locked(buffer);
        freed[freed_count % FREED_KEPT] = *buffer;
        freed_count += ours;
    }
    pthread_mutex_unlock(&lock);
    if (buffer == NULL) {
        return -1;
    }
    uint64_t id = buffer->id;
    int fd = buffer->fd;
    *size = buffer->size;
    *client_fd = buffer->client_fd;
    free(buffer);
    sessions_each(unshare, &id);
    return fd;
}

int buffers_fd_of(const void *address)
{
    int fd = -1;
    pthread_mutex_lock(&lock);
    for (const struct buffer *buffer = buffers; buffer != NULL; buffer = buffer->next) {
        if (buffer->ours && buffer->address == (uintptr_t)address) {
            fd = buffer->client_fd;
        }
    }
    pthread_mutex_unlock(&lock);
    return fd;
}

/* Whether the client's descriptor still refers to the same file. The client may have closed it and
 * received the same number for another file. */
static bool still_that_file(const struct buffer *buffer)
{
    struct stat status;
    return buffer->ours || (fstat(buffer->client_fd, &status) == 0 &&
                            status.st_dev == buffer->device && status.st_ino == buffer->inode);
}

static struct buffer *by_fd(int client_fd)
{
    for (struct buffer *buffer = buffers; buffer != NULL; buffer = buffer->next) {
        if (buffer->client_fd == client_fd && still_that_file(buffer)) {
            return buffer;
        }
    }
    return NULL;
}

bool buffers_has_fd(int fd)
{
    pthread_mutex_lock(&lock);
    bool knows = by_fd(fd) != NULL;
    pthread_mutex_unlock(&lock);
    return knows;
}

void *buffers_address_of(int client_fd)
{
    pthread_mutex_lock(&lock);
    const struct buffer *buffer = by_fd(client_fd);
    void *address = buffer == NULL ? NULL : (void *)buffer->address;
    pthread_mutex_unlock(&lock);
    return address;
}

void buffers_remove_fd(int client_fd)
{
    pthread_mutex_lock(&lock);
    struct buffer *buffer = buffers;
    while (buffer != NULL &&
           (buffer->client_fd != client_fd || buffer->ours || buffer->address != 0)) {
        buffer = buffer->next;
    }
    if (buffer != NULL) {
        unlink_locked(buffer);
    }
    pthread_mutex_unlock(&lock);
    if (buffer != NULL) {
        sessions_each(unshare, &buffer->id);
        close(buffer->fd);
        free(buffer);
    }
}

static void take_nearer(const struct buffer *buffer, bool gone, uintptr_t address,
                        struct buffer_place *place)
{
    const int64_t inside = (int64_t)(address - buffer->address);
    const int64_t past = inside - (int64_t)buffer->size;
    const int64_t distance = inside < 0 ? inside : past < 0 ? 0 : past + 1;
    if (buffer->address != 0 && llabs(distance) < llabs(place->distance)) {
        *place = (struct buffer_place){buffer->size,      buffer->client_fd, gone,
                                       buffer->allocated, distance,          inside};
    }
}

bool buffers_near(uintptr_t address, struct buffer_place *place)
{
    *place = (struct buffer_place){.distance = NEAR + 1};
    if (pthread_mutex_trylock(&lock) != 0) {
        return false;
    }
    for (const struct buffer *buffer = buffers; buffer != NULL; buffer = buffer->next) {
        take_nearer(buffer, false, address, place);
    }
    for (size_t i = 0; i < freed_count && i < FREED_KEPT; i++) {
        take_nearer(&freed[(freed_count - 1 - i) % FREED_KEPT], true, address, place);
    }
    pthread_mutex_unlock(&lock);
    return place->size != 0;
}

/* ---- buffers that a DSP process knows ---- */

static int share(struct session *session, const struct buffer *buffer)
{
    int code = AEE_SUCCESS;
    pthread_mutex_lock(&session->sharing);
    struct shared *shared = session->shared;
    while (shared != NULL && shared->id != buffer->id) {
        shared = shared->next;
    }
    if (shared == NULL) {
        const struct wire_buffer wire = {.id = buffer->id,
                                         .size = buffer->size,
                                         .client_fd = buffer->client_fd,
                                         .shift = (uint32_t)buffer->shift};
        struct wire_header header = {.kind = WIRE_SHARE};
        shared = malloc(sizeof *shared);
        code = shared == NULL
                   ? AEE_ENOMEMORY
                   : session_request(session, &header, &wire, sizeof wire, buffer->fd, NULL, NULL);
        if (code == AEE_SUCCESS) {
            shared->id = buffer->id;
            shared->next = session->shared;
            session->shared = shared;
        } else {
            free(shared);
        }
    }
    pthread_mutex_unlock(&session->sharing);
    return code;
}

bool buffers_share_range(struct session *session, const void *address, size_t length,
                         struct wire_argument *argument, int *code)
{
    uintptr_t at = (uintptr_t)address;
    struct buffer found;
    bool inside = false;
    pthread_mutex_lock(&lock);
    for (const struct buffer *buffer = buffers; buffer != NULL && !inside; buffer = buffer->next) {
        inside = buffer->address != 0 && at >= buffer->address &&
                 at - buffer->address <= buffer->size &&
                 length <= buffer->size - (at - buffer->address);
        if (inside) {
            found = *buffer;
        }
    }
    pthread_mutex_unlock(&lock);
    if (!inside) {
        return false;
    }
    argument->transfer = WIRE_SHARED;
    argument->id = found.id;
    argument->offset = at - found.address;
    *code = share(session, &found);
    return true;
}

int buffers_share_fd(struct session *session, int fd, uint64_t *id)
{
    struct stat status;
    struct buffer found;
    int code = AEE_SUCCESS;
    pthread_mutex_lock(&lock);
    const struct buffer *buffer = by_fd(fd);
    if (buffer == NULL) {
        int own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
        if (own < 0 || fstat(own, &status) != 0 || !S_ISREG(status.st_mode) ||
            status.st_size == 0) {
            code = AEE_EINVALIDFD;
        } else {
            buffer = buffer_new(NULL, (size_t)status.st_size, fd, own, false);
            code = buffer == NULL ? AEE_ENOMEMORY : AEE_SUCCESS;
        }
        if (code != AEE_SUCCESS && own >= 0) {
            close(own);
        }
    }
    if (buffer != NULL) {
        found = *buffer;
    }
    pthread_mutex_unlock(&lock);
    if (code != AEE_SUCCESS) {
        return code;
    }
    if (id != NULL) {
        *id = found.id;
    }
    return share(session, &found);
}

/* Keeps the buffers, because the child has their memory too. Initializes the lock again, because
 * another thread may have held it at the fork. */
void buffers_forget(void)
{
    pthread_mutex_init(&lock, NULL);
}

void buffers_free(void)
{
    pthread_mutex_lock(&lock);
    while (buffers != NULL) {
        struct buffer *buffer = buffers;
        buffers = buffer->next;
        if (!buffer->ours) {
            close(buffer->fd);
        }
        free(buffer);
    }
    pthread_mutex_unlock(&lock);
}
