/* qurt_rmutex.h: mutexes that their holder may lock again.
 *
 * Interface (names, signatures, layout) as documented for QuRT in the Hexagon SDK.
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

/* As many unlocks as locks make it free. */
void qurt_rmutex_unlock(qurt_mutex_t *lock);
int qurt_rmutex_try_lock(qurt_mutex_t *lock);

/* Wait for the holder once, then try once. */
int qurt_rmutex_try_lock_block_once(qurt_mutex_t *lock);

#ifdef __cplusplus
}
#endif

#endif
