/* park.c: queues of waiting threads, one for each address that threads wait at.
 *
 * QuRT's objects are words in the skel's memory and may be copied from an initializer, so they
 * cannot hold the shell's data. This file lists waiting threads by address. It wakes them in the
 * order that QuRT documents: the highest priority first. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "../counts.h"
#include "runtime.h"

#define BUCKETS 64

struct bucket {
    pthread_mutex_t lock;
    struct park_waiter *waiters; /* of all addresses in this bucket, in order of arrival */
};

static struct bucket buckets[BUCKETS];

__attribute__((constructor)) static void prepare(void)
{
    for (int i = 0; i < BUCKETS; i++) {
        pthread_mutex_init(&buckets[i].lock, NULL);
    }
}

/* Returns the calling thread's condition variable, which is created at the first use and measures
 * time with CLOCK_MONOTONIC. */
static pthread_cond_t *own_condition(void)
{
    static _Thread_local pthread_cond_t condition;
    static _Thread_local bool ready;
    if (!ready) {
        pthread_condattr_t attributes;
        pthread_condattr_init(&attributes);
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
        pthread_cond_init(&condition, &attributes);
        pthread_condattr_destroy(&attributes);
        ready = true;
    }
    return &condition;
}

static struct bucket *bucket_of(const void *key)
{
    uintptr_t word = (uintptr_t)key >> 2;
    return &buckets[(word ^ (word >> 6) ^ (word >> 13)) % BUCKETS];
}

void park_enter(const void *key)
{
    counts_pause();
    pthread_mutex_lock(&bucket_of(key)->lock);
}

void park_leave(const void *key)
{
    pthread_mutex_unlock(&bucket_of(key)->lock);
    counts_resume();
}

void park_join(const void *key, struct park_waiter *waiter)
{
    *waiter = (struct park_waiter){
        .key = key, .priority = thread_priority(), .condition = own_condition()};
    struct park_waiter **at = &bucket_of(key)->waiters;
    while (*at != NULL) {
        at = &(*at)->next;
    }
    *at = waiter;
}

static void remove_waiter(struct bucket *bucket, struct park_waiter *waiter)
{
    for (struct park_waiter **at = &bucket->waiters; *at != NULL; at = &(*at)->next) {
        if (*at == waiter) {
            *at = waiter->next;
            return;
        }
    }
}

bool park_wait(struct park_waiter *waiter, uint64_t deadline)
{
    struct bucket *bucket = bucket_of(waiter->key);
    struct timespec until = {.tv_sec = (time_t)(deadline / 1000000000u),
                             .tv_nsec = (long)(deadline % 1000000000u)};
    counts_flush();
    while (!waiter->woken) {
        if (deadline == FOREVER) {
            pthread_cond_wait(waiter->condition, &bucket->lock);
        } else if (pthread_cond_timedwait(waiter->condition, &bucket->lock, &until) == ETIMEDOUT) {
            break;
        }
    }
    if (!waiter->woken) {
        remove_waiter(bucket, waiter);
    }
    return waiter->woken;
}

static struct park_waiter *first_of(struct bucket *bucket, const void *key)
{
    struct park_waiter *best = NULL;
    for (struct park_waiter *at = bucket->waiters; at != NULL; at = at->next) {
        if (at->key == key && (best == NULL || at->priority < best->priority)) {
            best = at;
        }
    }
    return best;
}

int park_wake(const void *key, int count)
{
    struct bucket *bucket = bucket_of(key);
    int woken = 0;
    while (woken < count) {
        struct park_waiter *waiter = first_of(bucket, key);
        if (waiter == NULL) {
            break;
        }
        remove_waiter(bucket, waiter);
        waiter->woken = true;
        pthread_cond_signal(waiter->condition);
        woken++;
    }
    return woken;
}
