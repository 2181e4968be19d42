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

/* Where a buffer is in its file, and its size as the DSP sees it. */
struct layout {
    size_t size, shift, file_size;
};

static struct layout layout_of(size_t asked)
{
    size_t pages = (asked + PAGE - 1) & ~(size_t)(PAGE - 1);
    struct layout layout = {.size = pages, .file_size = pages};
    if (strict_mode()[0] != 0) {
        layout.size = asked;
        layout.shift = strict_layout(asked, &layout.file_size);
    }
    return layout;
}

EXPORT void *rpcmem_alloc2(int heapid, uint32 flags, size_t size)
{
    (void)heapid;
    (void)flags;
    if (size == 0 || size > SIZE_MAX / 2) {
        return NULL;
    }
    struct layout layout = layout_of(size);
    int fd = memory_file(layout.file_size);
    if (fd < 0) {
        return NULL;
    }
    uint8_t *file = mmap(NULL, layout.file_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (file == MAP_FAILED) {
        close(fd);
        return NULL;
    }
    if (buffers_add(file + layout.shift, layout.size, fd, fd, true, layout.shift) != AEE_SUCCESS) {
        munmap(file, layout.file_size);
        close(fd);
        return NULL;
    }
    return file + layout.shift;
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
        struct layout layout = layout_of(size);
        munmap((uint8_t *)po - layout.shift, layout.file_size);
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
