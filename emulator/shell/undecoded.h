/* undecoded.h: finds the packets that qemu cannot decode or translate. */
#ifndef BUILDTOOL_SHELL_UNDECODED_H
#define BUILDTOOL_SHELL_UNDECODED_H

#include <stdint.h>

/* Prints the offset of each such packet, at most 16, in a part of a file that has only code.
 * Returns 0, or 2 after a message. */
int undecoded(const char *path, uint32_t start, uint32_t size);

#endif
