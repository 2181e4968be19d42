/* search.h: the skel on the library path. */
#ifndef BUILDTOOL_CDSPRPC_SEARCH_H
#define BUILDTOOL_CDSPRPC_SEARCH_H

#include <stdbool.h>

/* Opens the first file with that name on the library path. Returns its descriptor, or -1 and a code
 * in *code. On failure, writes the list of all files that it tried to standard error, unless
 * `quiet`. */
int search_open(const char *file, const char *domain, bool quiet, int *code);

#endif
