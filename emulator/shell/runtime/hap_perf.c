/* hap_perf.c: the DSP's clocks and sleep. */
#define _GNU_SOURCE
#include "HAP_perf.h"
#include "runtime.h"

static int sleep_for(unsigned long long microseconds)
{
    clock_sleep_us(microseconds);
    return 0;
}

const struct shell_symbol hap_perf_symbols[] = {
    EXPORT_AS("HAP_perf_qtimer_count_to_us", clock_ticks_to_us),
    EXPORT_AS("HAP_timer_sleep", sleep_for),
    EXPORT_END,
};
