/* waiting.c: threads that wait in loops, as the worker pools of public skels do. */
#include <stdatomic.h>
#include <stdbool.h>

#include "cases.h"
#include "HAP_perf.h"
#include "workers.h"

static atomic_uint sequence, pending, killed;
static unsigned iterations;
static uint32_t results[WORKERS_MAX + 1];

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
        /* One after the other: of two that change it at once, one executes more packets. */
        while (atomic_load(&pending) != number + 1) {
            pause_once();
        }
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

/* in: milliseconds. */
static int rest(const int32_t *in, int32_t *out)
{
    (void)out;
    qurt_sleep((unsigned long long)in[0] * 1000);
    return 0;
}

const struct named_case cases[] = {
    CASE(alone),   CASE(together), CASE(latency), CASE(between),
    CASE(forever), CASE(rest),     {NULL, NULL},
};
