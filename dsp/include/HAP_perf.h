/* HAP_perf.h: time on the DSP: the 19.2 MHz counter, processor cycles and sleep.
 *
 * The interface is that documented for the Hexagon SDK (HAP_perf). The counters are the registers
 * c31:30 (UTIMER) and c15:14 (UPCYCLE). In qemu's user emulation, both read as zero. For that case,
 * the emulated shell has two weak functions, which no DSP has. */
#ifndef HAP_PERF_H
#define HAP_PERF_H

#include "AEEStdDef.h"

#ifdef __cplusplus
extern "C" {
#endif

uint64 buildtool_sim_qtimer_count(void) __attribute__((weak));
uint64 buildtool_sim_pcycles(void) __attribute__((weak));

/* Returns the ticks of the 19.2 MHz counter, which is relative and 56 bits wide. */
static inline uint64 HAP_perf_get_qtimer_count(void)
{
#if defined(__hexagon__)
    uint64 count;
    __asm__ volatile("%0 = c31:30" : "=r"(count));
    return count ? count : buildtool_sim_qtimer_count ? buildtool_sim_qtimer_count() : 0;
#else
    return buildtool_sim_qtimer_count ? buildtool_sim_qtimer_count() : 0;
#endif
}

static inline uint64 HAP_perf_get_time_us(void)
{
    return HAP_perf_get_qtimer_count() * 10u / 192u;
}

/* Returns the cycles of the processor since its start. The counter stops while the processor
 * sleeps. */
static inline uint64 HAP_perf_get_pcycles(void)
{
#if defined(__hexagon__)
    uint64 cycles;
    __asm__ volatile("%0 = c15:14" : "=r"(cycles));
    return cycles ? cycles : buildtool_sim_pcycles ? buildtool_sim_pcycles() : 0;
#else
    return buildtool_sim_pcycles ? buildtool_sim_pcycles() : 0;
#endif
}

uint64 HAP_perf_qtimer_count_to_us(uint64 count);

/* Sleeps for a number of microseconds. Returns 0. */
int HAP_timer_sleep(unsigned long long sleep_duration);

#ifdef __cplusplus
}
#endif

#endif
