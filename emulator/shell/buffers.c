/* buffers.c: memory that the client shares, by the client's file descriptor.
 *
 * The first use of a buffer maps all of it, and no later use maps it again. So pointers into a
 * buffer stay valid from call to call. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "AEEStdErr.h"
#include "core.h"
#include "guarded.h"
#include "in_arguments.h"
#include "regions.h"

/* Values of enum fastrpc_map_flags; MAP_NONE is not one of them. */
enum {
    MAP_NONE = -1,
    MAP_KIND_FD = 2,
    MAP_KIND_FD_DELAYED = 3,
    MAP_KIND_FD_NOMAP = 16,
};

struct buffer {
    struct buffer *next;
    uint64_t id;
    uint64_t size;
    int client_fd;
    int fd;
    uint32_t shift; /* where the buffer begins in its file */
    struct guarded mapped;
    uint8_t *address; /* NULL: not mapped yet */
    unsigned uses;    /* number of calls and of shell_fd_get */
    bool gone;        /* the client no longer shares it */
    bool given;       /* HAP_mmap_get or remote_mem_map returned a pointer to it */
    int map_kind;     /* how the client mapped it, or MAP_NONE */
    uint64_t map_offset;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct buffer *buffers;

static struct buffer *by_id(uint64_t id)
{
    for (struct buffer *buffer = buffers; buffer != NULL; buffer = buffer->next) {
        if (buffer->id == id) {
            return buffer;
        }
    }
    return NULL;
}

/* The newest buffer is the first in the list: when the client reuses a descriptor's number, the
 * number means the newest buffer. */
static struct buffer *by_client_fd(int client_fd)
{
    for (struct buffer *buffer = buffers; buffer != NULL; buffer = buffer->next) {
        if (buffer->client_fd == client_fd && !buffer->gone) {
            return buffer;
        }
    }
    return NULL;
}

static void drop_if_unused(struct buffer *buffer)
{
    if (!buffer->gone || buffer->uses > 0) {
        return;
    }
    for (struct buffer **at = &buffers; *at != NULL; at = &(*at)->next) {
        if (*at == buffer) {
            *at = buffer->next;
            break;
        }
    }
    if (buffer->address != NULL) {
        region_remove(REGION_SHARED, buffer->address, NULL);
        guarded_retire(&buffer->mapped);
    }
    close(buffer->fd);
    free(buffer);
}

static int map_whole(struct buffer *buffer)
{
    if (buffer->address != NULL) {
        return AEE_SUCCESS;
    }
    if (buffer->size == 0 || buffer->size > 0x7fffffff) {
        return AEE_EMMAP;
    }
    errno = 0;
    size_t size = (size_t)buffer->size;
    if (!guarded_map_file(&buffer->mapped, buffer->fd, buffer->shift, size,
                          PROT_READ | PROT_WRITE) &&
        (errno != EACCES ||
         !guarded_map_file(&buffer->mapped, buffer->fd, buffer->shift, size, PROT_READ))) {
        shell_logf(SHELL_ERROR,
                   "a buffer of %llu bytes does not fit into the address space of the DSP process",
                   (unsigned long long)buffer->size);
        return AEE_EMMAP;
    }
    buffer->address = buffer->mapped.data;
    region_add(REGION_SHARED, buffer->address, size, (uint32_t)buffer->client_fd, 0);
    return AEE_SUCCESS;
}

int buffer_share(const struct wire_buffer *shared, int fd)
{
    struct buffer *buffer = calloc(1, sizeof *buffer);
    if (buffer == NULL) {
        close(fd);
        return AEE_ENOMEMORY;
    }
    *buffer = (struct buffer){.id = shared->id,
                              .size = shared->size,
                              .client_fd = shared->client_fd,
                              .shift = shared->shift,
                              .fd = fd,
                              .map_kind = MAP_NONE};
    pthread_mutex_lock(&lock);
    buffer->next = buffers;
    buffers = buffer;
    pthread_mutex_unlock(&lock);
    return AEE_SUCCESS;
}

int buffer_unshare(uint64_t id)
{
    pthread_mutex_lock(&lock);
    struct buffer *buffer = by_id(id);
    if (buffer != NULL) {
        buffer->gone = true;
        drop_if_unused(buffer);
    }
    pthread_mutex_unlock(&lock);
    return buffer == NULL ? AEE_ENOSUCHMAP : AEE_SUCCESS;
}

int buffer_acquire(uint64_t id, uint64_t offset, uint32_t length, void **address)
{
    pthread_mutex_lock(&lock);
    struct buffer *buffer = by_id(id);
    int code = AEE_EBADPARM;
    if (buffer != NULL && offset <= buffer->size && length <= buffer->size - offset) {
        code = map_whole(buffer);
    }
    if (code == AEE_SUCCESS) {
        buffer->uses++;
        *address = buffer->address + offset;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

void buffer_release(uint64_t id)
{
    pthread_mutex_lock(&lock);
    struct buffer *buffer = by_id(id);
    if (buffer != NULL) {
        buffer->uses--;
        drop_if_unused(buffer);
    }
    pthread_mutex_unlock(&lock);
}

bool buffer_given(uint64_t id)
{
    pthread_mutex_lock(&lock);
    const struct buffer *buffer = by_id(id);
    const bool given = buffer != NULL && buffer->given;
    pthread_mutex_unlock(&lock);
    return given;
}

/* Clients map whole pages of a device. */
static uint64_t rounded(const struct buffer *buffer)
{
    return (buffer->size + 4095) & ~4095ull;
}

int buffer_map(const struct wire_map *map, uint64_t *address)
{
    pthread_mutex_lock(&lock);
    struct buffer *buffer = by_id(map->id);
    int code = AEE_SUCCESS;
    *address = 0;
    if (buffer == NULL) {
        code = AEE_ENOSUCHMAP;
    } else if (buffer->map_kind != MAP_NONE) {
        code = AEE_EALREADY;
    } else if (map->offset > buffer->size || map->length > rounded(buffer) - map->offset) {
        code = AEE_EBADPARM;
    } else if (map->flags != MAP_KIND_FD_DELAYED && map->flags != MAP_KIND_FD_NOMAP) {
        code = map_whole(buffer);
    }
    if (code == AEE_SUCCESS) {
        buffer->map_kind = (int)map->flags;
        buffer->map_offset = map->offset;
        buffer->given = map->given != 0;
        *address = buffer->address == NULL ? 0
                                           : (uint64_t)(uintptr_t)(buffer->address + map->offset);
    }
    pthread_mutex_unlock(&lock);
    return code;
}

int buffer_unmap(uint64_t id)
{
    pthread_mutex_lock(&lock);
    struct buffer *buffer = by_id(id);
    int code = buffer == NULL || buffer->map_kind == MAP_NONE ? AEE_ENOSUCHMAP : AEE_SUCCESS;
    if (code == AEE_SUCCESS) {
        buffer->map_kind = MAP_NONE;
        buffer->given = false;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

/* ---- for the runtime ---- */

int shell_fd_size(int client_fd, uint64_t *size)
{
    pthread_mutex_lock(&lock);
    const struct buffer *buffer = by_client_fd(client_fd);
    if (buffer != NULL) {
        *size = buffer->size;
    }
    pthread_mutex_unlock(&lock);
    return buffer == NULL ? AEE_ENOSUCHMAP : AEE_SUCCESS;
}

int shell_fd_mapped(int client_fd, uint64_t *size)
{
    pthread_mutex_lock(&lock);
    const struct buffer *buffer = by_client_fd(client_fd);
    bool mapped = buffer != NULL && buffer->map_kind != MAP_NONE;
    if (mapped) {
        *size = buffer->size - buffer->map_offset;
    }
    pthread_mutex_unlock(&lock);
    return mapped ? AEE_SUCCESS : AEE_ENOSUCHMAP;
}

int shell_fd_map(int client_fd, uint64_t offset, size_t length, int prot, void **address)
{
    pthread_mutex_lock(&lock);
    const struct buffer *buffer = by_client_fd(client_fd);
    int code = AEE_ENOSUCHMAP;
    if (buffer != NULL) {
        code = AEE_EBADPARM;
        if (length > 0 && offset % 4096 == 0 && offset <= buffer->size &&
            length <= rounded(buffer) - offset) {
            struct guarded mapped;
            code = guarded_map_file(&mapped, buffer->fd, buffer->shift + offset, length, prot)
                       ? AEE_SUCCESS
                       : AEE_EMMAP;
            *address = mapped.data;
            if (code == AEE_SUCCESS) {
                region_add(REGION_SHARED, mapped.data, length, (uint32_t)client_fd,
                           mapped.has_guards);
            }
        }
    }
    pthread_mutex_unlock(&lock);
    return code;
}

int shell_fd_unmap(void *address, size_t length)
{
    struct region region;
    if (address == NULL || length == 0 || !region_remove(REGION_SHARED, address, &region)) {
        return AEE_EBADPARM;
    }
    struct guarded mapped = guarded_at(address, length, region.method != 0);
    guarded_retire(&mapped);
    return AEE_SUCCESS;
}

int shell_fd_get(int client_fd, void **address, uint64_t *size)
{
    pthread_mutex_lock(&lock);
    struct buffer *buffer = by_client_fd(client_fd);
    int code = buffer == NULL || buffer->map_kind != MAP_KIND_FD ? AEE_ERPC : AEE_SUCCESS;
    if (code == AEE_SUCCESS) {
        buffer->uses++;
        buffer->given = true;
        *address = buffer->address + buffer->map_offset;
        *size = buffer->size - buffer->map_offset;
    }
    pthread_mutex_unlock(&lock);
    if (code == AEE_SUCCESS) {
        in_arguments_given(*address, (size_t)*size);
    }
    return code;
}

int shell_fd_put(int client_fd)
{
    pthread_mutex_lock(&lock);
    struct buffer *buffer = NULL;
    for (struct buffer *at = buffers; at != NULL && buffer == NULL; at = at->next) {
        buffer = at->client_fd == client_fd && at->uses > 0 ? at : NULL;
    }
    if (buffer != NULL) {
        buffer->uses--;
        drop_if_unused(buffer);
    }
    pthread_mutex_unlock(&lock);
    return buffer == NULL ? AEE_ERPC : AEE_SUCCESS;
}
