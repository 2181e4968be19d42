/* exclusive.h: something that one DSP process of a device holds at a time.
 *
 * A lock on a file in the device's state directory: it goes with its holder, however
 * that ends. The file also carries who waits, with which priority. */
#ifndef BUILDTOOL_RUNTIME_EXCLUSIVE_H
#define BUILDTOOL_RUNTIME_EXCLUSIVE_H

#include <stdbool.h>

struct exclusive {
    const char *file; /* its name in the state directory */
    int fd;
    bool open;
    struct exclusive_waiters *waiters;
};

/* At once, or not at all. The caller sees to it that its own process takes it once. */
bool exclusive_try_lock(struct exclusive *exclusive);
void exclusive_unlock(struct exclusive *exclusive);

/* Says that somebody of that priority waits (1 is the highest). To be repeated within
 * 250 ms. `slot` is -1 the first time; returns it, or -1 when too many wait. */
int exclusive_announce(struct exclusive *exclusive, int slot, int priority);
void exclusive_withdraw(struct exclusive *exclusive, int slot);

/* The highest priority that waits in any process; INT_MAX when nobody does. */
int exclusive_highest_waiting(struct exclusive *exclusive);

#endif
