/* image.c: reads and checks an untrusted ELF file. */
#include "image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "AEEStdErr.h"
#include "image_tables.h"

#define MACHINE_HEXAGON 164
#define FLAGS_ARCH 0x3ffu
#define FILE_MAX (256u << 20)
#define SPAN_MAX (512u << 20)
#define TLS_MAX (1u << 20)
#define ADDRESS_MAX 0x80000000u

static int file_read(int fd, struct image *image, char *reason)
{
    struct stat status;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        REFUSE(AEE_EBADELF, "is not a regular file");
    }
    if (status.st_size < (off_t)sizeof(Elf32_Ehdr)) {
        REFUSE(AEE_EBADELF, "has %lld bytes, fewer than an ELF header", (long long)status.st_size);
    }
    if (status.st_size > (off_t)FILE_MAX) {
        REFUSE(AEE_EBADELF, "has %lld bytes, more than this shell loads",
               (long long)status.st_size);
    }
    size_t size = (size_t)status.st_size;
    uint8_t *bytes = malloc(size);
    if (bytes == NULL) {
        REFUSE(AEE_ENOMEMORY, "does not fit into memory");
    }
    size_t have = 0;
    while (have < size) {
        ssize_t got = pread(fd, bytes + have, size - have, (off_t)have);
        if (got <= 0) {
            free(bytes);
            REFUSE(AEE_EBADELF, "ends after %zu of %zu bytes", have, size);
        }
        have += (size_t)got;
    }
    image->bytes = bytes;
    image->size = size;
    return AEE_SUCCESS;
}

static bool in_file(const struct image *image, uint64_t offset, uint64_t size)
{
    return offset <= image->size && size <= image->size - offset;
}

static int header_check(const struct image *image, Elf32_Ehdr *header, char *reason)
{
    memcpy(header, image->bytes, sizeof *header);
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) {
        REFUSE(AEE_EBADELF, "is not an ELF file");
    }
    if (header->e_ident[EI_CLASS] != ELFCLASS32 || header->e_ident[EI_DATA] != ELFDATA2LSB) {
        REFUSE(AEE_EBADELF, "is not a 32-bit little-endian ELF file: built for the ARM side?");
    }
    if (header->e_machine != MACHINE_HEXAGON) {
        REFUSE(AEE_EBADELF, "is for ELF machine %u; Hexagon is %u", (unsigned)header->e_machine,
               (unsigned)MACHINE_HEXAGON);
    }
    if (header->e_type != ET_DYN) {
        REFUSE(AEE_EBADELF, "is not a shared object (ELF type %u): link it with -shared",
               (unsigned)header->e_type);
    }
    if (header->e_phentsize != sizeof(Elf32_Phdr) || header->e_phnum == 0 ||
        !in_file(image, header->e_phoff, (uint64_t)header->e_phnum * sizeof(Elf32_Phdr))) {
        REFUSE(AEE_EBADELF, "has program headers outside the file");
    }
    return AEE_SUCCESS;
}

static int segment_add(struct image *image, const Elf32_Phdr *entry, char *reason)
{
    if (entry->p_memsz == 0) {
        return AEE_SUCCESS;
    }
    if (entry->p_filesz > entry->p_memsz || !in_file(image, entry->p_offset, entry->p_filesz)) {
        REFUSE(AEE_EBADELF, "has a segment at 0x%x whose bytes are outside the file: truncated?",
               (unsigned)entry->p_vaddr);
    }
    if (entry->p_vaddr >= ADDRESS_MAX || entry->p_memsz > ADDRESS_MAX - entry->p_vaddr) {
        REFUSE(AEE_EBADELF, "has a segment at 0x%x that exceeds the address space",
               (unsigned)entry->p_vaddr);
    }
    uint32_t align = entry->p_align == 0 ? 1 : entry->p_align;
    if ((align & (align - 1)) != 0 || align > (1u << 24) ||
        ((entry->p_vaddr ^ entry->p_offset) & (align - 1) & (IMAGE_PAGE - 1)) != 0) {
        REFUSE(AEE_EBADELF, "has a segment at 0x%x with invalid alignment 0x%x",
               (unsigned)entry->p_vaddr, (unsigned)align);
    }
    for (uint32_t i = 0; i < image->segment_count; i++) {
        const struct image_segment *other = &image->segments[i];
        if (entry->p_vaddr < other->address + other->memory_size &&
            other->address < entry->p_vaddr + entry->p_memsz) {
            REFUSE(AEE_EBADELF, "has overlapping segments at 0x%x and 0x%x",
                   (unsigned)other->address, (unsigned)entry->p_vaddr);
        }
    }
    if (image->segment_count == IMAGE_SEGMENTS_MAX) {
        REFUSE(AEE_EBADELF, "has more than %d segments", IMAGE_SEGMENTS_MAX);
    }
    image->segments[image->segment_count++] = (struct image_segment){
        .address = entry->p_vaddr,
        .memory_size = entry->p_memsz,
        .file_offset = entry->p_offset,
        .file_size = entry->p_filesz,
        .flags = entry->p_flags & (PF_R | PF_W | PF_X),
    };
    uint32_t low = entry->p_vaddr & ~(IMAGE_PAGE - 1);
    uint32_t high = (entry->p_vaddr + entry->p_memsz + IMAGE_PAGE - 1) & ~(IMAGE_PAGE - 1);
    image->low = low < image->low ? low : image->low;
    image->high = high > image->high ? high : image->high;
    image->alignment = align > image->alignment ? align : image->alignment;
    return AEE_SUCCESS;
}

