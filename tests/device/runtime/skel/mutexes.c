/* mutexes.c: QuRT's mutexes of all kinds. */
#include "slots.h"

static qurt_mutex_t lock = QURT_MUTEX_INIT;
static int counter;

static void add_guarded(void *arg)
{
    for (int i = 0; i < *(int *)arg; i++) {
        qurt_mutex_lock(&lock);
        int before = counter;
        __asm__ volatile("" ::: "memory");
        counter = before + 1;
        qurt_mutex_unlock(&lock);
    }
}

static int mutex_guards(const int32_t *in, int32_t *out)
{
    int rounds = in[0];
    counter = 0;
    for (int i = 0; i < THREADS; i++) {
        EQUAL(start(i, 100, add_guarded, &rounds), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        EQUAL(join(i), 0);
    }
    out[0] = counter;
    return 0;
}

static void try_it(void *arg)
{
    qurt_thread_exit(qurt_rmutex_try_lock(arg) == 0);
}

static void try_it_timed(void *arg)
{
    qurt_thread_exit(qurt_mutex_lock_timed(arg, 20000));
}

static int mutex_recursion(const int32_t *in, int32_t *out)
{
    static qurt_mutex_t recursive;
    static qurt_rmutex2_t recursive2;
    (void)in;
    (void)out;
    qurt_mutex_lock(&lock);
    CHECK(qurt_mutex_try_lock(&lock) != 0);
    EQUAL(start(0, 100, try_it_timed, &lock), 0);
    EQUAL(join(0), QURT_ETIMEDOUT);
    qurt_mutex_unlock(&lock);
    qurt_rmutex_init(&recursive);
    qurt_rmutex_lock(&recursive);
    qurt_rmutex_lock(&recursive);
    EQUAL(qurt_rmutex_try_lock(&recursive), 0);
    for (int locked = 3; locked > 0; locked--) {
        EQUAL(start(0, 100, try_it, &recursive), 0);
        EQUAL(join(0), 0);
        qurt_rmutex_unlock(&recursive);
    }
    qurt_rmutex_lock(&recursive);
    qurt_rmutex_unlock(&recursive);
    EQUAL(start(0, 100, try_it, &recursive), 0);
    EQUAL(join(0), 1);
    qurt_rmutex_destroy(&recursive);
    qurt_pimutex_init(&recursive);
    qurt_pimutex_lock(&recursive);
    EQUAL(qurt_pimutex_try_lock(&recursive), 0);
    qurt_pimutex_unlock(&recursive);
    qurt_pimutex_unlock(&recursive);
    qurt_pimutex_destroy(&recursive);
    qurt_rmutex2_init(&recursive2);
    qurt_rmutex2_lock(&recursive2);
    qurt_rmutex2_lock(&recursive2);
    qurt_rmutex2_unlock(&recursive2);
    qurt_rmutex2_unlock(&recursive2);
    return 0;
}

static void lock_it_twice(void *arg)
{
    qurt_mutex_lock(arg);
    qurt_mutex_lock(arg);
    counter = 99;
}

/* The thread never returns; the process ends with its client. */
static int lock_twice(const int32_t *in, int32_t *out)
{
    static qurt_mutex_t own = QURT_MUTEX_INIT;
    (void)in;
    counter = 0;
    EQUAL(start(0, 100, lock_it_twice, &own), 0);
    qurt_sleep(50000);
    out[0] = counter;
    return 0;
}

static int unlock_what_is_free(const int32_t *in, int32_t *out)
{
    (void)in;
    (void)out;
    qurt_mutex_unlock(&lock);
    return 0;
}

const struct named_case cases[] = {
    CASE(mutex_guards), CASE(mutex_recursion), CASE(unlock_what_is_free),
    CASE(lock_twice),   {NULL, NULL},
};
