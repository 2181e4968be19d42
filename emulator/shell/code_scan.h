/* code_scan.h: visits the packets of an image that contain certain instructions. */
#ifndef BUILDTOOL_SHELL_CODE_SCAN_H
#define BUILDTOOL_SHELL_CODE_SCAN_H

#include "translate/functions.h"

typedef bool (*code_matches)(uint32_t word);

/* Called with the link-time address of a packet and its number of words. */
typedef void (*code_visit)(void *context, uint32_t address, size_t size, uint32_t word);

/* Visits the packets of functions, once for each of its words that matches, which all have one of the
 * classes: see has_class. Finds the functions for the first of them. If `functions` is NULL,
 * visits those of all sections with code, or, without section headers, of all such segments. A word
 * is data when the words around it are no packet. */
void code_scan(const struct image *image, struct functions *functions, uint32_t classes,
               code_matches matches, code_visit visit, void *context);

#endif
