/* functions.c: finds functions by symbols, unwind tables and references. */
#include "functions.h"

#include <stdlib.h>
#include <string.h>

#include "references.h"

#ifndef PT_GNU_EH_FRAME
#define PT_GNU_EH_FRAME 0x6474e550
#endif
#define FRAME_TABLE 0x3b031b01u /* version 1; pcrel sdata4, udata4, datarel sdata4, as LLD writes */

/* ---- reading ---- */

const uint8_t *image_bytes(const struct image *image, uint32_t address, uint32_t *size)
{
    for (uint32_t i = 0; i < image->segment_count; i++) {
        const struct image_segment *segment = &image->segments[i];
        const uint32_t from = address - segment->address;
        if (address >= segment->address && from < segment->file_size) {
            *size = segment->file_size - from;
            return image->bytes + segment->file_offset + from;
        }
    }
    *size = 0;
    return NULL;
}

size_t image_words(const struct image *image, uint32_t address, uint32_t *words, size_t count)
{
    uint32_t size;
    const uint8_t *bytes = image_bytes(image, address, &size);
    count = count < size / sizeof *words ? count : size / sizeof *words;
    if (bytes != NULL) {
        memcpy(words, bytes, count * sizeof *words);
    }
    return count;
}

/* Returns the number of section headers, or 0 when they are not in the file. */
uint32_t section_count(const struct image *image)
{
    Elf32_Ehdr header;
    memcpy(&header, image->bytes, sizeof header);
    const uint64_t end = (uint64_t)header.e_shoff + (uint64_t)header.e_shnum * sizeof(Elf32_Shdr);
    return header.e_shoff != 0 && header.e_shentsize == sizeof(Elf32_Shdr) && end <= image->size
               ? header.e_shnum
               : 0;
}

Elf32_Shdr section_at(const struct image *image, uint32_t index)
{
    Elf32_Ehdr header;
    Elf32_Shdr section;
    memcpy(&header, image->bytes, sizeof header);
    memcpy(&section, image->bytes + header.e_shoff + index * sizeof section, sizeof section);
    return section;
}

/* ---- the list ---- */

static void insert_function(struct functions *functions, size_t at, struct function function)
{
    if (functions->count == functions->room) {
        const size_t room = functions->room * 2 + 64;
        struct function *list = realloc(functions->list, room * sizeof *list);
        if (list == NULL) {
            return; /* then it is left as it is */
        }
        functions->list = list;
        functions->room = room;
    }
    struct function *place = functions->list + at;
    memmove(place + 1, place, (functions->count++ - at) * sizeof *place);
    *place = function;
}

static void add_function(struct functions *functions, uint32_t start, uint32_t size, bool unwound)
{
    const struct function function = {.range = {start, start + size}, .unwound = unwound};
    insert_function(functions, functions->count, function);
}

static int by_start(const void *left, const void *right)
{
    const struct function *a = left, *b = right;
    return a->range.start < b->range.start ? -1 : a->range.start > b->range.start;
}

/* Sorts the list. Functions that are named twice become one. */
static void sort(struct functions *functions)
{
    struct function *list = functions->list;
    size_t count = 0;
    qsort(list, functions->count, sizeof *list, by_start);
    for (size_t i = 0; i < functions->count; i++) {
        struct function *before = count == 0 ? NULL : &list[count - 1];
        if (before != NULL && before->range.end > list[i].range.end) {
            list[i].range.end = before->range.end; /* one in another one */
        }
        if (before != NULL && before->range.start == list[i].range.start) {
            before->range.end = list[i].range.end;
            before->unwound = before->unwound || list[i].unwound;
        } else {
            list[count++] = list[i];
        }
    }
    functions->count = count;
}

