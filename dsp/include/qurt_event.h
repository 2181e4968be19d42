/* qurt_event.h: properties of the processor and of the process.
 *
 * The interface (names, signatures, layout) is that documented for QuRT in the Hexagon SDK.
 *
 * On no known DSP shell: qurt_sysenv_get_hw_threads. */
#ifndef QURT_EVENT_H
#define QURT_EVENT_H

#include "qurt_consts.h"
#include "qurt_thread.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct qurt_sysenv_app_heap {
    unsigned int heap_base;
    unsigned int heap_limit;
} qurt_sysenv_app_heap_t;

typedef struct qurt_sysenv_arch_version {
    unsigned int arch_version; /* the low byte is the arch: 0x68 for v68 */
} qurt_arch_version_t;

typedef struct qurt_sysenv_max_hthreads {
    unsigned int max_hthreads;
} qurt_sysenv_max_hthreads_t;

typedef struct qurt_sysenv_hthreads {
    unsigned int hthreads;
} qurt_sysenv_hthreads_t;

typedef struct qurt_sysenv_max_pi_prio {
    unsigned int max_pi_prio;
} qurt_sysenv_max_pi_prio_t;

typedef struct qurt_sysenv_procname {
    union {
        unsigned int asid;
        unsigned int pid;
    };
    char name[QURT_MAX_NAME_LEN];
} qurt_sysenv_procname_t;

int qurt_sysenv_get_arch_version(qurt_arch_version_t *vers);
int qurt_sysenv_get_max_hw_threads(qurt_sysenv_max_hthreads_t *mhwt);
int qurt_sysenv_get_hw_threads(qurt_sysenv_hthreads_t *mhwt);
int qurt_sysenv_get_max_pi_prio(qurt_sysenv_max_pi_prio_t *mpip);
int qurt_sysenv_get_process_name(qurt_sysenv_procname_t *pname);

#ifdef __cplusplus
}
#endif

#endif
