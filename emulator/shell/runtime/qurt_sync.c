/* qurt_sync.c: QuRT's barriers, condition variables, semaphores and futexes. */
#include <limits.h>

#include "qurt_barrier.h"
#include "qurt_cond.h"
#include "qurt_error.h"
#include "qurt_futex.h"
#include "qurt_sem.h"
#include "runtime.h"

/* ---- barriers: `count` is the number of the round, which changes when a round ends ---- */

int qurt_barrier_init(qurt_barrier_t *barrier, unsigned int threads_total)
{
    barrier->threads_left = (unsigned short)threads_total;
    barrier->count = 0;
    barrier->threads_total = threads_total;
    barrier->queue = 0;
    barrier->reserved = 0;
    return QURT_EOK;
}

int qurt_barrier_destroy(qurt_barrier_t *barrier)
{
    return qurt_barrier_init(barrier, 0);
}

int qurt_barrier_wait(qurt_barrier_t *barrier)
{
    park_enter(barrier);
    if (barrier->threads_left <= 1) {
        barrier->threads_left = (unsigned short)barrier->threads_total;
        barrier->count++;
        park_wake(barrier, INT_MAX);
        park_leave(barrier);
        return QURT_BARRIER_SERIAL_THREAD;
    }
    barrier->threads_left--;
    unsigned short round = barrier->count;
    while (barrier->count == round) {
        struct park_waiter waiter;
        park_join(barrier, &waiter);
        park_wait(&waiter, FOREVER);
    }
    park_leave(barrier);
    return QURT_BARRIER_OTHER;
}

/* ---- condition variables ---- */

void qurt_cond_init(qurt_cond_t *cond)
{
    cond->X.count = 0;
    cond->X.n_waiting = 0;
    cond->X.queue = 0;
    cond->X.reserved = 0;
}

static void wake_condition(qurt_cond_t *cond, int count)
{
    park_enter(cond);
    cond->X.n_waiting -= (unsigned int)park_wake(cond, count);
    park_leave(cond);
}

void qurt_cond_signal(qurt_cond_t *cond)
{
    wake_condition(cond, 1);
}

void qurt_cond_broadcast(qurt_cond_t *cond)
{
    wake_condition(cond, INT_MAX);
}

/* Joins the queue before the mutex is unlocked, so that no signal is lost. */
static void join_condition(qurt_cond_t *cond, struct park_waiter *waiter)
{
    park_enter(cond);
    cond->X.n_waiting++;
    park_join(cond, waiter);
    park_leave(cond);
}

static void await_condition(qurt_cond_t *cond, struct park_waiter *waiter)
{
    park_enter(cond);
    park_wait(waiter, FOREVER);
    park_leave(cond);
}

void qurt_cond_wait(qurt_cond_t *cond, qurt_mutex_t *mutex)
{
    struct park_waiter waiter;
    join_condition(cond, &waiter);
    qurt_mutex_unlock(mutex);
    await_condition(cond, &waiter);
    qurt_mutex_lock(mutex);
}

void qurt_cond_wait2(qurt_cond_t *cond, qurt_rmutex2_t *mutex)
{
    struct park_waiter waiter;
    join_condition(cond, &waiter);
    qurt_rmutex2_unlock(mutex);
    await_condition(cond, &waiter);
    qurt_rmutex2_lock(mutex);
}

/* ---- semaphores ---- */

void qurt_sem_init_val(qurt_sem_t *sem, unsigned short val)
{
    sem->X.val = val;
    sem->X.n_waiting = 0;
    sem->X.reserved1 = 0;
    sem->X.queue = 0;
    sem->X.reserved2 = 0;
}

void qurt_sem_init(qurt_sem_t *sem)
{
    qurt_sem_init_val(sem, 1);
}

void qurt_sem_destroy(qurt_sem_t *sem)
{
    qurt_sem_init_val(sem, 0);
}

int qurt_sem_add(qurt_sem_t *sem, unsigned int amt)
{
    park_enter(sem);
    sem->X.val = (unsigned short)(sem->X.val + amt);
    park_wake(sem, amt > INT_MAX ? INT_MAX : (int)amt);
    park_leave(sem);
    return QURT_EOK;
}

static bool down(qurt_sem_t *sem, uint64_t deadline)
{
    park_enter(sem);
    while (sem->X.val == 0) {
        if (deadline == 0) {
            break;
        }
        struct park_waiter waiter;
        sem->X.n_waiting++;
        park_join(sem, &waiter);
        bool woken = park_wait(&waiter, deadline);
        sem->X.n_waiting--;
        if (!woken) {
            break;
        }
    }
    bool had = sem->X.val > 0;
    if (had) {
        sem->X.val--;
    }
    park_leave(sem);
    return had;
}

int qurt_sem_down(qurt_sem_t *sem)
{
    down(sem, FOREVER);
    return QURT_EOK;
}

int qurt_sem_down_timed(qurt_sem_t *sem, unsigned long long int duration)
{
    return down(sem, clock_after_us(duration)) ? QURT_EOK : QURT_ETIMEDOUT;
}

int qurt_sem_try_down(qurt_sem_t *sem)
{
    return down(sem, 0) ? 0 : -1;
}

/* ---- futexes ---- */

int qurt_futex_wait(void *lock, int val)
{
    park_enter(lock);
    if (__atomic_load_n((int *)lock, __ATOMIC_SEQ_CST) == val) {
        struct park_waiter waiter;
        park_join(lock, &waiter);
        park_wait(&waiter, FOREVER);
    }
    park_leave(lock);
    return QURT_EOK;
}

int qurt_futex_wake(void *lock, int n_to_wake)
{
    park_enter(lock);
    int woken = park_wake(lock, n_to_wake);
    park_leave(lock);
    return woken;
}

const struct shell_symbol qurt_sync_symbols[] = {
    EXPORT(qurt_barrier_init),
    EXPORT(qurt_barrier_destroy),
    EXPORT(qurt_barrier_wait),
    EXPORT(qurt_cond_init),
    EXPORT_AS("qurt_cond_destroy", qurt_cond_init),
    EXPORT(qurt_cond_signal),
    EXPORT(qurt_cond_broadcast),
    EXPORT(qurt_cond_wait),
    EXPORT(qurt_cond_wait2),
    EXPORT(qurt_sem_init),
    EXPORT(qurt_sem_init_val),
    EXPORT(qurt_sem_destroy),
    EXPORT(qurt_sem_add),
    EXPORT(qurt_sem_down),
    EXPORT(qurt_sem_down_timed),
    EXPORT_AS("qurt_sem_down_cancellable", qurt_sem_down),
    EXPORT(qurt_sem_try_down),
    EXPORT(qurt_futex_wait),
    EXPORT_AS("qurt_futex_wait_cancellable", qurt_futex_wait),
    EXPORT(qurt_futex_wake),
    EXPORT_END,
};