/* Returns the number of functions that start at the address or before. */
static size_t functions_until(const struct functions *functions, uint32_t address)
{
    size_t low = 0, high = functions->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (functions->list[middle].range.start <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

const struct function *function_at(const struct functions *functions, uint32_t address)
{
    const size_t until = functions_until(functions, address);
    const struct function *function = until == 0 ? NULL : &functions->list[until - 1];
    return function != NULL && address < function->range.end ? function : NULL;
}

/* ---- names ---- */

/* Adds the functions of .eh_frame_hdr: pairs of the distances of a function and of its entry in
 * .eh_frame, which has its length, the distance of its table, and start and size of the function.
 * Source: Linux Standard Base, "Exception Frames". */
static void add_unwound(const struct image *image, struct functions *functions)
{
    uint32_t table = 0, head[3] = {0}, pair[2] = {0}, entry[4] = {0};
    for (uint32_t i = 0; i < image->header_count; i++) {
        table = image->headers[i].p_type == PT_GNU_EH_FRAME ? image->headers[i].p_vaddr : table;
    }
    if (table == 0 || image_words(image, table, head, 3) != 3 || head[0] != FRAME_TABLE) {
        return;
    }
    for (uint32_t i = 0; i < head[2]; i++) {
        if (image_words(image, table + 12 + i * 8, pair, 2) != 2 ||
            image_words(image, table + pair[1], entry, 4) != 4) {
            return;
        }
        if (table + pair[1] + 8 + entry[2] == table + pair[0]) {
            add_function(functions, table + pair[0], entry[3], true);
        }
    }
}

static void add_symbol(struct functions *functions, const Elf32_Sym *symbol)
{
    if (ELF32_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF) {
        add_function(functions, symbol->st_value, symbol->st_size, false);
    }
}

static void add_named(const struct image *image, struct functions *functions)
{
    Elf32_Sym symbol;
    for (uint32_t i = 1; i < image->symbol_count; i++) {
        image_symbol(image, i, &symbol);
        add_symbol(functions, &symbol);
    }
    for (uint32_t i = 0; i < section_count(image); i++) {
        const Elf32_Shdr section = section_at(image, i);
        const bool inside = section.sh_offset <= image->size &&
                            section.sh_size <= image->size - section.sh_offset;
        for (uint32_t at = 0;
             section.sh_type == SHT_SYMTAB && inside && at + sizeof symbol <= section.sh_size;
             at += sizeof symbol) {
            memcpy(&symbol, image->bytes + section.sh_offset + at, sizeof symbol);
            add_symbol(functions, &symbol);
        }
    }
}

/* ---- references ---- */

/* Adds code without a name: from a target to the last jump or return before the next function, or
 * before words that are no packets. */
static void add_target(const struct image *image, struct functions *functions, uint32_t target)
{
    if (target % 4 != 0 || !image_holds(image, target, 4, PF_X) ||
        function_at(functions, target) != NULL) {
        return;
    }
    const size_t until = functions_until(functions, target);
    const uint32_t limit = until < functions->count ? functions->list[until].range.start
                                                    : UINT32_MAX;
    uint32_t end = target, word = 0, length = 0, size;
    const uint8_t *bytes = image_bytes(image, target, &size);
    bool flow = false;
    size = size < limit - target ? size : limit - target;
    for (uint32_t at = 0; at + sizeof word <= size && length < PACKET_WORDS_MAX; at += 4) {
        memcpy(&word, bytes + at, sizeof word);
        flow = flow || (may_lead(word) && flow_of(word) != FLOW_NONE);
        length++;
        if (ends_packet(word)) {
            end = flow ? target + at + 4 : end;
            length = 0;
            flow = false;
        }
    }
    if (end > target) {
        insert_function(functions, until, (struct function){.range = {target, end}});
    }
}

static void add_referred_by(const struct image *image, struct functions *functions,
                            struct range range)
{
    uint32_t size, word = 0, before = 0, packet = range.start, target;
    const uint8_t *bytes = image_bytes(image, range.start, &size);
    size = size < range.end - range.start ? size : range.end - range.start;
    for (uint32_t at = 0; at + sizeof word <= size; at += 4) {
        memcpy(&word, bytes + at, sizeof word);
        if (has_class(word, REFERENCE_CLASSES) && referred_address(word, before, packet, &target)) {
            add_target(image, functions, target);
        }
        before = word;
        packet = ends_packet(word) ? range.start + at + 4 : packet;
    }
}

static void add_referred(const struct image *image, struct functions *functions)
{
    for (uint32_t i = 0; i < image->relocation_count[0]; i++) {
        Elf32_Rela entry;
        memcpy(&entry, image->relocations[0] + i * sizeof entry, sizeof entry);
        if (ELF32_R_TYPE(entry.r_info) == R_HEX_RELATIVE) {
            add_target(image, functions, (uint32_t)entry.r_addend);
        }
    }
    /* What is found, which moves those behind it, refers to others. */
    for (bool found = true; found;) {
        found = false;
        for (size_t i = 0; i < functions->count; i++) {
            if (!functions->list[i].examined) {
                functions->list[i].examined = found = true;
                add_referred_by(image, functions, functions->list[i].range);
            }
        }
    }
}

void functions_find(const struct image *image, struct functions *functions)
{
    if (functions->found) {
        return;
    }
    functions->found = true;
    add_unwound(image, functions);
    add_named(image, functions);
    sort(functions);
    if (functions->count > 0) {
        add_referred(image, functions);
    }
}

void functions_free(struct functions *functions)
{
    free(functions->list);
}
