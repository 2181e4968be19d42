/* code_scan.h: visits the packets of an image that contain certain instructions. */
#ifndef BUILDTOOL_SHELL_CODE_SCAN_H
#define BUILDTOOL_SHELL_CODE_SCAN_H

#include "image.h"

/* Where to look. Code can have data between functions, and some of it looks like instructions. */
enum code_places {
    CODE_SECTIONS, /* all that has code: the sections, or, without section headers, the segments */
    CODE_FUNCTIONS /* the functions that symbols and unwind tables name; if none, all code */
};

typedef bool (*code_matches)(uint32_t word);

/* Called with the link-time address of a packet and its number of words. */
typedef void (*code_visit)(void *context, uint32_t address, size_t size, uint32_t word);

/* Visits the packets of an image, once for each of its words that matches. A word is data when the
 * words around it are no packet. */
void code_scan(const struct image *image, enum code_places places, code_matches matches,
               code_visit visit, void *context);

/* Returns the bytes, in whole pages, in which `size` bytes fit for each of these words. */
size_t code_room(const struct image *image, enum code_places places, code_matches matches,
                 size_t size);

#endif
