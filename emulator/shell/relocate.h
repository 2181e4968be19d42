/* relocate.h: applies the relocations of a skel. */
#ifndef BUILDTOOL_SHELL_RELOCATE_H
#define BUILDTOOL_SHELL_RELOCATE_H

#include "image.h"

struct module;

/* Relocates an image whose segments are in memory; see link_image. */
int relocate_image(const struct image *image, struct module *module, uint8_t *base, char *reason,
                   size_t room);

#endif
