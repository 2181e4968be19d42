/* qurt_rmutex2.h: recursive mutexes that the thread that unlocked them last may destroy.
 *
 * The interface (names, signatures, layout) is that documented for QuRT in the Hexagon SDK.
 *
 * Not on every DSP shell: qurt_rmutex2_init, qurt_rmutex2_lock, qurt_rmutex2_unlock.
 * On no known DSP shell: qurt_rmutex2_destroy, qurt_rmutex2_try_lock. */
#ifndef QURT_RMUTEX2_H
#define QURT_RMUTEX2_H

#include "qurt_mutex.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    unsigned int holder __attribute__((aligned(8)));
    unsigned short waiters;
    unsigned short refs;
    unsigned int queue;
    unsigned int excess_locks;
} qurt_rmutex2_t;

void qurt_rmutex2_init(qurt_rmutex2_t *lock);
void qurt_rmutex2_destroy(qurt_rmutex2_t *lock);
void qurt_rmutex2_lock(qurt_rmutex2_t *lock);
void qurt_rmutex2_unlock(qurt_rmutex2_t *lock);
int qurt_rmutex2_try_lock(qurt_rmutex2_t *lock);

#ifdef __cplusplus
}
#endif

#endif
