/* clock.c: the DSP's clocks, derived from the build machine's monotonic clock. */
#define _GNU_SOURCE
#include <time.h>

#include "runtime.h"

uint64_t clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t clock_after_us(uint64_t microseconds)
{
    uint64_t now = clock_now();
    return microseconds >= (FOREVER - now) / 1000u ? FOREVER - 1 : now + microseconds * 1000u;
}

uint64_t clock_ticks(void)
{
    uint64_t now = clock_now();
    /* There are 19.2 ticks per microsecond. Two parts keep the products within 64 bits. */
    return now / 1000000u * 19200u + now % 1000000u * 192u / 10000u;
}

uint64_t clock_ticks_to_us(uint64_t ticks)
{
    return ticks / 192u * 10u + ticks % 192u * 10u / 192u;
}

uint64_t clock_cycles(void)
{
    return clock_now();
}

void clock_sleep_us(uint64_t microseconds)
{
    uint64_t end = clock_after_us(microseconds);
    for (uint64_t now = clock_now(); now < end; now = clock_now()) {
        uint64_t left = end - now;
        struct timespec rest = {.tv_sec = (time_t)(left / 1000000000u),
                                .tv_nsec = (long)(left % 1000000000u)};
        nanosleep(&rest, NULL);
    }
}
