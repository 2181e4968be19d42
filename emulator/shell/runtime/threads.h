/* threads.h: the threads that skels create, and those that serve calls. */
#ifndef BUILDTOOL_RUNTIME_THREADS_H
#define BUILDTOOL_RUNTIME_THREADS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "qurt_thread.h"
#include "stack.h"

struct thread {
    struct thread *next;
    uint32_t id;
    qurt_thread_attr_t attributes;
    void (*entry)(void *);
    void *argument;
    struct stack stack; /* base is NULL for a thread that serves calls */
    struct {
        uintptr_t low, top; /* top is 0: it is not measured, or no longer */
    } measured;
    pthread_t handle;
    bool ended;
    bool awaited; /* a thread is in qurt_thread_join for this thread */
    int status;
};

extern pthread_mutex_t threads_lock;
extern _Thread_local struct thread
    *threads_self; /* NULL until threads_current, if it serves calls */

/* Returns the record of the calling thread. A thread that serves calls gets its record at the first
 * use and keeps it. There are as many such threads as the client makes calls at the same time. */
struct thread *threads_current(void);

/* Notes how deep threads that have not ended have used their stacks. */
void threads_note_stacks(void);

/* ---- the caller of these holds the lock ---- */

/* Finds a thread that runs, or has ended and is not yet joined. */
struct thread *threads_find(uint32_t id);

/* Adds a thread, which gets an id. */
struct thread *threads_add(struct thread *thread);
void threads_remove(const struct thread *thread);

/* Removes a thread that ends; threads_reap then frees its stack and its record. */
void threads_discard(struct thread *thread);
void threads_reap(void);

#endif
