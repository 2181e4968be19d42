/* qurt_memory.h: cache maintenance.
 *
 * The interface (names, signatures, layout) is that documented for QuRT in the Hexagon SDK.
 *
 * On no known DSP shell: qurt_mem_l2cache_line_lock, qurt_mem_l2cache_line_unlock. */
#ifndef QURT_MEMORY_H
#define QURT_MEMORY_H

#include "qurt_error.h"
#include "qurt_types.h"

#ifdef __cplusplus
extern "C" {
#endif

int qurt_mem_cache_clean(qurt_addr_t addr, qurt_size_t size, qurt_mem_cache_op_t opcode,
                         qurt_mem_cache_type_t type);
int qurt_mem_cache_clean2(qurt_addr_t addr, qurt_size_t size, qurt_mem_cache_op_t opcode,
                          qurt_mem_cache_type_t type);

/* Returns QURT_EALIGN unless address and size are multiples of 32. */
int qurt_mem_l2cache_line_lock(qurt_addr_t addr, qurt_size_t size);
int qurt_mem_l2cache_line_unlock(qurt_addr_t addr, qurt_size_t size);

#ifdef __cplusplus
}
#endif

#endif
