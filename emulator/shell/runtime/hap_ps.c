/* hap_ps.c: properties of the DSP process, and tracing, which is not emulated. */
#include <stdio.h>

#include "AEEStdErr.h"
#include "HAP_etm_config.h"
#include "HAP_ps.h"
#include "runtime.h"

/* The documented highest priority of threads in a process without privileges. */
#define PRIORITY_CEILING 64

static char name[56] = "fastrpc_shell"; /* PROCESS_NAME_LEN */

const char *process_name(void)
{
    return name;
}

int HAP_set_process_name(char *wanted)
{
    if (wanted == NULL) {
        return AEE_EBADPARM;
    }
    snprintf(name, sizeof name, "%s", wanted);
    return AEE_SUCCESS;
}

int HAP_get_thread_priority_ceiling(void)
{
    return PRIORITY_CEILING;
}

/* Has no effect, because the emulated ARM side never enters a sleep mode. */
int HAP_send_early_signal(uint32_t tidQ, uint32_t earlyWakeTime)
{
    (void)tidQ;
    (void)earlyWakeTime;
    return AEE_SUCCESS;
}

int HAP_get_userpd_params(HAP_req_userpd_params_t *request)
{
    if (request == NULL || request->type != HAP_req_get_orig_apps_pid) {
        return AEE_EBADPARM;
    }
    request->orig_apps_pid = (int)shell_facts()->client_pid;
    return AEE_SUCCESS;
}

int __HAP_user_etm_enable(void)
{
    REFUSE_ONCE("HAP_user_etm_enable: instruction tracing is not emulated");
    return AEE_EUNSUPPORTED;
}

int __HAP_user_etm_disable(void)
{
    return AEE_EUNSUPPORTED;
}

const struct shell_symbol hap_ps_symbols[] = {
    EXPORT(HAP_set_process_name),
    EXPORT(HAP_get_thread_priority_ceiling),
    EXPORT(HAP_send_early_signal),
    EXPORT(HAP_get_userpd_params),
    EXPORT(__HAP_user_etm_enable),
    EXPORT(__HAP_user_etm_disable),
    EXPORT_END,
};