static int tls_add(struct image *image, const Elf32_Phdr *entry, char *reason)
{
    uint32_t align = entry->p_align == 0 ? 1 : entry->p_align;
    if (image->tls_size != 0 || entry->p_filesz > entry->p_memsz || entry->p_memsz > TLS_MAX ||
        (align & (align - 1)) != 0 || align > IMAGE_PAGE) {
        REFUSE(AEE_EBADELF, "has an invalid segment of thread-local variables");
    }
    image->tls = entry->p_vaddr;
    image->tls_file_size = entry->p_filesz;
    image->tls_size = entry->p_memsz;
    image->tls_alignment = align;
    return AEE_SUCCESS;
}

/* Ignores null program headers, notes and signature segments, which the SDK's linkers leave in the
 * file. */
static int segments_read(struct image *image, const Elf32_Ehdr *header, Elf32_Phdr *dynamic,
                         char *reason)
{
    image->low = UINT32_MAX;
    image->high = 0;
    image->alignment = IMAGE_PAGE;
    dynamic->p_type = PT_NULL;
    for (uint32_t i = 0; i < header->e_phnum; i++) {
        Elf32_Phdr entry;
        memcpy(&entry, image->bytes + header->e_phoff + i * sizeof entry, sizeof entry);
        if (entry.p_type == PT_LOAD) {
            int code = segment_add(image, &entry, reason);
            if (code != AEE_SUCCESS) {
                return code;
            }
        } else if (entry.p_type == PT_TLS && entry.p_memsz != 0) {
            int code = tls_add(image, &entry, reason);
            if (code != AEE_SUCCESS) {
                return code;
            }
        } else if (entry.p_type == PT_DYNAMIC) {
            if (dynamic->p_type != PT_NULL) {
                REFUSE(AEE_EBADELF, "has two dynamic segments");
            }
            *dynamic = entry;
        }
    }
    if (image->segment_count == 0) {
        REFUSE(AEE_EBADELF, "has no loadable segment");
    }
    if (dynamic->p_type == PT_NULL) {
        REFUSE(AEE_EBADELF, "has no dynamic segment: a static archive or an object file?");
    }
    if (image->tls_file_size != 0 && !image_holds(image, image->tls, image->tls_file_size, PF_R)) {
        REFUSE(AEE_EBADELF, "has thread-local variables outside the loaded segments");
    }
    if (image->high - image->low > SPAN_MAX) {
        REFUSE(AEE_EBADELF, "spans %u bytes of addresses", (unsigned)(image->high - image->low));
    }
    return AEE_SUCCESS;
}

/* Copies the program headers, because they need not be aligned in the file. */
static int headers_copy(struct image *image, const Elf32_Ehdr *header, char *reason)
{
    size_t size = header->e_phnum * sizeof(Elf32_Phdr);
    Elf32_Phdr *headers = malloc(size);
    if (headers == NULL) {
        REFUSE(AEE_ENOMEMORY, "does not fit into memory");
    }
    memcpy(headers, image->bytes + header->e_phoff, size);
    image->headers = headers;
    image->header_count = header->e_phnum;
    return AEE_SUCCESS;
}

static int image_parse(struct image *image, char *reason)
{
    Elf32_Ehdr header;
    Elf32_Phdr dynamic;
    int code = header_check(image, &header, reason);
    image->arch = header.e_flags & FLAGS_ARCH;
    code = code != AEE_SUCCESS ? code : segments_read(image, &header, &dynamic, reason);
    code = code != AEE_SUCCESS ? code : headers_copy(image, &header, reason);
    return code != AEE_SUCCESS ? code : image_tables_read(image, &dynamic, reason);
}

int image_read(int fd, struct image *image, char reason[IMAGE_REASON_MAX])
{
    memset(image, 0, sizeof *image);
    int code = file_read(fd, image, reason);
    code = code != AEE_SUCCESS ? code : image_parse(image, reason);
    if (code != AEE_SUCCESS) {
        image_free(image);
    }
    return code;
}

void image_free(struct image *image)
{
    free(image->bytes);
    image->bytes = NULL;
    free((void *)(uintptr_t)image->headers);
    image->headers = NULL;
    free(image->own_hash);
    image->own_hash = NULL;
}

bool image_holds(const struct image *image, uint32_t address, uint32_t size, uint32_t flags)
{
    for (uint32_t i = 0; i < image->segment_count; i++) {
        const struct image_segment *segment = &image->segments[i];
        if (address >= segment->address && address - segment->address <= segment->memory_size &&
            size <= segment->memory_size - (address - segment->address) &&
            (segment->flags & flags) == flags) {
            return true;
        }
    }
    return false;
}

void image_symbol(const struct image *image, uint32_t index, Elf32_Sym *symbol)
{
    memcpy(symbol, image->symbols + index * sizeof *symbol, sizeof *symbol);
}

const char *image_symbol_name(const struct image *image, const Elf32_Sym *symbol)
{
    return image->strings + symbol->st_name;
}

static uint32_t word_at(const uint8_t *words, uint32_t index)
{
    uint32_t word;
    memcpy(&word, words + index * sizeof word, sizeof word);
    return word;
}

uint32_t image_hash(const char *name)
{
    uint32_t hash = 0;
    for (; *name != 0; name++) {
        hash = (hash << 4) + (uint8_t)*name;
        hash = (hash ^ ((hash & 0xf0000000u) >> 24)) & 0x0fffffffu;
    }
    return hash;
}

uint32_t image_hash_first(const struct image *image, const char *name)
{
    return word_at(image->buckets, image_hash(name) % image->bucket_count);
}

uint32_t image_hash_next(const struct image *image, uint32_t index)
{
    return word_at(image->chains, index);
}
