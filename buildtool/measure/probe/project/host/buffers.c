/* buffers.c: buffers that both sides share without copies. */
#include <inttypes.h>
#include <linux/dma-buf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "AEEStdErr.h"
#include "checks.h"
#include "pattern.h"
#include "rpcmem.h"

#define MIB (1 << 20)
#define ADDRESSABLE_KIB ((int64_t)4 << 20)

typedef int map_function(int domain, int fd, void *address, int offset, size_t length,
                         enum fastrpc_map_flags flags);
typedef int unmap_function(int domain, int fd, void *address, size_t length);

enum {
    WORDS = MIB / 4,
    TURNS = 300, /* times TURN_BYTES: more than a DSP process can map at once */
    TURN_BYTES = 16 * MIB,
    LARGEST_PIECE = 256 * MIB,
    SMALLEST_PIECE = 4 * MIB,
    PIECES_MAX = 64
};

/* Older libraries lack them. */
static int find_functions(map_function **map, unmap_function **unmap)
{
    *(void **)map = library_function("fastrpc_mmap");
    *(void **)unmap = library_function("fastrpc_munmap");
    return *map != NULL && *unmap != NULL;
}

static void *allocate(int bytes)
{
    return rpcmem_alloc(RPCMEM_HEAP_ID_SYSTEM, RPCMEM_FLAG_CACHED, bytes);
}

/* Keeps the cache of this side in step with memory; without effect on an emulated device. */
static void sync_cache(int fd, uint64_t flags)
{
    struct dma_buf_sync sync = {.flags = flags};

    (void)ioctl(fd, DMA_BUF_IOCTL_SYNC, &sync);
}

/* The DSP reads what was written here, and the other way round; and a buffer that is mapped for
 * calls only is not found there. */
int check_zero_copy(remote_handle64 handle)
{
    map_function *map;
    unmap_function *unmap;
    uint32_t *buffer, wrong = 0, wrong_here = 0;
    int32_t found = 0;
    int fd, code;

    if (!find_functions(&map, &unmap))
        return 0;
    begin_step("rpcmem_alloc");
    buffer = allocate(MIB);
    if (buffer == NULL)
        return AEE_ENOMEMORY;
    fd = rpcmem_to_fd(buffer);
    sync_cache(fd, DMA_BUF_SYNC_START | DMA_BUF_SYNC_WRITE);
    for (uint32_t i = 0; i < WORDS; i++)
        buffer[i] = pattern_word(7, i);
    sync_cache(fd, DMA_BUF_SYNC_END | DMA_BUF_SYNC_WRITE);
    begin_step("fastrpc_mmap");
    code = map(probed_domain, fd, buffer, 0, MIB, FASTRPC_MAP_FD);
    if (code != 0)
        return code;
    begin_step("HAP_mmap_get");
    code = device_probe_check_buffer(handle, fd, WORDS, 7, &found, &wrong);
    if (code != 0)
        return code;
    sync_cache(fd, DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ);
    for (uint32_t i = 0; found == 0 && i < WORDS; i++)
        wrong_here += buffer[i] != ~pattern_word(7, i);
    sync_cache(fd, DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ);
    printf("found %" PRId32 "\nwrong %" PRIu32 "\nwrong_here %" PRIu32 "\n", found, wrong,
           wrong_here);
    begin_step("fastrpc_munmap");
    code = unmap(probed_domain, fd, buffer, MIB);
    if (code != 0)
        return code;
    found = map(probed_domain, fd, buffer, 0, MIB, FASTRPC_MAP_STATIC);
    if (found == 0) {
        begin_step("HAP_mmap_get");
        code = device_probe_check_buffer(handle, fd, 0, 7, &found, &wrong);
        unmap(probed_domain, fd, buffer, MIB);
    }
    printf("static %" PRId32 "\n", found);
    rpcmem_free(buffer);
    return code;
}

/* A buffer is not found after it was unmapped, and its addresses can be used again. */
int check_unmap(remote_handle64 handle)
{
    map_function *map;
    unmap_function *unmap;
    uint32_t wrong;
    int32_t found = 0;
    int code = 0, turn;

    if (!find_functions(&map, &unmap))
        return 0;
    for (turn = 0; turn < TURNS && code == 0; turn++) {
        void *buffer;
        int fd;

        begin_step("rpcmem_alloc");
        buffer = allocate(TURN_BYTES);
        if (buffer == NULL)
            return AEE_ENOMEMORY;
        fd = rpcmem_to_fd(buffer);
        begin_step("fastrpc_mmap");
        code = map(probed_domain, fd, buffer, 0, TURN_BYTES, FASTRPC_MAP_FD);
        if (code == 0) {
            begin_step("fastrpc_munmap");
            code = unmap(probed_domain, fd, buffer, TURN_BYTES);
        }
        if (code == 0 && turn == 0) {
            begin_step("HAP_mmap_get");
            code = device_probe_check_buffer(handle, fd, 0, 0, &found, &wrong);
            printf("found %" PRId32 "\n", found);
        }
        rpcmem_free(buffer);
    }
    printf("turns %d\nbytes %d\n", turn - (code != 0), TURN_BYTES);
    return code;
}

/* Bytes that may be allocated without harm to other programs: half of what is free, and no more than a
 * DSP process can address. */
static int64_t allowance(void)
{
    static const char key[] = "MemAvailable:";
    char line[128];
    long long kib = 0;
    FILE *file = fopen("/proc/meminfo", "r");

    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, key, sizeof key - 1) == 0)
            kib = strtoll(line + sizeof key - 1, NULL, 10);
    if (file != NULL)
        fclose(file);
    return kib / 2 < ADDRESSABLE_KIB ? (int64_t)kib / 2 * 1024 : ADDRESSABLE_KIB * 1024;
}

/* Maps pieces until one cannot be mapped, then smaller ones. */
int check_map_size(remote_handle64 handle)
{
    map_function *map;
    unmap_function *unmap;
    void *pieces[PIECES_MAX];
    int sizes[PIECES_MAX], count = 0, size = LARGEST_PIECE, code = 0;
    const int64_t allowed = allowance();
    int64_t mapped = 0;

    (void)handle;
    if (!find_functions(&map, &unmap))
        return 0;
    begin_step("fastrpc_mmap");
    while (count < PIECES_MAX && size >= SMALLEST_PIECE) {
        void *piece = NULL;

        if (mapped + size <= allowed) {
            piece = allocate(size);
            code = piece == NULL ? AEE_ENOMEMORY
                                 : map(probed_domain, rpcmem_to_fd(piece), piece, 0, (size_t)size,
                                       FASTRPC_MAP_FD);
        }
        if (piece != NULL && code == 0) {
            pieces[count] = piece;
            sizes[count++] = size;
            mapped += size;
        } else {
            if (piece != NULL)
                rpcmem_free(piece);
            size /= 2;
        }
    }
    printf("bytes %" PRId64 "\nallowed %" PRId64 "\ncode %d\n", mapped, allowed, code);
    while (count-- > 0) {
        unmap(probed_domain, rpcmem_to_fd(pieces[count]), pieces[count], (size_t)sizes[count]);
        rpcmem_free(pieces[count]);
    }
    return 0;
}
