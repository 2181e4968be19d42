/* waiting.c: threads that wait in loops, as the worker pools of public skels do. */
#include <stdatomic.h>
#include <stdbool.h>

#include "cases.h"
#include "HAP_perf.h"
#include "qurt.h"

#define WORKERS_MAX 8

static char stacks[WORKERS_MAX][8192] __attribute__((aligned(16)));
static qurt_thread_t ids[WORKERS_MAX];
static atomic_uint sequence, pending, killed;
static unsigned iterations;
static uint32_t results[WORKERS_MAX + 1];

static void pause_once(void)
{
    __asm__ volatile("pause(#255)" ::: "memory");
}

static int start_worker(int number, void (*entry)(void *))
{
    qurt_thread_attr_t attributes;
    qurt_thread_attr_init(&attributes);
    qurt_thread_attr_set_stack_addr(&attributes, stacks[number]);
    qurt_thread_attr_set_stack_size(&attributes, sizeof stacks[number]);
    qurt_thread_attr_set_detachstate(&attributes, QURT_THREAD_ATTR_CREATE_JOINABLE);
    return qurt_thread_create(&ids[number], &attributes, entry, (void *)(uintptr_t)number);
}

static void join_workers(int count)
{
    for (int i = 0; i < count; i++) {
        int status;
        qurt_thread_join(ids[i], &status);
    }
}

/* The work of a thread: it needs as many packets each time. */
static __attribute__((noinline)) uint32_t work(uint32_t value, unsigned steps)
{
    for (unsigned i = 0; i < steps; i++) {
        value = value * 1664525u + 1013904223u;
        __asm__ volatile("" : "+r"(value));
    }
    return value;
}

/* ---- a pool: its workers poll for jobs, and its owner polls until they are done ---- */

static void worker(void *argument)
{
    const unsigned number = (unsigned)(uintptr_t)argument;
    unsigned seen = 0;
    while (!atomic_load(&killed)) {
        const unsigned now = atomic_load(&sequence);
        if (now == seen) {
            pause_once();
            continue;
        }
        seen = now;
        results[number] = work(results[number], iterations);
        atomic_fetch_sub(&pending, 1);
    }
}

static int begin(int workers, int steps)
{
    CHECK(workers >= 0 && workers <= WORKERS_MAX);
    atomic_store(&killed, 0);
    atomic_store(&sequence, 0);
    iterations = (unsigned)steps;
    memset(results, 0, sizeof results);
    for (int i = 0; i < workers; i++) {
        EQUAL(start_worker(i, worker), QURT_EOK);
    }
    return 0;
}

static void end(int workers)
{
    atomic_store(&killed, 1);
    join_workers(workers);
}

/* in: workers, jobs, steps of each. The owner of the pool works alone, and the workers poll. */
static int alone(const int32_t *in, int32_t *out)
{
    const int problem = begin(in[0], in[2]);
    const uint64_t since = HAP_perf_get_time_us();
    for (int job = 0; job < in[1]; job++) {
        results[WORKERS_MAX] = work(results[WORKERS_MAX], iterations);
    }
    out[0] = (int32_t)(HAP_perf_get_time_us() - since);
    out[1] = (int32_t)results[WORKERS_MAX];
    end(in[0]);
    return problem;
}

/* in: workers, jobs, steps of each, whether the owner waits without pause. All work. */
static int together(const int32_t *in, int32_t *out)
{
    const int problem = begin(in[0], in[2]);
    const uint64_t since = HAP_perf_get_time_us();
    for (int job = 0; job < in[1] && problem == 0; job++) {
        atomic_store(&pending, (unsigned)in[0]);
        atomic_fetch_add(&sequence, 1);
        results[WORKERS_MAX] = work(results[WORKERS_MAX], iterations);
        if (in[3] != 0) {
            while (atomic_load(&pending) > 0) {
            }
        } else {
            while (atomic_load(&pending) > 0) {
                pause_once();
            }
        }
    }
    out[0] = (int32_t)(HAP_perf_get_time_us() - since);
    end(in[0]);
    for (int i = 0; i < in[0]; i++) {
        EQUAL(results[i], results[WORKERS_MAX]);
    }
    out[1] = (int32_t)results[WORKERS_MAX];
    return problem;
}

