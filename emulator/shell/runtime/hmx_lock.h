/* hmx_lock.h: which thread may use HMX, and whether it has power. */
#ifndef BUILDTOOL_RUNTIME_HMX_LOCK_H
#define BUILDTOOL_RUNTIME_HMX_LOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Locks HMX for the calling thread, which may lock it several times. Waits for other threads and other
 * programs if `waits`. Returns whether it is locked. */
bool hmx_lock(bool waits);

/* Drops a number of locks, of whichever thread has them. */
void hmx_unlock(int count);

/* Whether the calling thread has locked HMX. Stores how often HMX has been locked by a thread that did
 * not have it. */
bool hmx_is_locked(uint32_t *turn);

/* For a thread that ends: logs that it keeps HMX from all others if it has locked it; with strict, stops. */
void hmx_thread_ends(void);

/* Whether a client of HAP_power_set has voted for the power of HMX. */
bool hmx_is_powered(void);

#endif
