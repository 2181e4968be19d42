/* guarded.h: memory between unmapped pages, for --strict and for the stacks of skels. */
#ifndef BUILDTOOL_SHELL_GUARDED_H
#define BUILDTOOL_SHELL_GUARDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is around the bytes of a guarded block inside its pages. */
#define GUARDED_SLACK 0xa5u

/* Whole pages, with a page without access before and after them. */
struct guarded {
    uint8_t *mapping; /* NULL: none */
    size_t mapped;
    uint8_t *pages;
    size_t pages_size;
    uint8_t *data; /* [data, data + size) is inside [pages, pages + pages_size) */
    size_t size;
    bool has_guards; /* of a file: with --strict, if its size is a multiple of the page size */
};

/* Returns the emulator's page size, 64 KiB, which is the smallest size that can be protected. */
size_t guarded_page(void);

/* Maps `size` bytes. With `front` they begin at an unmapped page. Otherwise they end at one, as
 * far as the alignment, a power of two, allows. With `slack`, the bytes around them are filled,
 * so that guarded_spoiled can find that one of them has changed. */
bool guarded_map(struct guarded *guarded, size_t size, size_t alignment, bool front, bool slack);

/* Maps a part of a file. prot is as for mmap. */
bool guarded_map_file(struct guarded *guarded, int fd, uint64_t offset, size_t size, int prot);

/* Returns the mapping that guarded_map_file made for this data. */
struct guarded guarded_at(void *data, size_t size, bool has_guards);

/* Finds the byte of the slack that has changed and is nearest to the data. */
bool guarded_spoiled(const struct guarded *guarded, uintptr_t *address);

/* Unmaps the memory. With --strict, its addresses are used again only after many later calls. */
void guarded_retire(struct guarded *guarded);

#endif
