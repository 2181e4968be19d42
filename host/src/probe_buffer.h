/* Memory shared with the DSP, filled with poison, with a guard before and after it. */
#ifndef PROBE_BUFFER_H
#define PROBE_BUFFER_H

#include <stddef.h>
#include <stdint.h>

#include "dspqueue.h"

/* The value of each poisoned byte.  As an int32 it is -1; as a float it is a NaN. */
enum { PROBE_POISON = 0xff };

struct probe_buffer {
    uint8_t *memory; /* from rpcmem; NULL if not allocated */
    uint8_t *data;   /* `size` bytes, not aligned to a vector */
    size_t size;
};

/* Allocates a buffer and fills it with poison.  Returns 0 if the allocation fails. */
int probe_buffer_allocate(struct probe_buffer *buffer, size_t size);

/* Returns non-zero if both guards are unchanged. */
int probe_buffer_guards_whole(const struct probe_buffer *buffer);

/* Maps a buffer for the DSP, as a queue needs it.  Returns 0 or a FastRPC code. */
int probe_buffer_map(const struct probe_buffer *buffer);
void probe_buffer_unmap(const struct probe_buffer *buffer);

/* Returns a reference to the data of a mapped buffer. */
struct dspqueue_buffer probe_buffer_reference(const struct probe_buffer *buffer, uint32_t flags);

/* Frees a buffer.  Does nothing if it was never allocated. */
void probe_buffer_free(struct probe_buffer *buffer);

#endif
