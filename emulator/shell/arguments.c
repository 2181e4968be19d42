/* arguments.c: the memory of the copied arguments of a call.
 *
 * Each channel has an area for all of its calls. With --strict each argument of each call has
 * pages of its own, to which there is no access after the call. */
#include "arguments.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core.h"

#define AREA_SLACK 256u /* for vector loads that reach past the last argument */
#define AREA_MAX 0x60000000u

/* The area of a channel thread. It grows as needed and never shrinks. */
static _Thread_local struct {
    uint8_t *bytes;
    size_t size;
} shared;

static bool grow(uint64_t wanted)
{
    if (wanted <= shared.size) {
        return true;
    }
    if (wanted > AREA_MAX) {
        return false;
    }
    size_t size = ((size_t)wanted + 0xffffu) & ~(size_t)0xffffu;
    void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (bytes == MAP_FAILED) {
        return false;
    }
    if (shared.bytes != NULL) {
        munmap(shared.bytes, shared.size);
    }
    shared.bytes = bytes;
    shared.size = size;
    return true;
}

bool area_open(struct argument_area *area, uint64_t total, uint32_t count)
{
    *area = (struct argument_area){.used = 0};
    if (shell_facts()->strict != STRICT_OFF) {
        area->guarded = count == 0 ? NULL : calloc(count, sizeof *area->guarded);
        return count == 0 || area->guarded != NULL;
    }
    bool room = grow(total + AREA_SLACK);
    area->next = shared.bytes;
    return room;
}

void *area_take(struct argument_area *area, uint32_t length)
{
    if (area->guarded != NULL) {
        struct guarded *guarded = &area->guarded[area->used];
        bool front = shell_facts()->strict == STRICT_FRONT;
        if (!guarded_map(guarded, length, ARGUMENT_ALIGN, front, true)) {
            return NULL;
        }
        area->used++;
        return guarded->data;
    }
    void *bytes = area->next;
    area->next += (length + ARGUMENT_ALIGN - 1) & ~(size_t)(ARGUMENT_ALIGN - 1);
    return bytes;
}

void area_check(const struct argument_area *area)
{
    for (uint32_t i = 0; i < area->used; i++) {
        uintptr_t address = 0;
        if (guarded_spoiled(&area->guarded[i], &address)) {
            shell_stop("argument", address, "the method has written outside of an argument");
        }
    }
}

void area_close(struct argument_area *area)
{
    for (uint32_t i = 0; i < area->used; i++) {
        guarded_retire(&area->guarded[i]);
    }
    free(area->guarded);
}

void argument_poison(void *bytes, uint32_t length)
{
    memset(bytes, POISON, length);
}
