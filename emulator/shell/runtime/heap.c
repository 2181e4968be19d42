/* heap.c: the heap of the DSP process: musl's allocator with a count of the bytes in use. */
#define _GNU_SOURCE
#include "heap.h"

#include <malloc.h>
#include <stdlib.h>

static uint64_t used;

static void *counted(void *block)
{
    if (block != NULL) {
        __atomic_add_fetch(&used, malloc_usable_size(block), __ATOMIC_RELAXED);
    }
    return block;
}

void *heap_malloc(size_t size)
{
    return counted(malloc(size));
}

void *heap_calloc(size_t count, size_t size)
{
    return counted(calloc(count, size));
}

void *heap_memalign(size_t alignment, size_t size)
{
    return counted(memalign(alignment, size));
}

void *heap_realloc(void *block, size_t size)
{
    uint64_t before = block == NULL ? 0 : malloc_usable_size(block);
    void *after = realloc(block, size);
    if (after != NULL) {
        __atomic_sub_fetch(&used, before, __ATOMIC_RELAXED);
    }
    return counted(after);
}

void heap_free(void *block)
{
    if (block != NULL) {
        __atomic_sub_fetch(&used, malloc_usable_size(block), __ATOMIC_RELAXED);
        free(block);
    }
}

uint64_t heap_used(void)
{
    return __atomic_load_n(&used, __ATOMIC_RELAXED);
}
