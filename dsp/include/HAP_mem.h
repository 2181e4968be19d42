/* HAP_mem.h: the heap of a DSP process, and mappings of the ARM side's buffers.
 *
 * The interface is that documented for the Hexagon SDK (HAP_mem).
 *
 * HAP_mmap_get finds buffers that the ARM side has mapped with fastrpc_mmap(FASTRPC_MAP_FD), and
 * those that HAP_mmap has mapped.
 * HAP_mmap maps buffers of fastrpc_mmap(FASTRPC_MAP_FD_DELAYED) and those passed as a dma handle.
 *
 * Not on every DSP shell: HAP_mmap2, HAP_munmap2. */
#ifndef HAP_MEM_H
#define HAP_MEM_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "AEEStdDef.h"
#include "AEEStdErr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Protection and cache policy of a mapping, combined with `|`. */
#define HAP_PROT_NONE 0x00
#define HAP_PROT_READ 0x01
#define HAP_PROT_WRITE 0x02
#define HAP_PROT_EXEC 0x04
#define HAP_MEM_CACHE_WRITEBACK 0x10
#define HAP_MEM_CACHE_NON_SHARED 0x20
#define HAP_MEM_CACHE_WRITETHROUGH 0x40

/* Flags of HAP_mem_request. HAP_MEM_FLAGS_EXTENDED_MAP asks for an address beyond 4 GiB, which the
 * emulated device never gives: it maps below. */
#define HAP_MEM_FLAGS_SKIP_DSP_MAP 0
#define HAP_MEM_FLAGS_DSP_MAP 1
#define HAP_MEM_FLAGS_EXTENDED_MAP 2

/* Returns AEE_ENOMEMORY when the heap is exhausted. */
static inline int HAP_malloc(uint32 bytes, void **pptr)
{
    *pptr = malloc(bytes);
    return *pptr ? AEE_SUCCESS : AEE_ENOMEMORY;
}

/* Returns AEE_EBADCLASS for NULL. */
static inline int HAP_free(void *ptr)
{
    if (!ptr)
        return AEE_EBADCLASS;
    free(ptr);
    return AEE_SUCCESS;
}

struct HAP_mem_stats {
    uint64 bytes_free;
    uint64 bytes_used;
    uint64 seg_free;
    uint64 seg_used;
    uint64 min_grow_bytes;
};

int HAP_mem_get_stats(struct HAP_mem_stats *stats);
int HAP_mem_set_grow_size(uint64 min, uint64 max);
int HAP_mem_set_heap_thresholds(unsigned int low_largest_block_size,
                                unsigned int high_largest_block_size);

/* Returns the bytes of free stack of the calling thread. */
uint64 HAP_mem_available_stack(void) __attribute__((weak));

/* Maps the buffer with the descriptor `fd`, or adds a reference if it is already mapped. `addr`
 * must be NULL. Returns (void *)-1 on failure. */
void *HAP_mmap(void *addr, int len, int prot, int flags, int fd, long offset);
void *HAP_mmap2(void *addr, size_t len, int prot, int flags, int fd, long offset);

/* Drops a reference. Dropping the last one unmaps the buffer. Returns AEE_ENOSUCHMAP for an unknown
 * address. */
int HAP_munmap(void *addr, int len);
int HAP_munmap2(void *addr, size_t len);

/* Finds the address of a buffer that is mapped on the DSP, and adds a reference. `vaddr` and
 * `paddr` may be NULL. */
int HAP_mmap_get(int fd, void **vaddr, uint64 *paddr);
int HAP_mmap_put(int fd);

/* One function for several requests (SM8750 and later). */
typedef enum {
    HAP_MEM_LOG_BLOCKS = 1,
    HAP_MEM_SET_MARKER = 2,
    HAP_MEM_MAP = 3,
    HAP_MEM_UNMAP = 4,
    HAP_RESERVE_VA = 5,
    HAP_UNRESERVE_VA = 6
} HAP_mem_req_t;

typedef enum { START = 0, END } marker_t;

typedef struct {
    marker_t marker_type;
    uint16_t instance;
} HAP_mem_marker_payload_t;

typedef struct {
    uint64_t addr; /* reserved address, or 0 */
    uint64_t len;
    int prot;
    int flags;
    int fd;
    uint64_t dsp_pa; /* offset into the buffer */
    uint64_t dsp_va; /* out */
} HAP_mem_map_t;

typedef struct {
    uint64_t dsp_va;
    uint64_t len;
} HAP_mem_unmap_t;

typedef struct {
    uint64_t len;
    int prot;
    int flags;
    uint64_t dsp_va; /* out */
} HAP_mem_reserve_t;

typedef struct {
    uint64_t dsp_va;
    uint64_t len;
} HAP_mem_unreserve_t;

typedef struct {
    HAP_mem_req_t request_id;
    union {
        HAP_mem_marker_payload_t mem_marker_payload;
        HAP_mem_map_t mmap;
        HAP_mem_unmap_t munmap;
        HAP_mem_reserve_t reserve;
        HAP_mem_unreserve_t unreserve;
    };
} HAP_mem_req_payload_t;

int HAP_mem_request(HAP_mem_req_payload_t *mem_payload) __attribute__((weak));

#ifdef __cplusplus
}
#endif

#endif
