/* cycle_counter.c: hexagon_reg_* and q6reg_*, which time code in cycles, and cache maintenance.
 *
 * Their headers are hexagon_reg_timer.h and hexagon_cache_utils.h of the Hexagon tools, and those
 * with the older name q6. */
#include <stdio.h>

#include "../shell.h"
#include "runtime.h"

/* What the registers REV and SYSCFG of a device hold: its arch, and caches and interrupts on. */
#define SYSCFG 0x001f3fu

static uint64_t started, counted;

static void timer_start(void)
{
    started = clock_cycles();
}

static void timer_clear(void)
{
    counted = 0;
    timer_start();
}

static void timer_end(void)
{
    counted += clock_cycles() - started;
}

/* The argument is a FILE; the log is the only one. */
static void timer_show(const void *file)
{
    (void)file;
    char text[64];
    int length = snprintf(text, sizeof text, "pcycles: %llu\n", (unsigned long long)counted);
    shell_print(text, (size_t)length);
}

static uint32_t revision(void)
{
    return shell_facts()->arch;
}

static uint32_t system_configuration(void)
{
    return SYSCFG;
}

static void nothing(void)
{
}

#define EXPORT_TIMER(prefix)                                                                    \
    EXPORT_AS(prefix "init_timer", timer_clear), EXPORT_AS(prefix "clear_timer", timer_clear),  \
        EXPORT_AS(prefix "start_timer", timer_start), EXPORT_AS(prefix "end_timer", timer_end), \
        EXPORT_AS(prefix "show_timer", timer_show),                                             \
        EXPORT_AS(prefix "read_pcycles", clock_cycles), EXPORT_AS(prefix "read_rev", revision), \
        EXPORT_AS(prefix "read_syscfg", system_configuration),                                  \
        EXPORT_AS(prefix "prof_on", nothing), EXPORT_AS(prefix "prof_off", nothing)

const struct shell_symbol cycle_counter_symbols[] = {
    EXPORT_TIMER("hexagon_reg_"),
    EXPORT_TIMER("q6reg_"),
    /* The emulated DSP has no caches. */
    EXPORT_AS("hexagon_buffer_clean", nothing),
    EXPORT_AS("hexagon_buffer_cleaninv", nothing),
    EXPORT_AS("hexagon_buffer_inv", nothing),
    EXPORT_AS("hexagon_cache_cleaninv", nothing),
    EXPORT_AS("hexagon_cache_inva", nothing),
    EXPORT_AS("q6_buffer_clean", nothing),
    EXPORT_AS("q6_buffer_cleaninv", nothing),
    EXPORT_AS("q6_buffer_inv", nothing),
    EXPORT_END,
};
