/* Worker threads in QuRT, with the priority of the caller. */
#include "workers.h"

#include <stdint.h>
#include <stdlib.h>

#include "qurt.h"

enum { STACK_BYTES = 16384 };

struct worker {
    void (*work)(void *argument, size_t i);
    void *argument;
    size_t i;
    qurt_thread_t thread;
};

static void begin(void *argument)
{
    struct worker *worker = argument;

    worker->work(worker->argument, worker->i);
    qurt_thread_exit(QURT_EOK);
}

/* Returns 0 if no thread was created. */
static int start(struct worker *worker, uint8_t *stack, int priority)
{
    qurt_thread_attr_t attributes;

    qurt_thread_attr_init(&attributes);
    qurt_thread_attr_set_name(&attributes, "htp_ops");
    qurt_thread_attr_set_priority(&attributes, (unsigned short)priority);
    qurt_thread_attr_set_detachstate(&attributes, QURT_THREAD_ATTR_CREATE_JOINABLE);
    qurt_thread_attr_set_stack_addr(&attributes, stack);
    qurt_thread_attr_set_stack_size(&attributes, STACK_BYTES);
    return qurt_thread_create(&worker->thread, &attributes, begin, worker) == QURT_EOK;
}

void run_workers(size_t count, void (*work)(void *argument, size_t i), void *argument)
{
    struct worker workers[WORKERS_MAX];
    int started[WORKERS_MAX] = {0};
    const int priority = qurt_thread_get_priority(qurt_thread_get_id());
    uint8_t *stacks = count > 1 ? malloc((count - 1) * STACK_BYTES) : NULL;

    for (size_t i = 1; i < count && stacks != NULL; i++) {
        workers[i] = (struct worker){.work = work, .argument = argument, .i = i};
        started[i] = start(&workers[i], stacks + (i - 1) * STACK_BYTES, priority);
    }
    for (size_t i = 0; i < count; i++)
        if (!started[i])
            work(argument, i);
    for (size_t i = 1; i < count; i++) {
        int status;

        if (started[i])
            qurt_thread_join(workers[i].thread, &status);
    }
    free(stacks);
}
