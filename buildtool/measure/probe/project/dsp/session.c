/* session.c: sessions, votes for power, and the clock. */
#include <stdlib.h>
#include <string.h>

#include "AEEStdErr.h"
#include "HAP_perf.h"
#include "HAP_power.h"
#include "device_probe.h"
#include "qurt.h"

#define SPIN_TICKS 96000u   /* 5 ms */
#define SPINS_MAX 10000000u /* for a counter that stands still */

static int vote(remote_handle64 handle, const HAP_power_request_t *request)
{
    return HAP_power_set((void *)(uintptr_t)handle, (HAP_power_request_t *)request);
}

/* Some DSPs have no HVX: sessions open there, too. */
int device_probe_open(const char *uri, remote_handle64 *handle)
{
    HAP_power_request_t request;
    int *session = malloc(sizeof *session); /* its address identifies it in votes */

    (void)uri;
    if (session == NULL)
        return AEE_ENOMEMORY;
    memset(&request, 0, sizeof request);
    request.type = HAP_power_set_HVX;
    request.hvx.power_up = TRUE;
    *handle = (remote_handle64)(uintptr_t)session;
    *session = vote(*handle, &request) != 0 ? AEE_EUNSUPPORTED : AEE_SUCCESS;
    return AEE_SUCCESS;
}

AEEResult device_probe_crash(remote_handle64 handle)
{
    volatile int *volatile nowhere = NULL;

    (void)handle;
    *nowhere = 1; /* as the IDL says. NOLINT(clang-analyzer-core.NullDereference) */
    return AEE_SUCCESS;
}

int device_probe_close(remote_handle64 handle)
{
    HAP_power_request_t request;

    memset(&request, 0, sizeof request);
    request.type = HAP_power_set_HVX;
    vote(handle, &request);
    HAP_power_destroy((void *)(uintptr_t)handle); /* and with it all votes */
    free((void *)(uintptr_t)handle);
    return AEE_SUCCESS;
}

/* __HEXAGON_ARCH__ is decimal: 68 for v68.  qurt_hvx_get_units: the low byte counts the units of
 * 64 bytes, the next one those of 128. */
AEEResult device_probe_info(remote_handle64 handle, int32_t *arch, int32_t *hvx_units)
{
    (void)handle;
    *arch = __HEXAGON_ARCH__;
    *hvx_units = qurt_hvx_get_units() >> 8 & 0xff;
    return AEE_SUCCESS;
}

AEEResult device_probe_clock(remote_handle64 handle, int32_t fast, uint64_t *cycles,
                             uint64_t *ticks)
{
    HAP_power_request_t request;
    uint64_t start, cycle;
    uint32_t spins = 0;
    int code;

    if (fast) {
        memset(&request, 0, sizeof request);
        request.type = HAP_power_set_DCVS_v3;
        request.dcvs_v3.set_dcvs_enable = TRUE;
        request.dcvs_v3.dcvs_option = HAP_DCVS_V2_PERFORMANCE_MODE;
        request.dcvs_v3.set_core_params = TRUE;
        request.dcvs_v3.core_params.min_corner = HAP_DCVS_VCORNER_MAX;
        request.dcvs_v3.core_params.max_corner = HAP_DCVS_VCORNER_MAX;
        request.dcvs_v3.core_params.target_corner = HAP_DCVS_VCORNER_MAX;
        code = vote(handle, &request);
        if (code != 0)
            return code;
    }
    start = HAP_perf_get_qtimer_count();
    cycle = HAP_perf_get_pcycles();
    while (HAP_perf_get_qtimer_count() - start < SPIN_TICKS && spins < SPINS_MAX)
        spins++;
    *cycles = HAP_perf_get_pcycles() - cycle;
    *ticks = HAP_perf_get_qtimer_count() - start;
    return AEE_SUCCESS;
}

AEEResult device_probe_take(remote_handle64 handle, const uint8_t *data, int data_len)
{
    (void)handle;
    (void)data;
    (void)data_len;
    return AEE_SUCCESS;
}
