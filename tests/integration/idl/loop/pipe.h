/* The format of calls on a FastRPC transport of two pipes.
 *
 * Call: u32 scalars, u64 handle, for each in buffer u32 size and its bytes, for each rout
 * buffer u32 size, for each handle 8 bytes.  Answer: i32 result, each rout buffer's bytes,
 * 8 bytes for each out handle. */
#ifndef PIPE_H
#define PIPE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static inline void put(FILE *to, const void *data, size_t size)
{
    if (size > 0 && fwrite(data, 1, size, to) != size) {
        fprintf(stderr, "the other side is gone\n");
        exit(3);
    }
}

static inline int get(FILE *from, void *data, size_t size)
{
    return size == 0 || fread(data, 1, size, from) == size;
}

#endif
