/* link.h: loads a checked image into memory and relocates it. */
#ifndef BUILDTOOL_SHELL_LINK_H
#define BUILDTOOL_SHELL_LINK_H

#include "image.h"

struct module;

/* The memory of a loaded image. A byte with link-time address `a` is at base + a. */
struct link_memory {
    uint8_t *mapping;
    size_t mapping_size;
    uint8_t *base;
    uint8_t *thunks; /* behind the image, see translate/translate.h */
    size_t thunks_size;
    uint8_t *veneers[2]; /* before the image, and behind it, where the thunks begin */
    size_t veneers_size; /* of each */
    struct thunk_origin *thunk_origins; /* of each, in their order */
    size_t thunk_count;
};

/* Maps memory, copies the segments, relocates them and sets the memory protection. `module` is the
 * module that the image belongs to, in which its undefined symbols are resolved. Returns 0, or a
 * code and a message in reason. The message lists the undefined names. */
int link_image(const struct image *image, struct module *module, struct link_memory *memory,
               char *reason, size_t room);
void link_unmap(struct link_memory *memory);

#endif
