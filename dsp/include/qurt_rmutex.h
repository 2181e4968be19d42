/* qurt_rmutex.h: recursive mutexes, which their holder can lock again.
 *
 * The interface (names, signatures, layout) is that documented for QuRT in the Hexagon SDK.
 *
 * Not on every DSP shell: qurt_rmutex_lock_timed. */
#ifndef QURT_RMUTEX_H
#define QURT_RMUTEX_H

#include "qurt_mutex.h"

#ifdef __cplusplus
extern "C" {
#endif

void qurt_rmutex_init(qurt_mutex_t *lock);
void qurt_rmutex_destroy(qurt_mutex_t *lock);
void qurt_rmutex_lock(qurt_mutex_t *lock);
int qurt_rmutex_lock_timed(qurt_mutex_t *lock, unsigned long long int duration);

/* The mutex is free after as many unlocks as locks. */
void qurt_rmutex_unlock(qurt_mutex_t *lock);
int qurt_rmutex_try_lock(qurt_mutex_t *lock);

/* Waits for the holder once, then tries once. */
int qurt_rmutex_try_lock_block_once(qurt_mutex_t *lock);

#ifdef __cplusplus
}
#endif

#endif
