/* heap.c: the heap of the DSP process.
 *
 * Blocks are musl's, with bytes around them that show an overrun when the block is freed. With
 * --strict, each block has pages of its own. The table of regions has the size of each block. */
#define _GNU_SOURCE
#include "heap.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../guarded.h"
#include "../regions.h"
#include "runtime.h"

#define EDGE 16u /* bytes on each side of a block */
#define EDGE_BYTE 0xc5
#define ALIGNMENT 16u       /* of malloc */
#define STRICT_ALIGNMENT 8u /* the largest alignment that C needs: the end is exact to 8 bytes */

static uint64_t used;

static void stop(const char *kind, const void *block, uintptr_t address, const char *what,
                 size_t size) __attribute__((noreturn));

static void stop(const char *kind, const void *block, uintptr_t address, const char *what,
                 size_t size)
{
    char text[160];
    snprintf(text, sizeof text, "%s (block 0x%lx, %zu bytes)", what,
             (unsigned long)(uintptr_t)block, size);
    shell_stop(kind, address, text);
}

/* Counts the bytes. Returns false when the heap has no room for them. */
static bool count(size_t size)
{
    uint64_t limit = shell_facts()->heap_bytes;
    if (size > limit) {
        return false;
    }
    if (__atomic_add_fetch(&used, size, __ATOMIC_RELAXED) > limit) {
        __atomic_sub_fetch(&used, size, __ATOMIC_RELAXED);
        return false;
    }
    return true;
}

static size_t front_of(uint32_t alignment)
{
    return alignment > EDGE ? alignment : EDGE;
}

static uint8_t *place_block(size_t size, uint32_t alignment)
{
    size_t front = front_of(alignment);
    uint8_t *whole = memalign(alignment, front + size + EDGE);
    if (whole == NULL) {
        return NULL;
    }
    memset(whole + front - EDGE, EDGE_BYTE, EDGE);
    memset(whole + front + size, EDGE_BYTE, EDGE);
    return whole + front;
}

static uint8_t *place_strict(size_t size, uint32_t alignment, uint32_t *index)
{
    struct guarded guarded;
    *index = 0; /* no edges */
    return guarded_map(&guarded, size, alignment, shell_facts()->strict == STRICT_FRONT, true)
               ? guarded.data
               : NULL;
}

static void *allocate(size_t size, uint32_t alignment)
{
    if (!count(size)) {
        REFUSE_ONCE("the heap of the DSP process is full: %zu bytes do not fit into its %llu MiB",
                    size, (unsigned long long)(shell_facts()->heap_bytes >> 20));
        return NULL;
    }
    uint32_t index = alignment;
    bool strict = shell_facts()->strict != STRICT_OFF;
    uint8_t *block = strict ? place_strict(size, alignment, &index) : place_block(size, alignment);
    if (block == NULL) {
        __atomic_sub_fetch(&used, size, __ATOMIC_RELAXED);
        return NULL;
    }
    region_add(REGION_HEAP, block, size, index, 0);
    return block;
}

static uint32_t usual_alignment(void)
{
    return shell_facts()->strict == STRICT_OFF ? ALIGNMENT : STRICT_ALIGNMENT;
}

void *heap_malloc(size_t size)
{
    return allocate(size, usual_alignment());
}

void *heap_calloc(size_t number, size_t size)
{
    size_t whole;
    if (__builtin_mul_overflow(number, size, &whole)) {
        return NULL;
    }
    void *block = heap_malloc(whole);
    if (block != NULL) {
        memset(block, 0, whole);
    }
    return block;
}

void *heap_memalign(size_t alignment, size_t size)
{
    if (alignment == 0 || (alignment & (alignment - 1)) != 0 || alignment > 0x10000u) {
        return NULL;
    }
    uint32_t least = usual_alignment();
    return allocate(size, alignment < least ? least : (uint32_t)alignment);
}

static void check_edges(const uint8_t *block, size_t size)
{
    for (uint32_t i = 0; i < EDGE; i++) {
        if (block[size + i] != EDGE_BYTE) {
            stop("heap-overrun", block, (uintptr_t)block + size + i,
                 "the skel has written past the end of a heap block, which it frees now", size);
        }
        if (block[-1 - (int)i] != EDGE_BYTE) {
            stop("heap-overrun", block, (uintptr_t)block - 1 - i,
                 "the skel has written before the start of a heap block, which it frees now", size);
        }
    }
}

/* Finds the region of a block that is freed or changed. */
static struct region take(void *block)
{
    struct region region;
    if (!region_remove(REGION_HEAP, block, &region)) {
        if (region.kind == REGION_HEAP) {
            stop("heap-double-free", block, (uintptr_t)block,
                 "the skel frees a heap block a second time", region.size);
        }
        stop("heap-bad-free", block, (uintptr_t)block,
             "the skel frees memory that it has not allocated", 0);
    }
    return region;
}

void heap_free(void *block)
{
    if (block == NULL) {
        return;
    }
    struct region region = take(block);
    __atomic_sub_fetch(&used, region.size, __ATOMIC_RELAXED);
    if (region.index != 0) {
        check_edges(block, region.size);
        free((uint8_t *)block - front_of(region.index));
        return;
    }
    struct guarded guarded = guarded_at(block, region.size, true);
    uintptr_t address = 0;
    if (guarded_spoiled(&guarded, &address)) {
        stop("heap-overrun", block, address,
             "the skel has written outside of a heap block, which it frees now", region.size);
    }
    guarded_retire(&guarded);
}

void *heap_realloc(void *block, size_t size)
{
    struct region region;
    if (block == NULL) {
        return heap_malloc(size);
    }
    if (!region_at(REGION_HEAP, block, &region)) {
        take(block); /* stops */
        return NULL;
    }
    void *after = heap_malloc(size);
    if (after != NULL) {
        memcpy(after, block, size < region.size ? size : region.size);
        heap_free(block);
    }
    return after;
}

/* The loader in real shells has these names, in their order, in a list of its own: the shells do not
 * export them. */
static const struct shell_symbol plain[] = {
    EXPORT_AS("malloc", heap_malloc),     EXPORT_AS("calloc", heap_calloc),
    EXPORT_AS("realloc", heap_realloc),   EXPORT_AS("free", heap_free),
    EXPORT_AS("memalign", heap_memalign), EXPORT_END,
};

void *heap_plain(const char *name)
{
    const struct shell_symbol *symbol = plain;
    while (symbol->name != NULL && strcmp(symbol->name, name) != 0) {
        symbol++;
    }
    return symbol->address;
}

uint64_t heap_used(void)
{
    return __atomic_load_n(&used, __ATOMIC_RELAXED);
}
