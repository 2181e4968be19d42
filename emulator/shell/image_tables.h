/* image_tables.h: the interface between image.c and image_tables.c. */
#ifndef BUILDTOOL_SHELL_IMAGE_TABLES_H
#define BUILDTOOL_SHELL_IMAGE_TABLES_H

#include <stdio.h>

#include "image.h"

#define REFUSE(code, ...)                                \
    do {                                                 \
        snprintf(reason, IMAGE_REASON_MAX, __VA_ARGS__); \
        return (code);                                   \
    } while (0)

/* Reads the names, symbols, relocations and constructors that the dynamic segment refers to. The
 * segments of the image have been read. Returns the codes of image_read. */
int image_tables_read(struct image *image, const Elf32_Phdr *dynamic, char *reason);

#endif
