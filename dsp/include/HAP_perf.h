/* HAP_perf.h: time on the DSP: the 19.2 MHz counter, processor cycles and sleep.
 *
 * The interface is that documented for the Hexagon SDK (HAP_perf). The counters are the registers
 * c31:30 (UTIMER) and c15:14 (UPCYCLE). */
#ifndef HAP_PERF_H
#define HAP_PERF_H

#include "AEEStdDef.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the ticks of the 19.2 MHz counter, which is relative and 56 bits wide. Only a DSP has
 * it. */
static inline uint64 HAP_perf_get_qtimer_count(void)
{
    uint64 count = 0;
#if defined(__hexagon__)
    __asm__ volatile("%0 = c31:30" : "=r"(count));
#endif
    return count;
}

static inline uint64 HAP_perf_get_time_us(void)
{
    return HAP_perf_get_qtimer_count() * 10u / 192u;
}

/* Returns the cycles of the processor since its start. The counter stops while the processor
 * sleeps. Only a DSP has it. */
static inline uint64 HAP_perf_get_pcycles(void)
{
    uint64 cycles = 0;
#if defined(__hexagon__)
    __asm__ volatile("%0 = c15:14" : "=r"(cycles));
#endif
    return cycles;
}

uint64 HAP_perf_qtimer_count_to_us(uint64 count);

/* Sleeps for a number of microseconds. Returns 0. */
int HAP_timer_sleep(unsigned long long sleep_duration);

#ifdef __cplusplus
}
#endif

#endif
