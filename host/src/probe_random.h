/* Reproducible random numbers: splitmix64 (Steele, Lea, Flood: "Fast splittable
 * pseudorandom number generators", 2014). */
#ifndef PROBE_RANDOM_H
#define PROBE_RANDOM_H

#include <stdint.h>

static inline uint64_t random_bits(uint64_t *state)
{
    uint64_t bits = *state += UINT64_C(0x9e3779b97f4a7c15);

    bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
    return bits ^ bits >> 31;
}

/* Returns a number from -1 to 1. */
static inline float random_float(uint64_t *state)
{
    return (float)(int32_t)(random_bits(state) >> 32) * 0x1p-31f;
}

#endif
