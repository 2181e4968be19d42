/* link.h: puts a checked image into memory and binds it. */
#ifndef BUILDTOOL_SHELL_LINK_H
#define BUILDTOOL_SHELL_LINK_H

#include "image.h"

/* What an undefined name of the image stands for: its address, or NULL. */
typedef void *(*link_resolver)(void *context, const char *name);

/* Memory of the image: base + linked address is where a byte is. */
struct link_memory {
    uint8_t *mapping;
    size_t mapping_size;
    uint8_t *base;
};

/* Maps, copies, relocates and protects. Returns 0 or a code with a sentence in reason;
 * undefined names are all listed there. */
int link_image(const struct image *image, link_resolver resolver, void *context,
               struct link_memory *memory, char *reason, size_t room);
void link_unmap(struct link_memory *memory);

#endif