/* ---- how long it takes ---- */

static atomic_uint flag;
static uint64_t seen_at;

static void watcher(void *argument)
{
    (void)argument;
    while (atomic_load(&flag) == 0) {
        pause_once();
    }
    seen_at = HAP_perf_get_time_us();
}

/* in: rounds, microseconds before the change. out: the median and the longest of what it takes. */
static int latency(const int32_t *in, int32_t *out)
{
    enum { MAX = 201 };
    int32_t took[MAX];
    CHECK(in[0] > 0 && in[0] <= MAX);
    for (int i = 0; i < in[0]; i++) {
        atomic_store(&flag, 0);
        EQUAL(start_worker(0, watcher), QURT_EOK);
        const uint64_t since = HAP_perf_get_time_us();
        while (HAP_perf_get_time_us() < since + (unsigned)in[1]) {
        }
        const uint64_t set_at = HAP_perf_get_time_us();
        atomic_store(&flag, 1);
        join_workers(1);
        int at = i;
        const int32_t now = (int32_t)(seen_at - set_at);
        for (; at > 0 && took[at - 1] > now; at--) {
            took[at] = took[at - 1];
        }
        took[at] = now;
    }
    out[0] = took[in[0] / 2];
    out[1] = took[in[0] - 1];
    out[2] = took[in[0] * 9 / 10];
    return 0;
}

/* in: workers that wait, pauses, steps between two of them, 0 without pauses. */
static int between(const int32_t *in, int32_t *out)
{
    const int problem = begin(in[0], 0);
    uint32_t value = 0;
    const uint64_t since = HAP_perf_get_time_us();
    for (int i = 0; i < in[1]; i++) {
        value = work(value, (unsigned)in[2]);
        if (in[3] != 0) {
            pause_once();
        }
    }
    out[0] = (int32_t)(HAP_perf_get_time_us() - since);
    out[1] = (int32_t)value;
    end(in[0]);
    return problem;
}

/* ---- random schedules: in each round, all threads meet in one of several ways ---- */

#define THREADS_MAX WORKERS_MAX
#define ROUNDS 12

enum meeting {
    WITH_PAUSE,
    WITHOUT_PAUSE,
    LOCKED_WORD,
    BARRIER,
    FUTEX,
    CONDITION,
    RING_OF_PIPES,
    TRIES,
    MEETINGS
};

static struct {
    unsigned seed, threads, only;
    atomic_uint arrived[ROUNDS], word[ROUNDS];
    unsigned locked_word[ROUNDS], total;
    qurt_mutex_t mutex;
    qurt_cond_t condition;
    qurt_barrier_t barrier;
    qurt_pipe_t *pipes[THREADS_MAX];
    atomic_uint wrong;
} met;

static uint32_t mixed(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t value = a * 2654435761u ^ b * 2246822519u ^ c * 3266489917u;
    value ^= value >> 15;
    value *= 2246822519u;
    return value ^ value >> 13;
}

static void meet_at_word(unsigned round)
{
    bool there = false;
    qurt_mutex_lock(&met.mutex);
    met.locked_word[round]++;
    qurt_mutex_unlock(&met.mutex);
    while (!there) {
        qurt_mutex_lock(&met.mutex);
        there = met.locked_word[round] == met.threads;
        qurt_mutex_unlock(&met.mutex);
        pause_once();
    }
}

static void meet_at_futex(unsigned round)
{
    if (atomic_fetch_add(&met.arrived[round], 1) + 1 == met.threads) {
        atomic_store(&met.word[round], 1);
        qurt_futex_wake(&met.word[round], (int)met.threads);
    }
    while (atomic_load(&met.word[round]) == 0) {
        qurt_futex_wait(&met.word[round], 0);
    }
}

static void meet_at_condition(unsigned round)
{
    qurt_mutex_lock(&met.mutex);
    if (++met.locked_word[round] == met.threads) {
        qurt_cond_broadcast(&met.condition);
    }
    while (met.locked_word[round] < met.threads) {
        qurt_cond_wait(&met.condition, &met.mutex);
    }
    qurt_mutex_unlock(&met.mutex);
}

