/* exclusive.h: a lock that one DSP process of a device holds at a time.
 *
 * It is a lock on a file in the device's state directory, which the kernel releases when its holder
 * ends. The file also lists the waiting threads and their priorities. */
#ifndef BUILDTOOL_RUNTIME_EXCLUSIVE_H
#define BUILDTOOL_RUNTIME_EXCLUSIVE_H

#include <stdbool.h>

struct exclusive {
    const char *file; /* its name in the state directory */
    int fd;
    bool open;
    struct exclusive_waiters *waiters;
};

/* Does not wait. The caller makes sure that its own process locks it once. */
bool exclusive_try_lock(struct exclusive *exclusive);
void exclusive_unlock(struct exclusive *exclusive);

/* Announces a waiting thread of that priority (1 is the highest); must be repeated within 250 ms.
 * `slot` is -1 the first time, then what was returned: -1 when too many threads wait. */
int exclusive_announce(struct exclusive *exclusive, int slot, int priority);
void exclusive_withdraw(struct exclusive *exclusive, int slot);

/* The highest priority that waits in any process; INT_MAX for none. */
int exclusive_highest_waiting(struct exclusive *exclusive);

#endif
