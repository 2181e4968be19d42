/* Buffers from rpcmem, filled with poison, with guards. */
#include "probe_buffer.h"

#include <limits.h>
#include <string.h>

#include "remote.h"
#include "rpcmem.h"

/* GUARD_BEFORE is not a multiple of a vector's size, so that the data is not aligned to a
 * vector. */
enum { GUARD_BEFORE = 128 + 12, GUARD_AFTER = 256 };

int probe_buffer_allocate(struct probe_buffer *buffer, size_t size)
{
    buffer->size = size;
    buffer->memory = NULL;
    if (size > INT_MAX - GUARD_BEFORE - GUARD_AFTER)
        return 0;
    buffer->memory = rpcmem_alloc(RPCMEM_HEAP_ID_SYSTEM, RPCMEM_DEFAULT_FLAGS,
                                  (int)(GUARD_BEFORE + size + GUARD_AFTER));
    if (buffer->memory == NULL)
        return 0;
    memset(buffer->memory, PROBE_POISON, GUARD_BEFORE + size + GUARD_AFTER);
    buffer->data = buffer->memory + GUARD_BEFORE;
    return 1;
}

static int all_poison(const uint8_t *from, size_t size)
{
    while (size > 0 && from[size - 1] == PROBE_POISON)
        size--;
    return size == 0;
}

int probe_buffer_guards_whole(const struct probe_buffer *buffer)
{
    return all_poison(buffer->memory, GUARD_BEFORE) &&
           all_poison(buffer->data + buffer->size, GUARD_AFTER);
}

static size_t whole_size(const struct probe_buffer *buffer)
{
    return GUARD_BEFORE + buffer->size + GUARD_AFTER;
}

int probe_buffer_map(const struct probe_buffer *buffer)
{
    return fastrpc_mmap(CDSP_DOMAIN_ID, rpcmem_to_fd(buffer->memory), buffer->memory, 0,
                        whole_size(buffer), FASTRPC_MAP_FD);
}

void probe_buffer_unmap(const struct probe_buffer *buffer)
{
    fastrpc_munmap(CDSP_DOMAIN_ID, rpcmem_to_fd(buffer->memory), buffer->memory,
                   whole_size(buffer));
}

struct dspqueue_buffer probe_buffer_reference(const struct probe_buffer *buffer, uint32_t flags)
{
    return (struct dspqueue_buffer){.fd = (uint32_t)rpcmem_to_fd(buffer->memory),
                                    .offset = GUARD_BEFORE,
                                    .size = (uint32_t)buffer->size,
                                    .flags = flags};
}

void probe_buffer_free(struct probe_buffer *buffer)
{
    if (buffer->memory != NULL)
        rpcmem_free(buffer->memory);
    buffer->memory = NULL;
}
