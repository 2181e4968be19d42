/* code_scan.c: finds packets with certain instructions in the code of an image.
 *
 * Compilers put constants elsewhere; assembly files have tables between functions. */
#include "code_scan.h"

#include <string.h>

#include "translate/forms.h"

struct scan {
    const struct image *image;
    struct functions *functions;
    uint32_t classes;
    code_matches matches;
    code_visit visit;
    void *context;
};

static bool may_be_code(const struct scan *scan, uint32_t address)
{
    if (scan->functions == NULL) {
        return true;
    }
    functions_find(scan->image, scan->functions); /* most images need none */
    return scan->functions->count == 0 || function_at(scan->functions, address) != NULL;
}

/* Finds the packet that contains words[at]. Returns false when the words around it are no packet,
 * which means that they are data. */
static bool packet_around(const uint32_t *words, size_t count, size_t at, size_t *first,
                          size_t *size)
{
    size_t start = at;
    while (start > 0 && !ends_packet(words[start - 1])) {
        start--;
        if (at - start >= PACKET_WORDS_MAX) {
            return false;
        }
    }
    size_t end = at;
    while (end < count && !ends_packet(words[end])) {
        end++;
    }
    *first = start;
    *size = end + 1 - start;
    return end < count && *size <= PACKET_WORDS_MAX;
}

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
        if (!has_class(word, scan->classes) || !scan->matches(word)) {
            continue;
        }
        size_t low = i > PACKET_WORDS_MAX ? i - PACKET_WORDS_MAX : 0;
        size_t high = count - i > PACKET_WORDS_MAX ? i + PACKET_WORDS_MAX : count;
        size_t first, size;
        memcpy(window, bytes + low * 4, (high - low) * 4);
        if (packet_around(window, high - low, i - low, &first, &size) &&
            may_be_code(scan, from + (uint32_t)i * 4)) {
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
    const uint32_t count = section_count(scan->image);
    for (uint32_t i = 0; i < count; i++) {
        const Elf32_Shdr section = section_at(scan->image, i);
        if ((section.sh_flags & SHF_EXECINSTR) != 0 && section.sh_type == SHT_PROGBITS &&
            section.sh_size <= UINT32_MAX - section.sh_addr) {
            const uint32_t end = section.sh_addr + section.sh_size;
            scan_segments(scan, (struct range){section.sh_addr, end});
        }
    }
    if (count == 0) {
        scan_segments(scan, (struct range){0, UINT32_MAX});
    }
}

void code_scan(const struct image *image, struct functions *functions, uint32_t classes,
               code_matches matches, code_visit visit, void *context)
{
    const struct scan scan = {image, functions, classes, matches, visit, context};
    scan_code(&scan);
}
