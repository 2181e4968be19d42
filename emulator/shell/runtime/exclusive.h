/* exclusive.h: a lock that one DSP process of a device holds at a time.
 *
 * The lock is a file lock on a file in the device's state directory. The kernel releases it when
 * the process that holds it ends. The file also lists the waiting threads and their priorities. */
#ifndef BUILDTOOL_RUNTIME_EXCLUSIVE_H
#define BUILDTOOL_RUNTIME_EXCLUSIVE_H

#include <stdbool.h>

struct exclusive {
    const char *file; /* its name in the state directory */
    int fd;
    bool open;
    struct exclusive_waiters *waiters;
};

/* Returns at once whether the lock was acquired. The caller makes sure that its own process does
 * not acquire the lock twice. */
bool exclusive_try_lock(struct exclusive *exclusive);
void exclusive_unlock(struct exclusive *exclusive);

/* Announces a waiting thread of this priority (1 is the highest). Must be repeated within 250 ms.
 * `slot` is -1 in the first call, and the returned value in later calls. Returns -1 when too many
 * threads wait. */
int exclusive_announce(struct exclusive *exclusive, int slot, int priority);
void exclusive_withdraw(struct exclusive *exclusive, int slot);

/* Returns the highest priority that waits in any process, or INT_MAX for none. */
int exclusive_highest_waiting(struct exclusive *exclusive);

#endif
