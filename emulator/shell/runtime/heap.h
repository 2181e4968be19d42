/* heap.h: the heap of the DSP process, with a count of the bytes in use. */
#ifndef BUILDTOOL_RUNTIME_HEAP_H
#define BUILDTOOL_RUNTIME_HEAP_H

#include <stddef.h>
#include <stdint.h>

void *heap_malloc(size_t size);
void *heap_calloc(size_t count, size_t size);
void *heap_realloc(void *block, size_t size);
void *heap_memalign(size_t alignment, size_t size);
void heap_free(void *block);

/* Returns the allocation function with a plain name, as `malloc`, or NULL for other names. The
 * functions share their blocks with those that skels call as __wrap_malloc and so on. */
void *heap_plain(const char *name);

/* Returns the number of bytes that skels have allocated and not freed. */
uint64_t heap_used(void);

#endif
