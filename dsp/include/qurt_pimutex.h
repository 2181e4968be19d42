/* qurt_pimutex.h: recursive mutexes whose holder inherits the priority of the waiters.
 *
 * The interface (names, signatures, layout) is that documented for QuRT in the Hexagon SDK. */
#ifndef QURT_PIMUTEX_H
#define QURT_PIMUTEX_H

#include "qurt_mutex.h"

#ifdef __cplusplus
extern "C" {
#endif

void qurt_pimutex_init(qurt_mutex_t *lock);
void qurt_pimutex_destroy(qurt_mutex_t *lock);
void qurt_pimutex_lock(qurt_mutex_t *lock);
void qurt_pimutex_unlock(qurt_mutex_t *lock);
int qurt_pimutex_try_lock(qurt_mutex_t *lock);

#ifdef __cplusplus
}
#endif

#endif
