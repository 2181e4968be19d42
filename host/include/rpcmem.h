/* rpcmem.h: memory that the ARM side and the DSP share without copies.
 *
 * The names and values are those of the open-source libcdsprpc (quic/fastrpc, inc/rpcmem.h). */
#ifndef RPCMEM_H
#define RPCMEM_H

#include <stddef.h>
#include <stdint.h>

#include "AEEStdDef.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Flags of rpcmem_alloc. */
#define RPCMEM_FLAG_UNCACHED 0
#ifdef ION_FLAG_CACHED
#define RPCMEM_DEFAULT_FLAGS ION_FLAG_CACHED
#else
#define RPCMEM_DEFAULT_FLAGS 1
#endif
#define RPCMEM_FLAG_CACHED RPCMEM_DEFAULT_FLAGS

/* Maps the buffer into the DSP processes of all present and future sessions. A failure to map it is
 * not an error. */
#define RPCMEM_TRY_MAP_STATIC 0x04000000

/* Heaps. */
#define RPCMEM_DEFAULT_HEAP (-1)
enum rpc_heap_ids {
    RPCMEM_HEAP_ID_SECURE = 9,
    RPCMEM_HEAP_ID_CONTIG = 22,
    RPCMEM_HEAP_ID_SYSTEM = 25
};

/* Used by older clients. Accepted, but without effect. */
#define RPCMEM_HEAP_DEFAULT 0x80000000
#define RPCMEM_HEAP_NOREG 0x40000000
#define RPCMEM_HEAP_UNCACHED 0x20000000
#define RPCMEM_HEAP_NOVA 0x10000000
#define RPCMEM_HEAP_NONCOHERENT 0x08000000
#define RPCMEM_FORCE_NOFLUSH 0x01000000
#define RPCMEM_FORCE_NOINVALIDATE 0x02000000

/* Programs that link a static rpcmem call these once before and once after its use. The shared
 * library needs neither. */
void rpcmem_init(void);
void rpcmem_deinit(void);

/* Allocate a page-aligned, zeroed buffer of `size` bytes. Return NULL on failure. rpcmem_alloc
 * supports up to 2 GiB, and rpcmem_alloc2 supports any size. Older libraries lack rpcmem_alloc2:
 * use a weak reference or dlsym. */
void *rpcmem_alloc(int heapid, uint32 flags, int size);
void *rpcmem_alloc2(int heapid, uint32 flags, size_t size);

/* Frees a buffer of rpcmem_alloc. Ignores any other pointer. */
void rpcmem_free(void *po);

/* Returns the file descriptor of a buffer of rpcmem_alloc, or -1 for any other pointer, including a
 * pointer into a buffer. The library owns the descriptor. */
int rpcmem_to_fd(void *po);

__attribute__((unused)) static inline void *rpcmem_alloc_def(int size)
{
    return rpcmem_alloc(RPCMEM_HEAP_ID_SYSTEM, RPCMEM_DEFAULT_FLAGS, size);
}

#ifdef __cplusplus
}
#endif

#endif
