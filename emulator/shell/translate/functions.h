/* functions.h: finds the code of an image, between which there can be data. */
#ifndef BUILDTOOL_SHELL_FUNCTIONS_H
#define BUILDTOOL_SHELL_FUNCTIONS_H

#include "image.h"

struct range {
    uint32_t start, end; /* link-time addresses */
};

struct function {
    struct range range;
    bool unwound;  /* an unwind table describes it: a compiler made it */
    bool examined; /* what it refers to is in the list */
};

struct functions {
    struct function *list; /* sorted */
    size_t count, room;
    bool found; /* whether functions_find was called */
};

/* Finds, once, the functions that symbols and unwind tables name, and the code that they, or relocations,
 * refer to. If there is no memory for the list, then it has no more than there was memory for. */
void functions_find(const struct image *image, struct functions *functions);
void functions_free(struct functions *functions);

/* Returns the function that contains an address, or NULL. */
const struct function *function_at(const struct functions *functions, uint32_t address);

/* Returns the bytes of the file at a link-time address, and how many there are; NULL: none. */
const uint8_t *image_bytes(const struct image *image, uint32_t address, uint32_t *size);

/* Reads words at a link-time address. Returns their number, which is less at the end of a segment. */
size_t image_words(const struct image *image, uint32_t address, uint32_t *words, size_t count);

/* Section headers: their number, or 0 when they are not in the file, and one of them. */
uint32_t section_count(const struct image *image);
Elf32_Shdr section_at(const struct image *image, uint32_t index);

#endif
