/* vtcm.h: the vector memory: one buffer with the size of the SoC's VTCM. */
#ifndef BUILDTOOL_RUNTIME_VTCM_H
#define BUILDTOOL_RUNTIME_VTCM_H

#include <stdbool.h>
#include <stdint.h>

struct vtcm_range {
    uint32_t offset;
    uint32_t size; /* bytes, a multiple of 4096; 0: none */
};

/* Returns the size in bytes, or 0 when the SoC has no VTCM. */
uint32_t vtcm_total(void);

/* Returns the address, which is aligned to the size (at most to 16 MiB), or NULL when there is no
 * VTCM. */
uint8_t *vtcm_base(void);

/* Returns the file that it is a mapping of, or -1. */
int vtcm_fd(void);

/* Finds the first gap between `used` ranges that has `size` bytes. Without such a gap, it returns
 * the largest gap if that has `least` bytes and `least` is not 0. Otherwise the returned size is
 * 0. */
struct vtcm_range vtcm_find(const struct vtcm_range *used, int count, uint32_t size,
                            uint32_t least);

bool vtcm_overlap(struct vtcm_range a, struct vtcm_range b);

/* Zeroes a range, as the resource manager does when a context releases it. */
void vtcm_clear(struct vtcm_range range);

/* Fills a range with POISON: no document promises a skel that VTCM is zero. */
void vtcm_poison(struct vtcm_range range);

#endif
