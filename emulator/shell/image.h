/* image.h: reads and checks a Hexagon shared object before it is loaded. */
#ifndef BUILDTOOL_SHELL_IMAGE_H
#define BUILDTOOL_SHELL_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IMAGE_SEGMENTS_MAX 16
#define IMAGE_PAGE 4096u /* of a DSP */
#define IMAGE_NEEDED_MAX 32
#define IMAGE_REASON_MAX 1024

struct image_segment {
    uint32_t address; /* link-time address */
    uint32_t memory_size;
    uint32_t file_offset;
    uint32_t file_size;
    uint32_t flags; /* PF_R, PF_W, PF_X */
};

/* Addresses are link-time addresses. The tables point into `bytes`, the content of the file, so
 * that changes of the loaded copy do not affect them. */
struct image {
    uint8_t *bytes;
    size_t size;
    uint32_t arch; /* 0x68 for v68 */
    uint32_t segment_count;
    struct image_segment segments[IMAGE_SEGMENTS_MAX];
    uint32_t low, high; /* the span of all segments, in whole pages */
    uint32_t alignment;
    const char *strings;
    uint32_t strings_size;
    const uint8_t *symbols; /* Elf32_Sym, unaligned */
    uint32_t symbol_count;
    const uint8_t *buckets, *chains; /* as in DT_HASH: symbol numbers as words, unaligned */
    uint32_t *own_hash;              /* where these are when the file has no DT_HASH; else NULL */
    uint32_t bucket_count;
    const uint8_t *relocations[2]; /* Elf32_Rela, unaligned: DT_RELA, DT_JMPREL */
    uint32_t relocation_count[2];
    uint32_t needed_count;
    const char *needed[IMAGE_NEEDED_MAX];
    const char *soname;  /* NULL: none */
    uint32_t init, fini; /* 0: none */
    uint32_t init_array, init_array_count;
    uint32_t fini_array, fini_array_count;
    uint32_t tls; /* the initial values of the thread-local variables */
    uint32_t tls_file_size;
    uint32_t tls_size; /* 0: no thread-local variables */
    uint32_t tls_alignment;
    const Elf32_Phdr *headers; /* a copy of the program headers */
    uint32_t header_count;
};

/* Reads the file into `image` and checks all values that are used later, so that no use of the
 * image accesses memory outside of it. Returns 0, or a code and a message in reason: AEE_EBADELF,
 * AEE_ENOMEMORY, or AEE_EUNABLETOLOAD for a valid file that this shell cannot load. */
int image_read(int fd, struct image *image, char reason[IMAGE_REASON_MAX]);
void image_free(struct image *image);

/* Whether one segment with all of these flags contains [address, address + size). */
bool image_holds(const struct image *image, uint32_t address, uint32_t size, uint32_t flags);

void image_symbol(const struct image *image, uint32_t index, Elf32_Sym *symbol);
/* Returns the name of a symbol, or "" when it has none. */
const char *image_symbol_name(const struct image *image, const Elf32_Sym *symbol);

/* The hash function of DT_HASH (System V ABI, "Hash Table"). */
uint32_t image_hash(const char *name);

/* Return the number of the first symbol that can have a name, and of the next one after a symbol.
 * 0: there is none. */
uint32_t image_hash_first(const struct image *image, const char *name);
uint32_t image_hash_next(const struct image *image, uint32_t index);

#endif
