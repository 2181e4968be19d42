/* HAP_dcvs.h: additions to a request of the type HAP_power_set_DCVS_v3.
 *
 * Each function changes a request before HAP_power_set() sends it. It returns 0, or
 * AEE_EVERSIONNOTSUPPORT on a DSP whose shell does not have it; clients ignore that. The functions
 * of the shell are weak, so that a skel loads everywhere. */
#ifndef HAP_DCVS_H
#define HAP_DCVS_H

#include "AEEStdErr.h"
#include "HAP_power.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a clock is optimised for at a corner. */
typedef enum { HAP_DCVS_CLK_PERF_HIGH = 0, HAP_DCVS_CLK_PERF_LOW = 1 } HAP_dcvs_clk_perf_mode_t;

/* Exported by shells from v79 on. */
int sysmon_set_dcvs_v3_protected_bus_corners(void *request, unsigned char enable)
    __attribute__((weak));
/* Exported by shells from v73 on. */
int sysmon_set_dcvs_v3_core_perf_mode(void *request, HAP_dcvs_clk_perf_mode_t mode)
    __attribute__((weak));
int sysmon_set_dcvs_v3_bus_perf_mode(void *request, HAP_dcvs_clk_perf_mode_t mode)
    __attribute__((weak));

/* With `enable` 1, votes for bus corners above TURBO_PLUS are not capped. */
static inline int HAP_set_dcvs_v3_protected_bus_corners(HAP_power_request_t *request,
                                                        unsigned char enable)
{
    if (!sysmon_set_dcvs_v3_protected_bus_corners)
        return AEE_EVERSIONNOTSUPPORT;
    return sysmon_set_dcvs_v3_protected_bus_corners(request, enable);
}

static inline int HAP_set_dcvs_v3_core_perf_mode(HAP_power_request_t *request,
                                                 HAP_dcvs_clk_perf_mode_t mode)
{
    if (!sysmon_set_dcvs_v3_core_perf_mode)
        return AEE_EVERSIONNOTSUPPORT;
    return sysmon_set_dcvs_v3_core_perf_mode(request, mode);
}

static inline int HAP_set_dcvs_v3_bus_perf_mode(HAP_power_request_t *request,
                                                HAP_dcvs_clk_perf_mode_t mode)
{
    if (!sysmon_set_dcvs_v3_bus_perf_mode)
        return AEE_EVERSIONNOTSUPPORT;
    return sysmon_set_dcvs_v3_bus_perf_mode(request, mode);
}

#ifdef __cplusplus
}
#endif

#endif
