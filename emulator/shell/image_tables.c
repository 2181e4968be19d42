/* image_tables.c: checks and reads the tables that the dynamic segment of an image refers to. */
#include "image_tables.h"

#include <stdlib.h>
#include <string.h>

#include "AEEStdErr.h"

/* Returns the bytes of the file for [address, address + size), or NULL. */
static const uint8_t *file_bytes(const struct image *image, uint32_t address, uint32_t size)
{
    for (uint32_t i = 0; i < image->segment_count; i++) {
        const struct image_segment *segment = &image->segments[i];
        if (address >= segment->address && address - segment->address <= segment->file_size &&
            size <= segment->file_size - (address - segment->address)) {
            return image->bytes + segment->file_offset + (address - segment->address);
        }
    }
    return NULL;
}

#define DYNAMIC_TAGS 40u /* all tags that are used are below this */

struct dynamic {
    uint32_t value[DYNAMIC_TAGS]; /* indexed by tag */
    bool has[DYNAMIC_TAGS];
    uint32_t needed[IMAGE_NEEDED_MAX];
    uint32_t gnu_hash; /* 0: none */
};

static int dynamic_read(struct image *image, const Elf32_Phdr *segment, struct dynamic *dynamic,
                        char *reason)
{
    const uint8_t *bytes = file_bytes(image, segment->p_vaddr, segment->p_filesz);
    if (bytes == NULL) {
        REFUSE(AEE_EBADELF, "has a dynamic segment outside the loaded segments");
    }
    uint32_t count = segment->p_filesz / (uint32_t)sizeof(Elf32_Dyn);
    for (uint32_t i = 0; i < count; i++) {
        Elf32_Dyn entry;
        memcpy(&entry, bytes + i * sizeof entry, sizeof entry);
        if (entry.d_tag == DT_NULL) {
            return AEE_SUCCESS;
        }
        if (entry.d_tag == DT_NEEDED) {
            if (image->needed_count == IMAGE_NEEDED_MAX) {
                REFUSE(AEE_EBADELF, "needs more than %d libraries", IMAGE_NEEDED_MAX);
            }
            dynamic->needed[image->needed_count++] = entry.d_un.d_val;
        } else if (entry.d_tag > 0 && (uint32_t)entry.d_tag < DYNAMIC_TAGS) {
            dynamic->has[entry.d_tag] = true;
            dynamic->value[entry.d_tag] = entry.d_un.d_val;
        } else if ((uint32_t)entry.d_tag == DT_GNU_HASH) {
            dynamic->gnu_hash = entry.d_un.d_val;
        }
    }
    REFUSE(AEE_EBADELF, "has a dynamic segment without an end");
}

static int strings_read(struct image *image, const struct dynamic *dynamic, char *reason)
{
    uint32_t size = dynamic->value[DT_STRSZ];
    const uint8_t *strings = file_bytes(image, dynamic->value[DT_STRTAB], size);
    if (!dynamic->has[DT_STRTAB] || size == 0 || strings == NULL || strings[size - 1] != 0) {
        REFUSE(AEE_EBADELF, "has no valid string table");
    }
    image->strings = (const char *)strings;
    image->strings_size = size;
    for (uint32_t i = 0; i < image->needed_count; i++) {
        if (dynamic->needed[i] >= size) {
            REFUSE(AEE_EBADELF, "needs a library whose name is outside the string table");
        }
        image->needed[i] = image->strings + dynamic->needed[i];
    }
    if (dynamic->has[DT_SONAME]) {
        if (dynamic->value[DT_SONAME] >= size) {
            REFUSE(AEE_EBADELF, "has a SONAME outside the string table");
        }
        image->soname = image->strings + dynamic->value[DT_SONAME];
    }
    return AEE_SUCCESS;
}

/* Checks that the chains of a hash table have no more symbols than there are, so that each ends. */
static int chains_check(const struct image *image, char *reason)
{
    uint32_t seen = 0;
    for (uint32_t i = 0; i < image->bucket_count; i++) {
        uint32_t index;
        memcpy(&index, image->buckets + i * sizeof index, sizeof index);
        while (index != 0) {
            if (index >= image->symbol_count || ++seen > image->symbol_count) {
                REFUSE(AEE_EBADELF, "has an invalid hash table");
            }
            index = image_hash_next(image, index);
        }
    }
    return AEE_SUCCESS;
}

