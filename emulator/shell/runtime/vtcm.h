/* vtcm.h: the vector memory: one buffer of the SoC's size, parts of it in use. */
#ifndef BUILDTOOL_RUNTIME_VTCM_H
#define BUILDTOOL_RUNTIME_VTCM_H

#include <stdbool.h>
#include <stdint.h>

struct vtcm_range {
    uint32_t offset;
    uint32_t size; /* bytes, a multiple of 4096; 0: none */
};

/* Bytes in all. 0: the SoC has none. */
uint32_t vtcm_total(void);

/* Where it lies; aligned to its size. NULL when there is none. */
uint8_t *vtcm_base(void);

/* The largest page that it is made of, as DSPs do it: 4 KiB times a power of 4. */
uint32_t vtcm_page(void);

/* The first gap between `used` ranges that holds `size` bytes; failing that, the largest
 * one if it has `least` (0: none will do). Size 0 when there is none. */
struct vtcm_range vtcm_find(const struct vtcm_range *used, int count, uint32_t size,
                            uint32_t least);

bool vtcm_overlap(struct vtcm_range a, struct vtcm_range b);

/* Zeroes a range, as the manager does between holders. */
void vtcm_clear(struct vtcm_range range);

#endif
