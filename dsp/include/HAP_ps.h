/* HAP_ps.h: properties of the DSP process.
 *
 * The interface is that documented for the Hexagon SDK (HAP_ps). */
#ifndef HAP_PS_H
#define HAP_PS_H

#include "AEEStdDef.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the highest priority (lowest number) that a thread of this process can have. */
int HAP_get_thread_priority_ceiling(void);

int HAP_set_process_name(char *name);

/* Wakes the ARM side early, because the current call ends in about `earlyWakeTime` us. */
int HAP_send_early_signal(uint32_t tidQ, uint32_t earlyWakeTime);

typedef enum { HAP_req_get_orig_apps_pid = 1 } HAP_req_userpd_params_type;

typedef struct {
    HAP_req_userpd_params_type type;
    union {
        int orig_apps_pid; /* out */
    };
} HAP_req_userpd_params_t;

int HAP_get_userpd_params(HAP_req_userpd_params_t *request) __attribute__((weak));

#ifdef __cplusplus
}
#endif

#endif