/* A DT_HASH table has the bucket count, the chain count, the buckets and the chains. The chain count
 * is the number of symbols. */
static int hash_read(struct image *image, const struct dynamic *dynamic, char *reason)
{
    const uint8_t *hash = file_bytes(image, dynamic->value[DT_HASH], 8);
    if (hash == NULL) {
        REFUSE(AEE_EBADELF, "has a hash table outside the loaded segments");
    }
    memcpy(&image->bucket_count, hash, 4);
    memcpy(&image->symbol_count, hash + 4, 4);
    image->buckets = hash + 8;
    return AEE_SUCCESS;
}

/* Counts the symbols of a DT_GNU_HASH table: bucket count, number of the first symbol in it, words of
 * the Bloom filter, a shift, the filter, the buckets, and a word for each symbol, which is odd at the
 * end of a chain. Source: glibc, elf/dl-lookup.c. */
static int gnu_hash_read(struct image *image, const struct dynamic *dynamic, char *reason)
{
    struct {
        uint32_t buckets, first, filter_words, shift;
    } head;
    const uint8_t *table = file_bytes(image, dynamic->gnu_hash, sizeof head);
    if (table == NULL) {
        REFUSE(AEE_EBADELF, "has a hash table outside the loaded segments");
    }
    memcpy(&head, table, sizeof head);
    uint32_t limit = (uint32_t)(image->size / 4);
    if (head.buckets == 0 || head.buckets > limit || head.filter_words > limit ||
        head.first > limit) {
        REFUSE(AEE_EBADELF, "has an invalid hash table");
    }
    uint32_t at = dynamic->gnu_hash + (uint32_t)sizeof head + 4 * head.filter_words;
    const uint8_t *buckets = file_bytes(image, at, 4 * head.buckets);
    if (buckets == NULL) {
        REFUSE(AEE_EBADELF, "has an invalid hash table");
    }
    uint32_t last = 0;
    for (uint32_t i = 0; i < head.buckets; i++) {
        uint32_t number;
        memcpy(&number, buckets + i * sizeof number, sizeof number);
        last = number > last ? number : last;
    }
    at += 4 * head.buckets;
    image->bucket_count = head.buckets;
    image->symbol_count = head.first;
    uint32_t hash = last < head.first;
    for (; hash % 2 == 0; last++) {
        const uint8_t *word = file_bytes(image, at + 4 * (last - head.first), 4);
        if (word == NULL || last > limit) {
            REFUSE(AEE_EBADELF, "has an invalid hash table");
        }
        memcpy(&hash, word, sizeof hash);
        image->symbol_count = last + 1;
    }
    return AEE_SUCCESS;
}

/* Makes the table that a file with DT_GNU_HASH only lacks. */
static int hash_make(struct image *image, char *reason)
{
    uint32_t *buckets = calloc(image->bucket_count + image->symbol_count, sizeof *buckets);
    if (buckets == NULL) {
        REFUSE(AEE_ENOMEMORY, "needs more memory than there is");
    }
    uint32_t *chains = buckets + image->bucket_count;
    for (uint32_t i = 1; i < image->symbol_count; i++) {
        Elf32_Sym symbol;
        image_symbol(image, i, &symbol);
        uint32_t hash = image_hash(image_symbol_name(image, &symbol)) % image->bucket_count;
        chains[i] = buckets[hash];
        buckets[hash] = i;
    }
    image->own_hash = buckets;
    image->buckets = (const uint8_t *)buckets;
    image->chains = (const uint8_t *)chains;
    return AEE_SUCCESS;
}

