/* saved_code.h: keeps the translated code of images in files, so that a later process need not translate it.
 *
 * The files are in the directory `translations` beside the shell's program, if there is one. An image has
 * the code of a file if its own bytes, its address and what relocation has made of it are the same. */
#ifndef BUILDTOOL_SHELL_SAVED_CODE_H
#define BUILDTOOL_SHELL_SAVED_CODE_H

#include "link.h"

struct digest {
    uint32_t a, b;
};

struct saved_code {
    int file; /* open, or -1 */
    char path[256];
    uint8_t *mapping; /* where the image was; NULL: there is no file */
    uint8_t *code;    /* a copy of the image before it is patched, or NULL */
    struct digest memory;
};

/* Sets where the shell's program is. */
void saved_code_start(const char *program);

/* Looks for the file of an image. If there is one, stores how large the thunks are. */
void saved_code_find(const struct image *image, struct link_memory *memory,
                     struct saved_code *saved);

/* Patches a relocated image as its file says. Returns false if it fits another address or other values, or is
 * damaged; then the image is as before. */
bool saved_code_use(const struct image *image, struct link_memory *memory,
                    const struct saved_code *saved);

/* Copies a relocated image, and writes a file after it was patched. */
void saved_code_note(const struct image *image, const struct link_memory *memory,
                     struct saved_code *saved);
void saved_code_keep(const struct image *image, const struct link_memory *memory,
                     const struct saved_code *saved);

void saved_code_end(struct saved_code *saved);

#endif
