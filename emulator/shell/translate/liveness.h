/* liveness.h: which vectors of a function matter after each of its packets. */
#ifndef BUILDTOOL_SHELL_LIVENESS_H
#define BUILDTOOL_SHELL_LIVENESS_H

#include "functions.h"

#define ABI_RESULTS 3u /* v0 and v1 */

/* `base`: where the image is loaded and relocated, as in struct link_memory, or NULL. */
struct liveness {
    const struct image *image;
    const struct functions *functions;
    const uint8_t *base;
    const struct function *function; /* of which it is known; NULL: none */
    uint32_t *after;                 /* for each word at which a packet starts: a set of vectors */
};

/* Returns the vectors whose values can be read after the packet at an address. Finds those of the
 * whole function when the address is in another one than before. */
uint32_t live_after(struct liveness *liveness, uint32_t address);

void liveness_free(struct liveness *liveness);

#endif
