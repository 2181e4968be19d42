/* register.c: registers buffers and descriptors that do not come from rpcmem_alloc. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buffers.h"
#include "log.h"

static void forget(const void *buf)
{
    size_t size;
    int client_fd;
    int fd = buffers_remove(buf, false, &size, &client_fd);
    if (fd >= 0) {
        close(fd);
    }
}

EXPORT void remote_register_buf_attr2(void *buf, size_t size, int fd, int attr)
{
    (void)attr;
    if (buf == NULL) {
        return;
    }
    forget(buf);
    if (fd == -1 || size == 0 || buffers_fd_of(buf) >= 0) {
        return; /* deregistered, or already known because it is from rpcmem_alloc */
    }
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (own < 0 || buffers_add(buf, size, fd, own, NULL, 0) != AEE_SUCCESS) {
        log_message("remote_register_buf: descriptor %d cannot be shared: %s", fd, strerror(errno));
        if (own >= 0) {
            close(own);
        }
    }
}

EXPORT void remote_register_buf_attr(void *buf, int size, int fd, int attr)
{
    remote_register_buf_attr2(buf, size < 0 ? 0 : (size_t)size, fd, attr);
}

EXPORT void remote_register_buf(void *buf, int size, int fd)
{
    remote_register_buf_attr(buf, size, fd, FASTRPC_ATTR_NONE);
}

EXPORT void *remote_register_fd2(int fd, size_t size)
{
    if (fd < 0 || size == 0) {
        errno = EINVAL;
        return (void *)-1;
    }
    /* Calls use only the address, to identify the buffer. */
    void *address = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (address != MAP_FAILED) {
        remote_register_buf_attr2(address, size, fd, FASTRPC_ATTR_NONE);
    }
    return address;
}

EXPORT void *remote_register_fd(int fd, int size)
{
    return remote_register_fd2(fd, size < 0 ? 0 : (size_t)size);
}

/* Deregisters the descriptor when both len and attr are 0. */
EXPORT int remote_register_dma_handle_attr(int fd, uint32_t len, uint32_t attr)
{
    struct stat status;
    if (fd < 0) {
        return AEE_EBADPARM;
    }
    if (len == 0 && attr == 0) {
        buffers_remove_fd(fd);
        return AEE_SUCCESS;
    }
    if (buffers_has_fd(fd)) {
        return AEE_SUCCESS;
    }
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (own < 0 || fstat(own, &status) != 0 || !S_ISREG(status.st_mode) ||
        buffers_add(NULL, len, fd, own, NULL, 0) != AEE_SUCCESS) {
        if (own >= 0) {
            close(own);
        }
        return AEE_EINVALIDFD;
    }
    return AEE_SUCCESS;
}

EXPORT int remote_register_dma_handle(int fd, uint32_t len)
{
    return remote_register_dma_handle_attr(fd, len, FASTRPC_ATTR_NONE);
}
