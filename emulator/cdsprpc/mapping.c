/* mapping.c: mappings of buffers in the DSP process that last longer than a call. */
#include <stdlib.h>
#include <unistd.h>

#include "buffers.h"
#include "memory.h"
#include "session.h"

#define PAGE 4096u

/* Converts a code of the DSP side to the ARM side's value. */
static int host_code(int code)
{
    unsigned offset = (unsigned)code - DSP_AEE_EOFFSET;
    return code == DSP_CODE(AEE_EBADSTATE) || offset > 0x3ff ? code : (int)offset;
}

/* `remote` may be NULL. */
static int map_on(struct session *session, int fd, uint64_t offset, uint64_t length, uint32_t flags,
                  uint64_t *remote)
{
    struct wire_map map = {
        .offset = offset, .length = length, .flags = flags, .given = remote != NULL};
    struct wire_header header = {.kind = WIRE_MAP};
    int code = buffers_share_fd(session, fd, &map.id);
    code = code != AEE_SUCCESS
               ? code
               : session_request(session, &header, &map, sizeof map, -1, NULL, NULL);
    if (remote != NULL) {
        *remote = header.handle;
    }
    return host_code(code);
}

EXPORT int fastrpc_mmap(int domain, int fd, void *addr, int offset, size_t length,
                        enum fastrpc_map_flags flags)
{
    struct session *session;
    (void)addr;
    if (flags == FASTRPC_MAP_FD_EXTENDED || flags == FASTRPC_MAP_FD_DELAYED_EXTENDED) {
        /* The addresses of this DSP have 32 bits. */
        flags = flags == FASTRPC_MAP_FD_EXTENDED ? FASTRPC_MAP_FD : FASTRPC_MAP_FD_DELAYED;
    }
    if (flags != FASTRPC_MAP_STATIC && flags != FASTRPC_MAP_FD && flags != FASTRPC_MAP_FD_DELAYED &&
        flags != FASTRPC_MAP_FD_NOMAP) {
        return AEE_EBADPARM;
    }
    if (fd < 0 || length == 0 || offset < 0) {
        return AEE_EBADPARM;
    }
    int code = session_get(domain, true, &session);
    if (code != AEE_SUCCESS) {
        return code;
    }
    code = map_on(session, fd, (uint64_t)offset, length, (uint32_t)flags, NULL);
    session_put(session);
    return code;
}

static int unmap_on(struct session *session, int fd)
{
    struct wire_header header = {.kind = WIRE_UNMAP};
    if (!buffers_has_fd(fd)) {
        return AEE_EINVALIDFD;
    }
    int code = buffers_share_fd(session, fd, &header.handle);
    code = code != AEE_SUCCESS ? code : session_request(session, &header, NULL, 0, -1, NULL, NULL);
    return code == DSP_CODE(AEE_ENOSUCHMAP) ? AEE_EINVALIDFD : host_code(code);
}

EXPORT int fastrpc_munmap(int domain, int fd, void *addr, size_t length)
{
    struct session *session;
    (void)addr;
    (void)length;
    int code = session_get(domain, false, &session);
    if (code != AEE_SUCCESS) {
        return code == AEE_ENOSUCH ? AEE_EINVALIDFD : code;
    }
    code = unmap_on(session, fd);
    session_put(session);
    return code;
}

/* A mapping of remote_mem_map or the remote_mmap functions, found by the DSP's address. */
struct mapped {
    struct mapped *next;
    int domain;
    int fd;
    bool ours; /* memory that only the DSP uses */
    uint64_t remote;
};

static pthread_mutex_t mapped_lock = PTHREAD_MUTEX_INITIALIZER;
static struct mapped *mapped_list;

EXPORT int remote_mem_map(int domain, int fd, int flags, uint64_t virtAddr, size_t size,
                          uint64_t *remoteVirtAddr)
{
    struct session *session;
    (void)virtAddr;
    if (remoteVirtAddr == NULL || size == 0 || flags != REMOTE_MAP_MEM_STATIC) {
        return AEE_EBADPARM;
    }
    struct mapped *mapped = calloc(1, sizeof *mapped);
    if (mapped == NULL) {
        return AEE_ENOMEMORY;
    }
    mapped->domain = domain;
    mapped->ours = fd <= 0;
    mapped->fd = fd <= 0 ? memory_file((size + PAGE - 1) & ~(size_t)(PAGE - 1)) : fd;
    int code = mapped->fd < 0 ? AEE_ENOMEMORY : session_get(domain, true, &session);
    if (code == AEE_SUCCESS) {
        code = map_on(session, mapped->fd, 0, size, FASTRPC_MAP_STATIC, &mapped->remote);
        session_put(session);
    }
    if (code != AEE_SUCCESS) {
        if (mapped->ours && mapped->fd >= 0) {
            close(mapped->fd);
        }
        free(mapped);
        return code;
    }
    *remoteVirtAddr = mapped->remote;
    pthread_mutex_lock(&mapped_lock);
    mapped->next = mapped_list;
    mapped_list = mapped;
    pthread_mutex_unlock(&mapped_lock);
    return AEE_SUCCESS;
}

EXPORT int remote_mem_unmap(int domain, uint64_t remoteVirtAddr, size_t size)
{
    (void)size;
    pthread_mutex_lock(&mapped_lock);
    struct mapped **at = &mapped_list;
    while (*at != NULL && ((*at)->remote != remoteVirtAddr || (*at)->domain != domain)) {
        at = &(*at)->next;
    }
    struct mapped *mapped = *at;
    if (mapped != NULL) {
        *at = mapped->next;
    }
    pthread_mutex_unlock(&mapped_lock);
    if (mapped == NULL) {
        return AEE_EBADPARM;
    }
    int code = fastrpc_munmap(domain, mapped->fd, NULL, size);
    if (mapped->ours) {
        buffers_remove_fd(mapped->fd);
        close(mapped->fd);
    }
    free(mapped);
    return code;
}

EXPORT int remote_mmap64(int fd, uint32_t flags, uint64_t vaddrin, int64_t size, uint64_t *vaddrout)
{
    (void)flags;
    return size <= 0
               ? AEE_EBADPARM
               : remote_mem_map(-1, fd, REMOTE_MAP_MEM_STATIC, vaddrin, (size_t)size, vaddrout);
}

EXPORT int remote_munmap64(uint64_t vaddrout, int64_t size)
{
    return remote_mem_unmap(-1, vaddrout, (size_t)size);
}

EXPORT int remote_mmap(int fd, uint32_t flags, uint32_t vaddrin, int size, uint32_t *vaddrout)
{
    uint64_t remote = 0;
    if (vaddrout == NULL) {
        return AEE_EBADPARM;
    }
    int code = remote_mmap64(fd, flags, vaddrin, size, &remote);
    *vaddrout = (uint32_t)remote;
    return code;
}

EXPORT int remote_munmap(uint32_t vaddrout, int size)
{
    return remote_munmap64(vaddrout, size);
}
