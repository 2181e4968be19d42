/* regions.h: the pieces of memory that a skel sees, for reports: which one an address belongs to. */
#ifndef BUILDTOOL_SHELL_REGIONS_H
#define BUILDTOOL_SHELL_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum region_kind {
    REGION_NONE,
    REGION_HEAP,
    REGION_IN,     /* an argument of a call that the client sends */
    REGION_OUT,    /* an argument of a call that the client receives */
    REGION_SHARED, /* a buffer of the client */
    REGION_STACK,
};

struct region {
    uintptr_t start;
    size_t size;
    enum region_kind kind;
    bool gone;      /* freed; such a region is kept for some time */
    uint32_t index; /* of the argument; of the client's descriptor; the alignment of a heap block */
    uint32_t method; /* of the argument's call; of a shared buffer: whether it has guards */
    uint64_t number; /* a newer region has a higher number */
};

void region_add(enum region_kind kind, const void *start, size_t size, uint32_t index,
                uint32_t method);

/* Marks the newest live region of that kind and start as gone. Returns false, and the newest gone
 * region in *region, when there is no live one; its kind is REGION_NONE when there is none at all.
 * region may be NULL. */
bool region_remove(enum region_kind kind, const void *start, struct region *region);

/* Finds the newest live region of that kind that starts at an address. */
bool region_at(enum region_kind kind, const void *start, struct region *region);

/* Finds the region that contains an address, or else the nearest one, at most `reach` bytes away.
 * Waits only for some time for other threads, so that a signal handler can call it, even one that
 * interrupts another function of this file: then it returns false. */
bool region_near(uintptr_t address, size_t reach, struct region *region);

/* Returns how many bytes an address is outside of a region: 1 or more past its end, -1 or less
 * before its start, 0 inside. */
int64_t region_distance(const struct region *region, uintptr_t address);

#endif
