/* workers.h: threads of a skel that wait in loops, and work. */
#ifndef WORKERS_H
#define WORKERS_H

#include "qurt.h"

#define WORKERS_MAX 8

static char stacks[WORKERS_MAX][8192] __attribute__((aligned(16)));
static qurt_thread_t ids[WORKERS_MAX];

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

#endif
