/* qurt_types.h: addresses, sizes and memory attributes.
 *
 * The interface (names, signatures, layout) is that documented for QuRT in the Hexagon SDK. */
#ifndef QURT_TYPES_H
#define QURT_TYPES_H

#include "qurt_consts.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned int qurt_addr_t;
typedef unsigned int qurt_paddr_t;
typedef unsigned long long qurt_paddr_64_t;
typedef unsigned int qurt_mem_region_t;
typedef unsigned int qurt_mem_pool_t;
typedef unsigned int qurt_size_t;

typedef enum {
    QURT_MEM_CACHE_WRITEBACK_NONL2CACHEABLE = 0,
    QURT_MEM_CACHE_WRITETHROUGH_NONL2CACHEABLE = 1,
    QURT_MEM_CACHE_DEVICE_SFC = 2,
    QURT_MEM_CACHE_DEVICE = 4,
    QURT_MEM_CACHE_NONE = 4,
    QURT_MEM_CACHE_WRITETHROUGH = 5,
    QURT_MEM_CACHE_WRITETHROUGH_L2CACHEABLE = 5,
    QURT_MEM_CACHE_NONE_SHARED = 6,
    QURT_MEM_CACHE_WRITEBACK = 7,
    QURT_MEM_CACHE_WRITEBACK_L2CACHEABLE = 7,
    QURT_MEM_CACHE_INVALID = 10
} qurt_mem_cache_mode_t;

typedef enum {
    QURT_PERM_READ = 1,
    QURT_PERM_WRITE = 2,
    QURT_PERM_EXECUTE = 4,
    QURT_PERM_FULL = QURT_PERM_READ | QURT_PERM_WRITE | QURT_PERM_EXECUTE
} qurt_perm_t;

typedef enum { QURT_MEM_ICACHE, QURT_MEM_DCACHE } qurt_mem_cache_type_t;

typedef enum {
    QURT_MEM_CACHE_FLUSH,
    QURT_MEM_CACHE_INVALIDATE,
    QURT_MEM_CACHE_FLUSH_INVALIDATE,
    QURT_MEM_CACHE_FLUSH_ALL,
    QURT_MEM_CACHE_FLUSH_INVALIDATE_ALL,
    QURT_MEM_CACHE_TABLE_FLUSH_INVALIDATE,
    QURT_MEM_CACHE_FLUSH_INVALIDATE_L2
} qurt_mem_cache_op_t;

#ifdef __cplusplus
}
#endif

#endif
