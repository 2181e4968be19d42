/* schedules.c: random schedules of threads: in each round, all meet in one of several ways. */
#include <stdatomic.h>
#include <stdbool.h>

#include "cases.h"
#include "workers.h"

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

const struct named_case cases[] = {CASE(schedules), {NULL, NULL}};
