/* qurt_cond.h: condition variables.
 *
 * The interface (names, signatures, layout) is that documented for QuRT in the Hexagon SDK.
 *
 * Not on every DSP shell: qurt_cond_wait2. */
#ifndef QURT_COND_H
#define QURT_COND_H

#include "qurt_mutex.h"
#include "qurt_rmutex2.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef union {
    unsigned long long raw;
    struct {
        unsigned int count;
        unsigned int n_waiting;
        unsigned int queue;
        unsigned int reserved;
    } X;
} qurt_cond_t;

void qurt_cond_init(qurt_cond_t *cond);
void qurt_cond_destroy(qurt_cond_t *cond);
void qurt_cond_signal(qurt_cond_t *cond);
void qurt_cond_broadcast(qurt_cond_t *cond);
void qurt_cond_wait(qurt_cond_t *cond, qurt_mutex_t *mutex);
void qurt_cond_wait2(qurt_cond_t *cond, qurt_rmutex2_t *mutex);

#ifdef __cplusplus
}
#endif

#endif
