/* threads.c: the threads that the library creates. They end before the library is unloaded. */
#define _GNU_SOURCE
#include "threads.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct own_thread {
    struct own_thread *next;
    pthread_t handle;
    bool ended; /* it accesses nothing of the library but its last instructions */
    void (*run)(void *);
    void *argument;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct own_thread *threads;

static void *start(void *argument)
{
    struct own_thread *thread = argument;
    thread->run(thread->argument);
    pthread_mutex_lock(&lock);
    thread->ended = true;
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* Joins the threads that have ended. The caller holds the lock. */
static void reap(void)
{
    for (struct own_thread **at = &threads; *at != NULL;) {
        struct own_thread *thread = *at;
        if (thread->ended) {
            *at = thread->next;
            pthread_join(thread->handle, NULL);
            free(thread);
        } else {
            at = &thread->next;
        }
    }
}

bool thread_start(void (*run)(void *), void *argument)
{
    struct own_thread *thread = calloc(1, sizeof *thread);
    if (thread == NULL) {
        return false;
    }
    thread->run = run;
    thread->argument = argument;
    pthread_mutex_lock(&lock);
    reap();
    bool good = pthread_create(&thread->handle, NULL, start, thread) == 0;
    if (good) {
        thread->next = threads;
        threads = thread;
    } else {
        free(thread);
    }
    pthread_mutex_unlock(&lock);
    return good;
}

void threads_join(int seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += seconds;
    pthread_mutex_lock(&lock);
    struct own_thread *thread = threads;
    threads = NULL;
    pthread_mutex_unlock(&lock);
    while (thread != NULL) {
        struct own_thread *next = thread->next;
        if (!pthread_equal(thread->handle, pthread_self()) &&
            pthread_timedjoin_np(thread->handle, NULL, &until) == 0) {
            free(thread);
        }
        thread = next;
    }
}

void threads_forget(void)
{
    pthread_mutex_init(&lock, NULL);
    threads = NULL;
}
