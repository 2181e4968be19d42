/* qurt_futex.h: wait on a word of memory.
 *
 * Interface (names, signatures, layout) as documented for QuRT in the Hexagon SDK. */
#ifndef QURT_FUTEX_H
#define QURT_FUTEX_H

#ifdef __cplusplus
extern "C" {
#endif

/* Sleep while *lock == val; QURT_EOK when woken or when the word differs. */
int qurt_futex_wait(void *lock, int val);
int qurt_futex_wait_cancellable(void *lock, int val);

/* Wake up to n_to_wake waiters, the highest priority first. Returns how many. */
int qurt_futex_wake(void *lock, int n_to_wake);

#ifdef __cplusplus
}
#endif

#endif
