/* layout.c: sizes and offsets that SDK-built skels rely on, checked at compile time. */
#include <stddef.h>

#include "cases.h"
#include "HAP_compute_res.h"
#include "HAP_mem.h"
#include "HAP_power.h"
#include "dspqueue.h"
#include "qurt.h"

#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), #type)
#define AT(type, member, offset)                                          \
    _Static_assert(offsetof(type, member) == (offset), #type "." #member)

SIZE(qurt_mutex_t, 16);
AT(qurt_mutex_t, count, 4);
_Static_assert(_Alignof(qurt_mutex_t) == 8, "qurt_mutex_t");
SIZE(qurt_rmutex2_t, 16);
AT(qurt_rmutex2_t, excess_locks, 12);
SIZE(qurt_signal_t, 16);
SIZE(qurt_signal_64_t, 32);
AT(qurt_signal_64_t, signals, 16);
SIZE(qurt_signal2_t, 16);
SIZE(qurt_barrier_t, 16);
AT(qurt_barrier_t, threads_total, 4);
SIZE(qurt_cond_t, 16);
SIZE(qurt_sem_t, 16);
AT(qurt_sem_t, X.n_waiting, 2);
SIZE(qurt_pipe_t, 88);
AT(qurt_pipe_t, data, 80);
SIZE(qurt_pipe_attr_t, 12);
SIZE(qurt_thread_attr_t, 36);
AT(qurt_thread_attr_t, priority, 18);
AT(qurt_thread_attr_t, bus_priority, 21);
AT(qurt_thread_attr_t, stack_size, 24);
AT(qurt_thread_attr_t, stack_addr, 28);
AT(qurt_thread_attr_t, detach_state, 32);
SIZE(qurt_timer_attr_t, 48);
AT(qurt_timer_attr_t, type, 32);
SIZE(qurt_sysenv_procname_t, 68);
SIZE(compute_res_attr_t, 64);
SIZE(compute_res_vtcm_page_t, 72);
SIZE(struct HAP_mem_stats, 40);
SIZE(HAP_mem_req_payload_t, 56);
SIZE(HAP_core_params_t, 16);
SIZE(HAP_power_dcvs_v3_payload, 80);
SIZE(HAP_power_hmx_payload_v2, 32);
SIZE(HAP_power_request_t, 120);
AT(HAP_power_request_t, dcvs_v3, 8);
SIZE(HAP_power_response_t, 16);
SIZE(struct dspqueue_buffer, 24);

const struct named_case cases[] = {{NULL, NULL}};
