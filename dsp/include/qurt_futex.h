/* qurt_futex.h: waits on a word of memory.
 *
 * The interface (names, signatures, layout) is that documented for QuRT in the Hexagon SDK. */
#ifndef QURT_FUTEX_H
#define QURT_FUTEX_H

#ifdef __cplusplus
extern "C" {
#endif

/* Sleeps while *lock == val. Returns QURT_EOK when it is woken, or when the word differs. */
int qurt_futex_wait(void *lock, int val);
int qurt_futex_wait_cancellable(void *lock, int val);

/* Wakes up to n_to_wake waiters, in order of priority. Returns their number. */
int qurt_futex_wake(void *lock, int n_to_wake);

#ifdef __cplusplus
}
#endif

#endif
