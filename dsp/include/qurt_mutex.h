/* qurt_mutex.h: mutexes.
 *
 * The interface (names, signatures, layout) is that documented for QuRT in the Hexagon SDK.
 *
 * Not on every DSP shell: qurt_mutex_lock_timed. */
#ifndef QURT_MUTEX_H
#define QURT_MUTEX_H

#include "qurt_futex.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The type of plain, recursive and priority-inheritance mutexes; the functions determine the kind.
 * 16 bytes, aligned to 8. */
typedef union qurt_mutex_aligned8 {
    struct {
        unsigned int holder;
        unsigned int count;
        unsigned int queue;
        unsigned int wait_count;
    };
    unsigned long long int raw;
} qurt_mutex_t;

#define MUTEX_MAGIC 0xfe
#define QURTK_FUTEX_FREE_MAGIC 0x1F
#define QURT_MUTEX_INIT {{MUTEX_MAGIC, 0, QURTK_FUTEX_FREE_MAGIC, 0}}

void qurt_mutex_init(qurt_mutex_t *lock);
void qurt_mutex_destroy(qurt_mutex_t *lock);

/* A thread that locks a plain mutex twice waits forever. */
void qurt_mutex_lock(qurt_mutex_t *lock);

/* `duration` is in microseconds. Returns QURT_EOK or QURT_ETIMEDOUT. */
int qurt_mutex_lock_timed(qurt_mutex_t *lock, unsigned long long int duration);
void qurt_mutex_unlock(qurt_mutex_t *lock);

/* Returns 0, or another value when any thread, including the caller, holds the mutex. */
int qurt_mutex_try_lock(qurt_mutex_t *lock);

#ifdef __cplusplus
}
#endif

#endif
