/* rpcmem.c: memory that is shared with the DSP. A buffer is a memfd, which replaces a dma-buf. */
#define _GNU_SOURCE
#include "rpcmem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "buffers.h"
#include "memory.h"

#define PAGE 4096u
#define DSP_PAGE 0x10000u /* of the emulated DSP */
#define VECTOR 128u       /* bytes of an HVX vector, to which buffers are aligned */

static size_t round_up(size_t size, size_t unit)
{
    return (size + unit - 1) & ~(unit - 1);
}

/* Where a buffer is in its file, and its size as the DSP sees it. */
struct layout {
    size_t size, shift, file_size;
    size_t guard; /* bytes without access on both sides, which the program must not use */
};

/* In the strict modes a buffer ends, or begins ("front"), at a page of the DSP, and is between
 * unmapped pages. */
static struct layout layout_of(size_t asked)
{
    size_t pages = round_up(asked, PAGE);
    if (strict_mode()[0] == 0) {
        return (struct layout){.size = pages, .file_size = pages};
    }
    size_t vectors = round_up(asked, VECTOR);
    struct layout layout = {
        .size = asked, .file_size = round_up(vectors, DSP_PAGE), .guard = DSP_PAGE};
    layout.shift = strcmp(strict_mode(), "front") == 0 ? 0 : layout.file_size - vectors;
    return layout;
}

/* Maps a file between its guards. Returns MAP_FAILED on failure. */
static uint8_t *map_file(int fd, const struct layout *layout)
{
    const size_t whole = layout->file_size + 2 * layout->guard;
    uint8_t *start = mmap(NULL, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                          0);
    if (start == MAP_FAILED) {
        return MAP_FAILED;
    }
    uint8_t *file = mmap(start + layout->guard, layout->file_size, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_FIXED, fd, 0);
    if (file == MAP_FAILED) {
        munmap(start, whole);
    }
    return file;
}

static void unmap_file(uint8_t *file, const struct layout *layout)
{
    munmap(file - layout->guard, layout->file_size + 2 * layout->guard);
}

static void *allocate(size_t size, const void *caller)
{
    if (size == 0 || size > SIZE_MAX / 2) {
        return NULL;
    }
    struct layout layout = layout_of(size);
    int fd = memory_file(layout.file_size);
    if (fd < 0) {
        return NULL;
    }
    uint8_t *file = map_file(fd, &layout);
    if (file == MAP_FAILED) {
        close(fd);
        return NULL;
    }
    if (buffers_add(file + layout.shift, layout.size, fd, fd, caller, layout.shift) !=
        AEE_SUCCESS) {
        unmap_file(file, &layout);
        close(fd);
        return NULL;
    }
    return file + layout.shift;
}

EXPORT void *rpcmem_alloc2(int heapid, uint32 flags, size_t size)
{
    (void)heapid;
    (void)flags;
    return allocate(size, __builtin_return_address(0));
}

EXPORT void *rpcmem_alloc(int heapid, uint32 flags, int size)
{
    (void)heapid;
    (void)flags;
    return size <= 0 ? NULL : allocate((size_t)size, __builtin_return_address(0));
}

EXPORT void rpcmem_free(void *po)
{
    size_t size;
    int client_fd;
    int fd = po == NULL ? -1 : buffers_remove(po, true, &size, &client_fd);
    if (fd >= 0) {
        struct layout layout = layout_of(size);
        unmap_file((uint8_t *)po - layout.shift, &layout);
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
