/* sync.c: QuRT's signals, barriers, conditions, semaphores and futexes. */
#include "slots.h"

/* ---- signals ---- */

static qurt_signal_t signal;

struct wait {
    unsigned int mask, attribute, got;
};

static void wait_for(void *arg)
{
    struct wait *wait = arg;
    about_to_wait();
    wait->got = qurt_signal_wait(&signal, wait->mask, wait->attribute);
    qurt_thread_exit(7);
}

static int signals_with_several_waiters(const int32_t *in, int32_t *out)
{
    struct wait any = {0x6, QURT_SIGNAL_ATTR_WAIT_ANY, 0};
    struct wait all = {0x30, QURT_SIGNAL_ATTR_WAIT_ALL, 0};
    struct wait other = {0x100, QURT_SIGNAL_ATTR_WAIT_ANY, 0};
    unsigned int now = 0;
    (void)in;
    (void)out;
    qurt_signal_init(&signal);
    waiting = 0;
    EQUAL(start(0, 100, wait_for, &any), 0);
    EQUAL(start(1, 100, wait_for, &all), 0);
    EQUAL(start(2, 100, wait_for, &other), 0);
    UNTIL_THEY_WAIT(3);
    qurt_signal_set(&signal, 0x10);
    qurt_sleep(20000);
    EQUAL(any.got, 0);
    EQUAL(all.got, 0);
    qurt_signal_set(&signal, 0x4);
    EQUAL(join(0), 7);
    EQUAL(any.got, 0x14);
    EQUAL(all.got, 0);
    qurt_signal_set(&signal, 0x20);
    EQUAL(join(1), 7);
    EQUAL(all.got, 0x34);
    EQUAL(other.got, 0);
    EQUAL(qurt_signal_get(&signal), 0x34); /* waiting clears nothing */
    qurt_signal_clear(&signal, 0x30);
    EQUAL(qurt_signal_wait_timed(&signal, 0x30, 0, &now, 10000), QURT_ETIMEDOUT);
    EQUAL(qurt_signal_wait_timed(&signal, 0x4, 0, &now, 10000), QURT_EOK);
    EQUAL(now, 0x4);
    EQUAL(qurt_signal_wait_timed(&signal, 0x4, 0, &now, 1), QURT_EINVALID);
    qurt_signal_set(&signal, 0x100);
    EQUAL(join(2), 7);
    qurt_signal_destroy(&signal);
    return 0;
}

static void set_any(void *arg)
{
    qurt_sleep(10000);
    qurt_anysignal_set(arg, 0x2);
}

static void set_64(void *arg)
{
    qurt_sleep(10000);
    qurt_signal_64_set(arg, 1ull << 40);
}

static int anysignals(const int32_t *in, int32_t *out)
{
    static qurt_anysignal_t any;
    static qurt_signal_64_t wide;
    static qurt_signal2_t second;
    unsigned int now = 0;
    (void)in;
    (void)out;
    qurt_anysignal_init(&any);
    EQUAL(start(0, 100, set_any, &any), 0);
    EQUAL(qurt_anysignal_wait(&any, 0x3), 0x2);
    EQUAL(join(0), 0);
    EQUAL(qurt_anysignal_set(&any, 0x8), 0x2);
    EQUAL(qurt_anysignal_clear(&any, 0x2), 0xa);
    EQUAL(qurt_anysignal_get(&any), 0x8);
    EQUAL(qurt_anysignal_wait_timed(&any, 0x1, &now, 5000), QURT_ETIMEDOUT);
    qurt_anysignal_destroy(&any);
    qurt_signal_64_init(&wide);
    EQUAL(start(0, 100, set_64, &wide), 0);
    EQUAL(qurt_signal_64_wait(&wide, 3ull << 40, 0), 1ll << 40);
    EQUAL(join(0), 0);
    qurt_signal_64_clear(&wide, 1ull << 40);
    EQUAL(qurt_signal_64_get(&wide), 0);
    qurt_signal2_init(&second);
    qurt_signal2_set(&second, 0x5);
    EQUAL(qurt_signal2_wait_all(&second, 0x5), 0x5);
    qurt_signal2_destroy(&second);
    return 0;
}

/* ---- barriers, conditions, semaphores ---- */

static qurt_barrier_t barrier;
static int arrivals, serial;

static void cross(void *arg)
{
    for (int round = 1; round <= *(int *)arg; round++) {
        __atomic_add_fetch(&arrivals, 1, __ATOMIC_SEQ_CST);
        if (qurt_barrier_wait(&barrier) == QURT_BARRIER_SERIAL_THREAD) {
            __atomic_add_fetch(&serial, 1, __ATOMIC_SEQ_CST);
        }
        if (arrivals < round * THREADS) {
            qurt_thread_exit(1); /* passed before all had arrived */
        }
        qurt_barrier_wait(&barrier);
    }
}

