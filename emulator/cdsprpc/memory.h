/* memory.h: memory for buffers. */
#ifndef BUILDTOOL_CDSPRPC_MEMORY_H
#define BUILDTOOL_CDSPRPC_MEMORY_H

#include <stddef.h>

/* Creates a memfd of `size` bytes with close-on-exec set. Returns -1 on failure. */
int memory_file(size_t size);

/* The variable that asks for out buffers to be filled before each call; --strict does so, too. */
#define FILL_VARIABLE "BUILDTOOL_SIM_FILL"

/* Returns "back" or "front" if the DSP process uses memory strictly (`buildtool run sim --strict`),
 * or "". */
const char *strict_mode(void);

#endif
