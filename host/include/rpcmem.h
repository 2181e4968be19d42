/* rpcmem.h: memory that the ARM side and the DSP share without a copy.
 *
 * Names and values as in the open libcdsprpc (quic/fastrpc, inc/rpcmem.h). */
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

/* Map the buffer into the DSP process of every session, present and future.
 * That it could not be mapped is not an error. */
#define RPCMEM_TRY_MAP_STATIC 0x04000000

/* Heaps. */
#define RPCMEM_DEFAULT_HEAP (-1)
enum rpc_heap_ids {
    RPCMEM_HEAP_ID_SECURE = 9,
    RPCMEM_HEAP_ID_CONTIG = 22,
    RPCMEM_HEAP_ID_SYSTEM = 25
};

/* Of older clients; accepted and without effect. */
#define RPCMEM_HEAP_DEFAULT 0x80000000
#define RPCMEM_HEAP_NOREG 0x40000000
#define RPCMEM_HEAP_UNCACHED 0x20000000
#define RPCMEM_HEAP_NOVA 0x10000000
#define RPCMEM_HEAP_NONCOHERENT 0x08000000
#define RPCMEM_FORCE_NOFLUSH 0x01000000
#define RPCMEM_FORCE_NOINVALIDATE 0x02000000

/* Once before and once after use by programs that link a static rpcmem; with
 * the shared library neither is needed. */
void rpcmem_init(void);
void rpcmem_deinit(void);

/* A page-aligned buffer of `size` bytes, zeroed; NULL when there is none.
 * rpcmem_alloc takes up to 2 GiB, rpcmem_alloc2 any size. Libraries before
 * rpcmem_alloc2 exist: refer to it weakly, or by dlsym. */
void *rpcmem_alloc(int heapid, uint32 flags, int size);
void *rpcmem_alloc2(int heapid, uint32 flags, size_t size);

/* Frees a buffer of rpcmem_alloc; any other pointer is ignored. */
void rpcmem_free(void *po);

/* The file descriptor of a buffer of rpcmem_alloc; -1 for any other pointer, one
 * into a buffer included. The descriptor stays the library's. */
int rpcmem_to_fd(void *po);

__attribute__((unused)) static inline void *rpcmem_alloc_def(int size)
{
    return rpcmem_alloc(RPCMEM_HEAP_ID_SYSTEM, RPCMEM_DEFAULT_FLAGS, size);
}

#ifdef __cplusplus
}
#endif

#endif
