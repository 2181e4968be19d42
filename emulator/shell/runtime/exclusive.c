/* exclusive.c: a lock that one DSP process of a device holds at a time. */
#define _GNU_SOURCE
#include "exclusive.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime.h"

#define SLOTS 64
#define STALE_NS 500000000u /* after this time without an announcement, a waiter is ignored */

struct slot {
    uint32_t owner; /* process id; 0: free */
    int32_t priority;
    uint64_t seen; /* clock_now() */
};

struct exclusive_waiters {
    struct slot slots[SLOTS];
};

/* Returns false when there is no state directory, because then no other process shares the
 * device. */
static bool open_file(struct exclusive *exclusive)
{
    char path[4096];
    if (exclusive->open) {
        return exclusive->fd >= 0;
    }
    exclusive->open = true;
    exclusive->fd = -1;
    const char *state = shell_facts()->state;
    if (state == NULL || state[0] == '\0') {
        return false;
    }
    snprintf(path, sizeof path, "%s/%s-%d", state, exclusive->file, shell_facts()->domain);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, sizeof(struct exclusive_waiters)) != 0) {
        shell_logf(SHELL_ERROR, "%s cannot be opened: other programs are not excluded", path);
        if (fd >= 0) {
            close(fd);
        }
        return false;
    }
    void *waiters = mmap(NULL, sizeof(struct exclusive_waiters), PROT_READ | PROT_WRITE, MAP_SHARED,
                         fd, 0);
    exclusive->waiters = waiters == MAP_FAILED ? NULL : waiters;
    exclusive->fd = fd;
    return true;
}

bool exclusive_try_lock(struct exclusive *exclusive)
{
    return !open_file(exclusive) || flock(exclusive->fd, LOCK_EX | LOCK_NB) == 0;
}

void exclusive_unlock(struct exclusive *exclusive)
{
    if (open_file(exclusive)) {
        flock(exclusive->fd, LOCK_UN);
    }
}

static bool fresh(const struct slot *slot, uint64_t now)
{
    return __atomic_load_n(&slot->owner, __ATOMIC_ACQUIRE) != 0 && now - slot->seen < STALE_NS;
}

static int claim(struct exclusive_waiters *waiters, uint64_t now)
{
    for (int i = 0; i < SLOTS; i++) {
        struct slot *slot = &waiters->slots[i];
        uint32_t owner = __atomic_load_n(&slot->owner, __ATOMIC_ACQUIRE);
        if (!fresh(slot, now) &&
            __atomic_compare_exchange_n(&slot->owner, &owner, (uint32_t)getpid(), false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
            return i;
        }
    }
    return -1;
}

int exclusive_announce(struct exclusive *exclusive, int slot, int priority)
{
    if (!open_file(exclusive) || exclusive->waiters == NULL) {
        return -1;
    }
    uint64_t now = clock_now();
    if (slot < 0) {
        slot = claim(exclusive->waiters, now);
    }
    if (slot >= 0) {
        exclusive->waiters->slots[slot].priority = priority;
        exclusive->waiters->slots[slot].seen = now;
    }
    return slot;
}

void exclusive_withdraw(struct exclusive *exclusive, int slot)
{
    if (slot >= 0 && exclusive->waiters != NULL) {
        __atomic_store_n(&exclusive->waiters->slots[slot].owner, 0, __ATOMIC_RELEASE);
    }
}

int exclusive_highest_waiting(struct exclusive *exclusive)
{
    int best = INT_MAX;
    if (!open_file(exclusive) || exclusive->waiters == NULL) {
        return best;
    }
    uint64_t now = clock_now();
    for (int i = 0; i < SLOTS; i++) {
        const struct slot *slot = &exclusive->waiters->slots[i];
        if (fresh(slot, now) && slot->priority < best) {
            best = slot->priority;
        }
    }
    return best;
}
