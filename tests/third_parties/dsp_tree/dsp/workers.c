// Threads that wait for work on a futex-like pair of a semaphore and a barrier.
#include <HAP_farf.h>
#include <qurt.h>
#include <stdlib.h>

#include "kernels.h"

#define MAX_WORKERS 8
#define STACK 16384

struct worker {
    qurt_thread_t thread;
    void *stack;
    qurt_sem_t go;
    unsigned number;
};

static struct worker workers[MAX_WORKERS];
static unsigned running;
static volatile int ending;
static qurt_sem_t done;
static void (*current)(const struct job *, size_t, size_t);
static const struct job *current_jobs;
static size_t current_count;

static void work(void *context) {
    struct worker *own = context;
    for (;;) {
        qurt_sem_down(&own->go);
        if (ending)
            break;
        size_t share = current_count / running;
        current(&current_jobs[own->number], own->number * share, share);
        qurt_sem_up(&done);
    }
    qurt_thread_exit(0);
}

int workers_start(unsigned count) {
    if (count < 1 || count > MAX_WORKERS)
        return -1;
    ending = 0;
    qurt_sem_init_val(&done, 0);
    for (running = 0; running < count; running++) {
        struct worker *worker = &workers[running];
        worker->number = running;
        worker->stack = malloc(STACK);
        qurt_sem_init_val(&worker->go, 0);
        qurt_thread_attr_t attributes;
        qurt_thread_attr_init(&attributes);
        qurt_thread_attr_set_stack_addr(&attributes, worker->stack);
        qurt_thread_attr_set_stack_size(&attributes, STACK);
        qurt_thread_attr_set_priority(&attributes, 100);
        qurt_thread_attr_set_name(&attributes, "blend");
        int error = qurt_thread_create(&worker->thread, &attributes, work, worker);
        if (error) {
            FARF(ERROR, "worker %u: %d", running, error);
            return error;
        }
    }
    return 0;
}

void workers_stop(void) {
    ending = 1;
    for (unsigned i = 0; i < running; i++) {
        int status = NULL; // an integer, in the SDK's C library
        qurt_sem_up(&workers[i].go);
        qurt_thread_join(workers[i].thread, &status);
        qurt_sem_destroy(&workers[i].go);
        free(workers[i].stack);
        workers[i].stack = NULL;
    }
    qurt_sem_destroy(&done);
    running = 0;
}

unsigned workers_run(void (*kernel)(const struct job *, size_t, size_t), const struct job *jobs,
                     size_t count) {
    current = kernel;
    current_jobs = jobs;
    current_count = count;
    for (unsigned i = 0; i < running; i++)
        qurt_sem_up(&workers[i].go);
    for (unsigned i = 0; i < running; i++)
        qurt_sem_down(&done);
    return running;
}
