/* qurt_mutex.c: QuRT's four kinds of mutex.
 *
 * holder is the thread's id, or the value of QURT_MUTEX_INIT for a free mutex. A zeroed mutex is
 * free too. count is the number of times that the holder has locked the mutex. */
#include "qurt_error.h"
#include "qurt_mutex.h"
#include "qurt_pimutex.h"
#include "qurt_rmutex.h"
#include "qurt_rmutex2.h"
#include "runtime.h"

static bool is_free(unsigned int holder)
{
    return holder == MUTEX_MAGIC || holder == 0;
}

/* Locks the mutex. Returns whether it succeeded before the deadline. Does not wait for a deadline
 * of 0. */
static bool take(qurt_mutex_t *lock, bool recursive, uint64_t deadline)
{
    unsigned int self = thread_id();
    bool had = false;
    park_enter(lock);
    if (recursive && lock->holder == self) {
        lock->count++;
        had = true;
    } else if (lock->holder == self && deadline == FOREVER) {
        shell_logf(SHELL_ERROR,
                   "thread %u locks mutex %p, which it holds: on a DSP it waits forever "
                   "(qurt_rmutex_lock can be repeated)",
                   self, (void *)lock);
    }
    while (!had) {
        if (is_free(lock->holder)) {
            lock->holder = self;
            lock->count = 1;
            had = true;
        } else if (deadline == 0) {
            break;
        } else {
            struct park_waiter waiter;
            lock->wait_count++;
            park_join(lock, &waiter);
            bool woken = park_wait(&waiter, deadline);
            lock->wait_count--;
            if (!woken && !is_free(lock->holder)) {
                break;
            }
        }
    }
    park_leave(lock);
    return had;
}

static void give(qurt_mutex_t *lock, const char *function)
{
    park_enter(lock);
    unsigned int holder = lock->holder;
    if (holder == thread_id()) {
        if (--lock->count == 0) {
            lock->holder = MUTEX_MAGIC;
            park_wake(lock, 1);
        }
        park_leave(lock);
        return;
    }
    park_leave(lock);
    die("%s: thread %u unlocks mutex %p, which %s", function, thread_id(), (void *)lock,
        is_free(holder) ? "no thread holds" : "another thread holds");
}

void qurt_mutex_init(qurt_mutex_t *lock)
{
    *lock = (qurt_mutex_t)QURT_MUTEX_INIT;
}

void qurt_mutex_destroy(qurt_mutex_t *lock)
{
    qurt_mutex_init(lock);
}

void qurt_mutex_lock(qurt_mutex_t *lock)
{
    take(lock, false, FOREVER);
}

int qurt_mutex_lock_timed(qurt_mutex_t *lock, unsigned long long int duration)
{
    return take(lock, false, clock_after_us(duration)) ? QURT_EOK : QURT_ETIMEDOUT;
}

int qurt_mutex_try_lock(qurt_mutex_t *lock)
{
    return take(lock, false, 0) ? 0 : -1;
}

void qurt_mutex_unlock(qurt_mutex_t *lock)
{
    give(lock, "qurt_mutex_unlock");
}

void qurt_rmutex_lock(qurt_mutex_t *lock)
{
    take(lock, true, FOREVER);
}

int qurt_rmutex_lock_timed(qurt_mutex_t *lock, unsigned long long int duration)
{
    return take(lock, true, clock_after_us(duration)) ? QURT_EOK : QURT_ETIMEDOUT;
}

int qurt_rmutex_try_lock(qurt_mutex_t *lock)
{
    return take(lock, true, 0) ? 0 : -1;
}

/* Waits for one unlock, then tries once more. */
int qurt_rmutex_try_lock_block_once(qurt_mutex_t *lock)
{
    if (take(lock, true, 0)) {
        return 0;
    }
    park_enter(lock);
    if (!is_free(lock->holder)) {
        struct park_waiter waiter;
        park_join(lock, &waiter);
        park_wait(&waiter, FOREVER);
    }
    park_leave(lock);
    if (take(lock, true, 0)) {
        return 0;
    }
    /* The unlock that woke this thread may have been for another waiter, which this call wakes. */
    park_enter(lock);
    if (is_free(lock->holder)) {
        park_wake(lock, 1);
    }
    park_leave(lock);
    return -1;
}

void qurt_rmutex_unlock(qurt_mutex_t *lock)
{
    give(lock, "qurt_rmutex_unlock");
}

void qurt_pimutex_unlock(qurt_mutex_t *lock)
{
    give(lock, "qurt_pimutex_unlock");
}

/* rmutex2 has another layout: queue and excess_locks are at the offsets of a mutex's queue and
 * wait_count. excess_locks counts the locks after the first. */
void qurt_rmutex2_init(qurt_rmutex2_t *lock)
{
    *lock = (qurt_rmutex2_t){.holder = MUTEX_MAGIC};
}

void qurt_rmutex2_lock(qurt_rmutex2_t *lock)
{
    unsigned int self = thread_id();
    park_enter(lock);
    if (lock->holder == self) {
        lock->excess_locks++;
    } else {
        while (!is_free(lock->holder)) {
            struct park_waiter waiter;
            lock->waiters++;
            park_join(lock, &waiter);
            park_wait(&waiter, FOREVER);
            lock->waiters--;
        }
        lock->holder = self;
        lock->excess_locks = 0;
    }
    park_leave(lock);
}

void qurt_rmutex2_unlock(qurt_rmutex2_t *lock)
{
    park_enter(lock);
    bool mine = lock->holder == thread_id();
    if (mine && lock->excess_locks > 0) {
        lock->excess_locks--;
    } else if (mine) {
        lock->holder = MUTEX_MAGIC;
        park_wake(lock, 1);
    }
    park_leave(lock);
    if (!mine) {
        die("qurt_rmutex2_unlock: thread %u does not hold mutex %p", thread_id(), (void *)lock);
    }
}

const struct shell_symbol qurt_mutex_symbols[] = {
    EXPORT(qurt_mutex_init),
    EXPORT(qurt_mutex_destroy),
    EXPORT(qurt_mutex_lock),
    EXPORT(qurt_mutex_lock_timed),
    EXPORT(qurt_mutex_try_lock),
    EXPORT(qurt_mutex_unlock),
    EXPORT_AS("qurt_rmutex_init", qurt_mutex_init),
    EXPORT_AS("qurt_rmutex_destroy", qurt_mutex_destroy),
    EXPORT(qurt_rmutex_lock),
    EXPORT(qurt_rmutex_lock_timed),
    EXPORT(qurt_rmutex_try_lock),
    EXPORT(qurt_rmutex_try_lock_block_once),
    EXPORT(qurt_rmutex_unlock),
    /* Priorities only order waiters here, so there is no priority to inherit. */
    EXPORT_AS("qurt_pimutex_init", qurt_mutex_init),
    EXPORT_AS("qurt_pimutex_destroy", qurt_mutex_destroy),
    EXPORT_AS("qurt_pimutex_lock", qurt_rmutex_lock),
    EXPORT_AS("qurt_pimutex_try_lock", qurt_rmutex_try_lock),
    EXPORT(qurt_pimutex_unlock),
    EXPORT(qurt_rmutex2_init),
    EXPORT(qurt_rmutex2_lock),
    EXPORT(qurt_rmutex2_unlock),
    EXPORT_END,
};
