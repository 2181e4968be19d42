/* rpcmem.c: memory that is shared with the DSP. A buffer is a memfd, which replaces a dma-buf. */
#define _GNU_SOURCE
#include "rpcmem.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "internal.h"

#define PAGE 4096u

int memory_file(size_t size)
{
    int fd = (int)syscall(SYS_memfd_create, "rpcmem", 1u /* MFD_CLOEXEC */);
    if (fd >= 0 && ftruncate(fd, (off_t)size) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

EXPORT void *rpcmem_alloc2(int heapid, uint32 flags, size_t size)
{
    (void)heapid;
    (void)flags;
    if (size == 0 || size > SIZE_MAX / 2) {
        return NULL;
    }
    size_t pages = (size + PAGE - 1) & ~(size_t)(PAGE - 1);
    int fd = memory_file(pages);
    if (fd < 0) {
        return NULL;
    }
    void *address = mmap(NULL, pages, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (address == MAP_FAILED) {
        close(fd);
        return NULL;
    }
    if (buffers_add(address, pages, fd, fd, true) != AEE_SUCCESS) {
        munmap(address, pages);
        close(fd);
        return NULL;
    }
    return address;
}

EXPORT void *rpcmem_alloc(int heapid, uint32 flags, int size)
{
    return size <= 0 ? NULL : rpcmem_alloc2(heapid, flags, (size_t)size);
}

EXPORT void rpcmem_free(void *po)
{
    size_t size;
    int client_fd;
    int fd = po == NULL ? -1 : buffers_remove(po, true, &size, &client_fd);
    if (fd >= 0) {
        munmap(po, size);
        close(fd);
    }
}

EXPORT int rpcmem_to_fd(void *po)
{
    return po == NULL ? -1 : buffers_fd_of(po);
}

EXPORT void rpcmem_init(void)
{
}

EXPORT void rpcmem_deinit(void)
{
}