static int symbols_read(struct image *image, const struct dynamic *dynamic, char *reason)
{
    if (!dynamic->has[DT_HASH] && dynamic->gnu_hash == 0) {
        REFUSE(AEE_EBADELF, "has no hash table: link it with --hash-style=sysv");
    }
    int code = dynamic->has[DT_HASH] ? hash_read(image, dynamic, reason)
                                     : gnu_hash_read(image, dynamic, reason);
    if (code != AEE_SUCCESS) {
        return code;
    }
    if (image->symbol_count > image->size / sizeof(Elf32_Sym) ||
        (dynamic->has[DT_SYMENT] && dynamic->value[DT_SYMENT] != sizeof(Elf32_Sym))) {
        REFUSE(AEE_EBADELF, "has an invalid symbol table");
    }
    image->symbols = file_bytes(image, dynamic->value[DT_SYMTAB],
                                image->symbol_count * (uint32_t)sizeof(Elf32_Sym));
    if (!dynamic->has[DT_SYMTAB] || image->symbols == NULL) {
        REFUSE(AEE_EBADELF, "has a symbol table outside the loaded segments");
    }
    for (uint32_t i = 0; i < image->symbol_count; i++) {
        Elf32_Sym symbol;
        image_symbol(image, i, &symbol);
        if (symbol.st_name >= image->strings_size) {
            REFUSE(AEE_EBADELF, "has symbol %u, whose name is outside the string table",
                   (unsigned)i);
        }
    }
    if (!dynamic->has[DT_HASH]) {
        return hash_make(image, reason);
    }
    if (image->bucket_count == 0 || image->bucket_count > image->size / 4 ||
        file_bytes(image, dynamic->value[DT_HASH],
                   4 * (2 + image->bucket_count + image->symbol_count)) == NULL) {
        REFUSE(AEE_EBADELF, "has an invalid hash table");
    }
    image->chains = image->buckets + 4 * image->bucket_count;
    return chains_check(image, reason);
}

static int relocations_read(struct image *image, const struct dynamic *dynamic, char *reason)
{
    static const struct {
        uint32_t table, size;
    } kinds[2] = {{DT_RELA, DT_RELASZ}, {DT_JMPREL, DT_PLTRELSZ}};
    if (dynamic->has[DT_REL] || (dynamic->has[DT_PLTREL] && dynamic->value[DT_PLTREL] != DT_RELA) ||
        (dynamic->has[DT_RELAENT] && dynamic->value[DT_RELAENT] != sizeof(Elf32_Rela))) {
        REFUSE(AEE_EBADELF, "has relocations in a format that Hexagon does not use");
    }
    for (int i = 0; i < 2; i++) {
        uint32_t size = dynamic->value[kinds[i].size];
        if (!dynamic->has[kinds[i].table] || size == 0) {
            continue;
        }
        image->relocations[i] = file_bytes(image, dynamic->value[kinds[i].table], size);
        if (image->relocations[i] == NULL || size % sizeof(Elf32_Rela) != 0) {
            REFUSE(AEE_EBADELF, "has relocations outside the loaded segments");
        }
        image->relocation_count[i] = size / (uint32_t)sizeof(Elf32_Rela);
    }
    return AEE_SUCCESS;
}

static int functions_read(struct image *image, const struct dynamic *dynamic, char *reason)
{
    image->init = dynamic->value[DT_INIT];
    image->fini = dynamic->value[DT_FINI];
    image->init_array = dynamic->value[DT_INIT_ARRAY];
    image->init_array_count = dynamic->value[DT_INIT_ARRAYSZ] / 4;
    image->fini_array = dynamic->value[DT_FINI_ARRAY];
    image->fini_array_count = dynamic->value[DT_FINI_ARRAYSZ] / 4;
    if ((image->init != 0 && !image_holds(image, image->init, 4, PF_X)) ||
        (image->fini != 0 && !image_holds(image, image->fini, 4, PF_X))) {
        REFUSE(AEE_EBADELF, "has a DT_INIT or DT_FINI outside its code");
    }
    if ((image->init_array_count != 0 &&
         !image_holds(image, image->init_array, dynamic->value[DT_INIT_ARRAYSZ], PF_R)) ||
        (image->fini_array_count != 0 &&
         !image_holds(image, image->fini_array, dynamic->value[DT_FINI_ARRAYSZ], PF_R))) {
        REFUSE(AEE_EBADELF, "has a table of constructors outside the loaded segments");
    }
    return AEE_SUCCESS;
}

int image_tables_read(struct image *image, const Elf32_Phdr *segment, char *reason)
{
    struct dynamic dynamic;
    memset(&dynamic, 0, sizeof dynamic);
    int code = dynamic_read(image, segment, &dynamic, reason);
    code = code != AEE_SUCCESS ? code : strings_read(image, &dynamic, reason);
    code = code != AEE_SUCCESS ? code : symbols_read(image, &dynamic, reason);
    code = code != AEE_SUCCESS ? code : relocations_read(image, &dynamic, reason);
    return code != AEE_SUCCESS ? code : functions_read(image, &dynamic, reason);
}