static void meet(unsigned round, unsigned number)
{
    const unsigned way = met.only > 0 ? met.only - 1 : mixed(met.seed, round, 99) % MEETINGS;
    switch ((enum meeting)way) {
    case WITH_PAUSE:
        atomic_fetch_add(&met.arrived[round], 1);
        while (atomic_load(&met.arrived[round]) < met.threads) {
            pause_once();
        }
        break;
    case WITHOUT_PAUSE:
        atomic_fetch_add(&met.arrived[round], 1);
        while (atomic_load(&met.arrived[round]) != met.threads) {
        }
        break;
    case LOCKED_WORD:
        meet_at_word(round);
        break;
    case BARRIER:
        qurt_barrier_wait(&met.barrier);
        break;
    case FUTEX:
        meet_at_futex(round);
        break;
    case CONDITION:
        meet_at_condition(round);
        break;
    case RING_OF_PIPES:
        qurt_pipe_send(met.pipes[(number + 1) % met.threads], round);
        if (qurt_pipe_receive(met.pipes[number]) != round) {
            atomic_fetch_add(&met.wrong, 1);
        }
        break;
    default: /* TRIES */
        while (qurt_mutex_try_lock(&met.mutex) != 0) {
            pause_once();
        }
        work(0, mixed(met.seed, round, number) % 100);
        qurt_mutex_unlock(&met.mutex);
    }
}

static void meeting_thread(void *argument)
{
    const unsigned number = (unsigned)(uintptr_t)argument;
    for (unsigned round = 0; round < ROUNDS; round++) {
        const uint32_t chance = mixed(met.seed, round, number);
        work(0, chance % 4 == 0 ? chance % 20000 : chance % 50);
        meet(round, number);
        qurt_mutex_lock(&met.mutex);
        met.total++;
        qurt_mutex_unlock(&met.mutex);
    }
}

/* `only`: 0, or the number of a way to meet, from 1 on. */
static int schedule(unsigned seed, unsigned only)
{
    memset(&met, 0, sizeof met);
    met.seed = seed;
    met.only = only;
    met.threads = 2 + mixed(seed, 1, 2) % (THREADS_MAX - 1);
    qurt_mutex_init(&met.mutex);
    qurt_cond_init(&met.condition);
    qurt_barrier_init(&met.barrier, met.threads);
    for (unsigned i = 0; i < met.threads; i++) {
        qurt_pipe_attr_t attributes;
        qurt_pipe_attr_init(&attributes);
        qurt_pipe_attr_set_elements(&attributes, ROUNDS);
        EQUAL(qurt_pipe_create(&met.pipes[i], &attributes), QURT_EOK);
    }
    for (unsigned i = 0; i < met.threads; i++) {
        EQUAL(start_worker((int)i, meeting_thread), QURT_EOK);
    }
    join_workers((int)met.threads);
    for (unsigned i = 0; i < met.threads; i++) {
        qurt_pipe_delete(met.pipes[i]);
    }
    qurt_barrier_destroy(&met.barrier);
    EQUAL(met.total, met.threads * ROUNDS);
    EQUAL(atomic_load(&met.wrong), 0);
    return 0;
}

/* in: the first seed, how many, and a way to meet or 0. out: of how many all threads came to the end. */
static int schedules(const int32_t *in, int32_t *out)
{
    for (out[0] = 0; out[0] < in[1]; out[0]++) {
        const int problem = schedule((unsigned)(in[0] + out[0]), (unsigned)in[2]);
        if (problem != 0) {
            FARF(ERROR, "seed %d", (int)(in[0] + out[0]));
            return problem;
        }
    }
    return 0;
}

/* All threads wait for what never comes. */
static int forever(const int32_t *in, int32_t *out)
{
    const int problem = begin(in[0], 0);
    FARF(ERROR, "it waits");
    (void)out;
    while (problem == 0) {
        pause_once();
    }
    return problem;
}

const struct named_case cases[] = {
    CASE(alone),   CASE(together),  CASE(latency), CASE(between),
    CASE(forever), CASE(schedules), {NULL, NULL},
};
