/* Memory shared with the DSP, poisoned, with a guard before and after it. */
#ifndef PROBE_BUFFER_H
#define PROBE_BUFFER_H

#include <stddef.h>
#include <stdint.h>

/* As an int32 it is -1, as a float a NaN, which equals nothing. */
enum { PROBE_POISON = 0xff };

struct probe_buffer {
    uint8_t *memory; /* from rpcmem; NULL: none */
    uint8_t *data;   /* `size` bytes, not aligned to a vector */
    size_t size;
};

/* Fills all of it with poison.  Returns 0 if there is no such memory. */
int probe_buffer_allocate(struct probe_buffer *buffer, size_t size);

/* Non-zero if what is around the data is still poison. */
int probe_buffer_guards_whole(const struct probe_buffer *buffer);

/* Takes a buffer that was never allocated, too. */
void probe_buffer_free(struct probe_buffer *buffer);

#endif