static int barriers(const int32_t *in, int32_t *out)
{
    int rounds = in[0];
    arrivals = 0;
    serial = 0;
    qurt_barrier_init(&barrier, THREADS);
    for (int i = 0; i < THREADS; i++) {
        EQUAL(start(i, 100, cross, &rounds), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        EQUAL(join(i), 0);
    }
    qurt_barrier_destroy(&barrier);
    out[0] = serial;
    out[1] = arrivals;
    return 0;
}

static qurt_mutex_t lock = QURT_MUTEX_INIT;
static int counter;
static qurt_cond_t condition;
static int tokens;

static void take_token(void *arg)
{
    (void)arg;
    qurt_mutex_lock(&lock);
    about_to_wait();
    while (tokens == 0) {
        qurt_cond_wait(&condition, &lock);
    }
    tokens--;
    qurt_mutex_unlock(&lock);
}

static int conditions(const int32_t *in, int32_t *out)
{
    (void)in;
    qurt_cond_init(&condition);
    tokens = 0;
    waiting = 0;
    for (int i = 0; i < THREADS; i++) {
        EQUAL(start(i, 100, take_token, NULL), 0);
    }
    UNTIL(waiting == THREADS); /* which release the lock when they wait */
    qurt_mutex_lock(&lock);
    tokens = 1;
    qurt_cond_signal(&condition);
    qurt_mutex_unlock(&lock);
    UNTIL(tokens == 0);
    qurt_mutex_lock(&lock);
    tokens = THREADS - 1;
    qurt_cond_broadcast(&condition);
    qurt_mutex_unlock(&lock);
    for (int i = 0; i < THREADS; i++) {
        EQUAL(join(i), 0);
    }
    out[0] = tokens;
    return 0;
}

static void down_it(void *arg)
{
    qurt_sem_down(arg);
    __atomic_add_fetch(&counter, 1, __ATOMIC_SEQ_CST);
}

static int semaphores(const int32_t *in, int32_t *out)
{
    static qurt_sem_t sem;
    (void)in;
    (void)out;
    qurt_sem_init(&sem);
    EQUAL(qurt_sem_get_val(&sem), 1);
    EQUAL(qurt_sem_try_down(&sem), 0);
    EQUAL(qurt_sem_try_down(&sem), -1);
    EQUAL(qurt_sem_down_timed(&sem, 10000), QURT_ETIMEDOUT);
    counter = 0;
    for (int i = 0; i < 4; i++) {
        EQUAL(start(i, 100, down_it, &sem), 0);
    }
    qurt_sleep(20000);
    qurt_sem_add(&sem, 3);
    UNTIL(counter == 3);
    qurt_sleep(30000);
    EQUAL(counter, 3);
    qurt_sem_up(&sem);
    for (int i = 0; i < 4; i++) {
        EQUAL(join(i), 0);
    }
    EQUAL(qurt_sem_get_val(&sem), 0);
    qurt_sem_destroy(&sem);
    return 0;
}

/* ---- futexes: wake the requested number of threads, highest priority first ---- */

static int word;
static int order[THREADS], places, woken;

static void sleep_on_word(void *arg)
{
    about_to_wait();
    qurt_futex_wait(&word, 5);
    order[__atomic_fetch_add(&places, 1, __ATOMIC_SEQ_CST)] = *(int *)arg;
    __atomic_add_fetch(&woken, 1, __ATOMIC_SEQ_CST);
}

static int futex_wake_counts(const int32_t *in, int32_t *out)
{
    int names[THREADS] = {0, 1, 2, 3, 4, 5};
    static const int priority[THREADS] = {150, 90, 120, 60, 200, 100};
    (void)in;
    word = 5;
    places = woken = 0;
    waiting = 0;
    EQUAL(qurt_futex_wait(&word, 6), QURT_EOK); /* differs: does not wait */
    EQUAL(qurt_futex_wake(&word, 3), 0);
    for (int i = 0; i < THREADS; i++) {
        EQUAL(start(i, priority[i], sleep_on_word, &names[i]), 0);
    }
    UNTIL_THEY_WAIT(THREADS);
    EQUAL(qurt_futex_wake(&word, 1), 1);
    UNTIL(woken == 1);
    EQUAL(order[0], 3);
    EQUAL(qurt_futex_wake(&word, 2), 2);
    UNTIL(woken == 3);
    EQUAL(order[1] + order[2], 1 + 5);
    EQUAL(qurt_futex_wake(&word, 100), 3);
    for (int i = 0; i < THREADS; i++) {
        EQUAL(join(i), 0);
    }
    EQUAL(qurt_futex_wake(&word, 100), 0);
    out[0] = woken;
    return 0;
}

const struct named_case cases[] = {
    CASE(signals_with_several_waiters),
    CASE(anysignals),
    CASE(barriers),
    CASE(conditions),
    CASE(semaphores),
    CASE(futex_wake_counts),
    {NULL, NULL},
};
