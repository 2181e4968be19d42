/* sync.c: QuRT's mutexes, signals, barriers, conditions, semaphores, futexes, pipes, timers. */
#include "cases.h"
#include "qurt.h"

#define THREADS 6

static char stacks[THREADS][16384] __attribute__((aligned(16)));
static qurt_thread_t ids[THREADS];

static int start(int slot, int priority, void (*entry)(void *), void *arg)
{
    qurt_thread_attr_t attributes;
    qurt_thread_attr_init(&attributes);
    qurt_thread_attr_set_stack_addr(&attributes, stacks[slot]);
    qurt_thread_attr_set_stack_size(&attributes, sizeof stacks[slot]);
    qurt_thread_attr_set_priority(&attributes, (unsigned short)priority);
    qurt_thread_attr_set_detachstate(&attributes, QURT_THREAD_ATTR_CREATE_JOINABLE);
    return qurt_thread_create(&ids[slot], &attributes, entry, arg);
}

static int join(int slot)
{
    int status = -1;
    return qurt_thread_join(ids[slot], &status) == QURT_EOK ? status : -1;
}

/* ---- mutexes ---- */

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

/* ---- signals ---- */

static qurt_signal_t signal;

struct wait {
    unsigned int mask, attribute, got;
};

static void wait_for(void *arg)
{
    struct wait *wait = arg;
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
    EQUAL(start(0, 100, wait_for, &any), 0);
    EQUAL(start(1, 100, wait_for, &all), 0);
    EQUAL(start(2, 100, wait_for, &other), 0);
    qurt_sleep(20000);
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

static qurt_cond_t condition;
static int tokens;

static void take_token(void *arg)
{
    (void)arg;
    qurt_mutex_lock(&lock);
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
    for (int i = 0; i < THREADS; i++) {
        EQUAL(start(i, 100, take_token, NULL), 0);
    }
    qurt_sleep(20000);
    qurt_mutex_lock(&lock);
    tokens = 1;
    qurt_cond_signal(&condition);
    qurt_mutex_unlock(&lock);
    qurt_sleep(20000);
    qurt_mutex_lock(&lock);
    EQUAL(tokens, 0);
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
static int order[THREADS], woken;

static void sleep_on_word(void *arg)
{
    qurt_futex_wait(&word, 5);
    order[__atomic_fetch_add(&woken, 1, __ATOMIC_SEQ_CST)] = *(int *)arg;
}

static int futex_wake_counts(const int32_t *in, int32_t *out)
{
    int names[THREADS] = {0, 1, 2, 3, 4, 5};
    static const int priority[THREADS] = {150, 90, 120, 60, 200, 100};
    (void)in;
    word = 5;
    woken = 0;
    EQUAL(qurt_futex_wait(&word, 6), QURT_EOK); /* differs: does not wait */
    EQUAL(qurt_futex_wake(&word, 3), 0);
    for (int i = 0; i < THREADS; i++) {
        EQUAL(start(i, priority[i], sleep_on_word, &names[i]), 0);
        qurt_sleep(20000);
    }
    EQUAL(qurt_futex_wake(&word, 1), 1);
    qurt_sleep(20000);
    EQUAL(woken, 1);
    EQUAL(order[0], 3);
    EQUAL(qurt_futex_wake(&word, 2), 2);
    qurt_sleep(20000);
    EQUAL(woken, 3);
    EQUAL(order[1] + order[2], 1 + 5);
    EQUAL(qurt_futex_wake(&word, 100), 3);
    for (int i = 0; i < THREADS; i++) {
        EQUAL(join(i), 0);
    }
    EQUAL(qurt_futex_wake(&word, 100), 0);
    out[0] = woken;
    return 0;
}

/* ---- pipes, timers, vector units ---- */

static void send_all(void *arg)
{
    for (unsigned long long i = 1; i <= 100; i++) {
        qurt_pipe_send(arg, i);
    }
}

static int pipes(const int32_t *in, int32_t *out)
{
    qurt_pipe_attr_t attributes;
    qurt_pipe_t *pipe = NULL;
    int success = 0;
    (void)in;
    qurt_pipe_attr_init(&attributes);
    qurt_pipe_attr_set_elements(&attributes, 3);
    EQUAL(qurt_pipe_create(&pipe, &attributes), QURT_EOK);
    EQUAL(qurt_pipe_is_empty(pipe), 1);
    qurt_pipe_try_receive(pipe, &success);
    EQUAL(success, -1);
    for (int i = 0; i < 3; i++) {
        EQUAL(qurt_pipe_try_send(pipe, 1ull << 40), 0);
    }
    EQUAL(qurt_pipe_try_send(pipe, 1), -1);
    for (int i = 0; i < 3; i++) {
        EQUAL(qurt_pipe_receive(pipe), 1ll << 40);
    }
    EQUAL(start(0, 100, send_all, pipe), 0);
    unsigned long long sum = 0, last = 0;
    for (int i = 0; i < 100; i++) {
        unsigned long long item = qurt_pipe_receive(pipe);
        CHECK(item == last + 1);
        last = item;
        sum += item;
    }
    EQUAL(join(0), 0);
    qurt_pipe_delete(pipe);
    out[0] = (int)sum;
    return 0;
}

static int timers(const int32_t *in, int32_t *out)
{
    static qurt_anysignal_t expired;
    qurt_timer_attr_t attributes;
    qurt_timer_t timer;
    (void)in;
    qurt_anysignal_init(&expired);
    qurt_timer_attr_init(&attributes);
    qurt_timer_attr_set_duration(&attributes, 20000);
    unsigned long long before = qurt_sysclock_get_hw_ticks();
    EQUAL(qurt_timer_create(&timer, &attributes, &expired, 0x4), QURT_EOK);
    EQUAL(qurt_anysignal_get(&expired), 0);
    EQUAL(qurt_anysignal_wait(&expired, 0x4), 0x4);
    unsigned long long took = qurt_timer_timetick_to_us(qurt_sysclock_get_hw_ticks() - before);
    CHECK(took >= 20000);
    qurt_anysignal_clear(&expired, 0x4);
    EQUAL(qurt_timer_restart(timer, 10000), QURT_EOK);
    EQUAL(qurt_timer_stop(timer), QURT_EOK);
    qurt_sleep(30000);
    EQUAL(qurt_anysignal_get(&expired), 0);
    EQUAL(qurt_timer_delete(timer), QURT_EOK);
    EQUAL(qurt_timer_delete(timer), QURT_EVAL);
    qurt_timer_attr_set_type(&attributes, QURT_TIMER_PERIODIC);
    qurt_timer_attr_set_duration(&attributes, 5000);
    EQUAL(qurt_timer_create(&timer, &attributes, &expired, 0x1), QURT_EOK);
    for (int i = 0; i < 3; i++) {
        qurt_anysignal_wait(&expired, 0x1);
        qurt_anysignal_clear(&expired, 0x1);
    }
    EQUAL(qurt_timer_delete(timer), QURT_EOK);
    EQUAL(qurt_timer_sleep(1), QURT_EINVALID);
    EQUAL(qurt_timer_sleep(1000), QURT_EOK);
    out[0] = 1;
    return 0;
}

static void take_unit(void *arg)
{
    (void)arg;
    qurt_thread_exit(qurt_hvx_try_lock(QURT_HVX_MODE_128B));
}

static int vector_units(const int32_t *in, int32_t *out)
{
    out[0] = qurt_hvx_get_units();
    EQUAL(qurt_hvx_get_mode(), QURT_HVX_MODE_128B);
    CHECK(qurt_hvx_lock(QURT_HVX_MODE_64B) != QURT_EOK);
    EQUAL(qurt_hvx_lock(QURT_HVX_MODE_128B), QURT_EOK);
    int had = 1;
    for (int i = 0; i < in[0]; i++) {
        EQUAL(start(0, 100, take_unit, NULL), 0);
        had += join(0) == QURT_EOK; /* released at the thread's end */
    }
    out[1] = had;
    EQUAL(qurt_hvx_unlock(), QURT_EOK);
    CHECK(qurt_hvx_unlock() != QURT_EOK);
    return 0;
}

const struct named_case cases[] = {
    CASE(mutex_guards),
    CASE(mutex_recursion),
    CASE(unlock_what_is_free),
    CASE(lock_twice),
    CASE(signals_with_several_waiters),
    CASE(anysignals),
    CASE(barriers),
    CASE(conditions),
    CASE(semaphores),
    CASE(futex_wake_counts),
    CASE(pipes),
    CASE(timers),
    CASE(vector_units),
    {NULL, NULL},
};
