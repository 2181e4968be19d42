/* code_scan.c: finds packets with certain instructions in the code of an image.
 *
 * Compilers put constants elsewhere; assembly files have tables between functions. */
#include "code_scan.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counter_packet.h"

#ifndef PT_GNU_EH_FRAME
#define PT_GNU_EH_FRAME 0x6474e550
#endif
#define FRAME_TABLE 0x3b031b01u /* version 1; pcrel sdata4, udata4, datarel sdata4, as LLD writes */

struct range {
    uint32_t start, end; /* link-time addresses */
};

struct functions {
    struct range *ranges; /* sorted */
    size_t count, room;
};

struct scan {
    const struct image *image;
    code_matches matches;
    code_visit visit;
    void *context;
    struct functions functions;
};

/* ---- functions ---- */

static void add_function(struct functions *functions, uint32_t start, uint32_t size)
{
    if (functions->count == functions->room) {
        const size_t room = functions->room * 2 + 64;
        struct range *ranges = realloc(functions->ranges, room * sizeof *ranges);
        if (ranges == NULL) {
            return; /* then it is left as it is */
        }
        functions->ranges = ranges;
        functions->room = room;
    }
    functions->ranges[functions->count++] = (struct range){start, start + size};
}

static bool read_words(const struct image *image, uint32_t address, uint32_t *words, size_t count)
{
    for (uint32_t i = 0; i < image->segment_count; i++) {
        const struct image_segment *segment = &image->segments[i];
        const uint64_t from = (uint64_t)address - segment->address;
        if (address >= segment->address &&
            from + (uint64_t)count * sizeof *words <= segment->file_size) {
            memcpy(words, image->bytes + segment->file_offset + from, count * sizeof *words);
            return true;
        }
    }
    return false;
}

/* Adds the functions of .eh_frame_hdr: pairs of the distances of a function and of its entry in
 * .eh_frame, which has its length, the distance of its table, and start and size of the function.
 * Source: Linux Standard Base, "Exception Frames". */
static void add_unwound(const struct image *image, struct functions *functions)
{
    uint32_t table = 0, head[3] = {0}, pair[2], entry[4];
    for (uint32_t i = 0; i < image->header_count; i++) {
        table = image->headers[i].p_type == PT_GNU_EH_FRAME ? image->headers[i].p_vaddr : table;
    }
    if (table == 0 || !read_words(image, table, head, 3) || head[0] != FRAME_TABLE) {
        return;
    }
    for (uint32_t i = 0; i < head[2]; i++) {
        if (!read_words(image, table + 12 + i * 8, pair, 2) ||
            !read_words(image, table + pair[1], entry, 4)) {
            return;
        }
        if (table + pair[1] + 8 + entry[2] == table + pair[0]) {
            add_function(functions, table + pair[0], entry[3]);
        }
    }
}

static int by_start(const void *left, const void *right)
{
    const struct range *a = left, *b = right;
    return a->start < b->start ? -1 : a->start > b->start;
}

static void find_functions(const struct image *image, struct functions *functions)
{
    add_unwound(image, functions);
    for (uint32_t i = 1; i < image->symbol_count; i++) {
        Elf32_Sym symbol;
        image_symbol(image, i, &symbol);
        if (ELF32_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF) {
            add_function(functions, symbol.st_value, symbol.st_size);
        }
    }
    qsort(functions->ranges, functions->count, sizeof *functions->ranges, by_start);
    for (size_t i = 1; i < functions->count; i++) { /* one in another one, or named twice */
        struct range *before = &functions->ranges[i - 1], *range = &functions->ranges[i];
        range->end = range->end < before->end ? before->end : range->end;
    }
}

static bool in_function(const struct functions *functions, uint32_t address)
{
    size_t low = 0, high = functions->count;
    while (low < high) { /* the first that starts after the address */
        const size_t middle = low + (high - low) / 2;
        if (functions->ranges[middle].start <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return functions->count == 0 || (low > 0 && address < functions->ranges[low - 1].end);
}

/* ---- packets ---- */

/* Visits the packets of a range of a segment. */
static void scan_range(const struct scan *scan, const struct image_segment *segment,
                       struct range range)
{
    const uint32_t from = (range.start + 3) & ~3u;
    const uint8_t *bytes = scan->image->bytes + segment->file_offset + (from - segment->address);
    const size_t count = range.end > from ? (range.end - from) / 4 : 0;
    uint32_t window[3 * PACKET_WORDS_MAX];
    for (size_t i = 0; i < count; i++) {
        uint32_t word;
        memcpy(&word, bytes + i * 4, sizeof word);
        if (!scan->matches(word) || !in_function(&scan->functions, from + (uint32_t)i * 4)) {
            continue;
        }
        size_t low = i > PACKET_WORDS_MAX ? i - PACKET_WORDS_MAX : 0;
        size_t high = count - i > PACKET_WORDS_MAX ? i + PACKET_WORDS_MAX : count;
        size_t first, size;
        memcpy(window, bytes + low * 4, (high - low) * 4);
        if (packet_around(window, high - low, i - low, &first, &size)) {
            scan->visit(scan->context, from + (uint32_t)(low + first) * 4, size, word);
        }
    }
}

/* Visits the packets in the part of a range that an executable segment has in the file. */
static void scan_segments(const struct scan *scan, struct range range)
{
    for (uint32_t i = 0; i < scan->image->segment_count; i++) {
        const struct image_segment *segment = &scan->image->segments[i];
        const uint32_t end = segment->address + segment->file_size;
        struct range part = {.start = range.start > segment->address ? range.start
                                                                     : segment->address,
                             .end = range.end < end ? range.end : end};
        if ((segment->flags & PF_X) != 0 && part.start < part.end) {
            scan_range(scan, segment, part);
        }
    }
}

static void scan_code(const struct scan *scan)
{
    const struct image *image = scan->image;
    Elf32_Ehdr header;
    bool sections = false;
    memcpy(&header, image->bytes, sizeof header);
    const uint64_t end = (uint64_t)header.e_shoff + (uint64_t)header.e_shnum * sizeof(Elf32_Shdr);
    if (header.e_shoff != 0 && header.e_shentsize == sizeof(Elf32_Shdr) && end <= image->size) {
        for (uint32_t i = 0; i < header.e_shnum; i++) {
            Elf32_Shdr section;
            memcpy(&section, image->bytes + header.e_shoff + i * sizeof section, sizeof section);
            if ((section.sh_flags & SHF_EXECINSTR) != 0 && section.sh_type == SHT_PROGBITS &&
                section.sh_size <= UINT32_MAX - section.sh_addr) {
                sections = true;
                scan_segments(scan,
                              (struct range){section.sh_addr, section.sh_addr + section.sh_size});
            }
        }
    }
    if (!sections) {
        scan_segments(scan, (struct range){0, UINT32_MAX});
    }
}

void code_scan(const struct image *image, enum code_places places, code_matches matches,
               code_visit visit, void *context)
{
    struct scan scan = {.image = image, .matches = matches, .visit = visit, .context = context};
    if (places == CODE_FUNCTIONS) {
        find_functions(image, &scan.functions);
    }
    scan_code(&scan);
    free(scan.functions.ranges);
}

static void count_packet(void *context, uint32_t address, size_t size, uint32_t word)
{
    (void)address;
    (void)size;
    (void)word;
    ++*(size_t *)context;
}

size_t code_room(const struct image *image, enum code_places places, code_matches matches,
                 size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t count = 0;
    code_scan(image, places, matches, count_packet, &count);
    return (count * size + page - 1) & ~(page - 1);
}
