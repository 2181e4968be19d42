/* thunk_origins.h: the packets of an image that thunks stand for. */
#ifndef BUILDTOOL_SHELL_THUNK_ORIGINS_H
#define BUILDTOOL_SHELL_THUNK_ORIGINS_H

#include "extensions.h"
#include "link.h"

/* Of a thunk: where it starts, and the packet that it stands for. */
struct thunk_origin {
    uint32_t start, packet;
    uint32_t size;           /* words */
    bool extended;           /* whether an instruction has extension bits */
    bool waits;              /* whether it is the end of a loop that waits */
    struct memory_use use;   /* of those */
    struct memory_use tags;  /* see qf_tags.h */
    const char *instruction; /* if it is not translated: one that is in it */
    const char *why;
};

/* Adds those with instructions that are replaced, and those that reset extension bits, to
 * memory->thunk_origins, sorted by their addresses. */
void thunk_origins_find(const struct image *image, struct functions *functions,
                        struct link_memory *memory);

#endif
