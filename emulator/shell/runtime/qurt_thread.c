/* qurt_thread.c: QuRT's threads. Each is a thread of musl.
 *
 * A thread runs on a stack that the shell allocates. It has the size that the creator passed, plus
 * a reserve, because the shell's functions and musl need more than their counterparts on a DSP. A
 * guard page below it makes an overflow crash. The memory that the creator passed is not used.
 * Priorities order the threads that wait for one object. They do not affect the build machine's
 * scheduler. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../counts.h"
#include "../profile.h"
#include "../stack_depth.h"
#include "hmx_lock.h"
#include "qurt_consts.h"
#include "qurt_error.h"
#include "qurt_hvx.h"
#include "runtime.h"
#include "thread_local.h"
#include "threads.h"

static pthread_cond_t ending = PTHREAD_COND_INITIALIZER;

/* Ends the calling thread, which qurt_thread_create has created. */
static void finish(int status)
{
    struct thread *thread = threads_self;
    counts_thread_end();
    profile_thread_end();
    if (thread->measured.top != 0) {
        counts_stack(stack_depth(thread->measured.low, thread->measured.top));
        thread->measured.top = 0;
    }
    hmx_thread_ends(); /* its mutex takes more packets when threads meet */
    thread_local_end();
    tls_destroy();
    qurt_hvx_unlock(); /* if the thread has locked a unit */
    pthread_mutex_lock(&threads_lock);
    thread->status = status;
    thread->ended = true;
    if (thread->awaited || thread->attributes.detach_state == QURT_THREAD_ATTR_CREATE_JOINABLE) {
        pthread_cond_broadcast(&ending);
    } else {
        threads_discard(thread);
    }
    pthread_mutex_unlock(&threads_lock);
    pthread_exit(NULL);
}

static void *start(void *argument)
{
    threads_self = argument;
    stack_catch_faults(&threads_self->stack);
    profile_thread_begin();
    counts_thread_begin();
    stack_run(&threads_self->stack, threads_self->entry, threads_self->argument);
    finish(0);
    return NULL;
}

/* The same, and the stack is measured: in a function of its own, so that others execute nothing for
 * that. */
static void *start_measured(void *argument)
{
    struct thread *thread = argument;
    threads_self = thread;
    stack_catch_faults(&thread->stack);
    profile_thread_begin();
    counts_thread_begin();
    fault_context.frame = (uintptr_t)__builtin_frame_address(0);
    thread->measured.low = fault_stack.low;
    thread->measured.top = stack_fill(fault_stack.low);
    thread->entry(thread->argument);
    const uint32_t depth = stack_depth(thread->measured.low, thread->measured.top);
    thread->measured.top = 0;
    counts_stack(depth);
    finish(0);
    return NULL;
}

static bool acceptable(const qurt_thread_attr_t *attributes)
{
    if (attributes->stack_addr == NULL || attributes->stack_size == 0) {
        shell_logf(SHELL_ERROR,
                   "qurt_thread_create(\"%.16s\"): no stack: QuRT allocates none; set it with "
                   "qurt_thread_attr_set_stack_addr and qurt_thread_attr_set_stack_size",
                   attributes->name);
        return false;
    }
    if ((uintptr_t)attributes->stack_addr % 8 != 0) {
        shell_logf(SHELL_ERROR,
                   "qurt_thread_create(\"%.16s\"): the stack's address %p is not a "
                   "multiple of 8",
                   attributes->name, attributes->stack_addr);
        return false;
    }
    if (attributes->priority > 255) {
        shell_logf(SHELL_ERROR,
                   "qurt_thread_create(\"%.16s\"): priority %u is not in the range 1 to 255",
                   attributes->name, attributes->priority);
        return false;
    }
    return true;
}

static int create(qurt_thread_t *thread_id, const qurt_thread_attr_t *attr,
                  void (*entrypoint)(void *), void *arg)
{
    if (thread_id == NULL || attr == NULL || entrypoint == NULL || !acceptable(attr)) {
        return QURT_EFAILED;
    }
    struct thread *thread = calloc(1, sizeof *thread);
    pthread_attr_t attributes;
    if (thread == NULL || !stack_allocate(&thread->stack, attr->stack_size)) {
        free(thread);
        return QURT_EFAILED;
    }
    thread->attributes = *attr;
    thread->attributes.name[QURT_THREAD_ATTR_NAME_MAXLEN - 1] = 0;
    thread->entry = entrypoint;
    thread->argument = arg;
    pthread_attr_init(&attributes);
    stack_use(&thread->stack, &attributes);
    pthread_mutex_lock(&threads_lock);
    threads_reap();
    *thread_id = threads_add(thread)->id;
    const bool measured = shell_facts()->measure_stack && shell_facts()->strict == STRICT_OFF;
    int problem = pthread_create(&thread->handle, &attributes, measured ? start_measured : start,
                                 thread);
    if (problem != 0) {
        threads_remove(thread);
        stack_free(&thread->stack);
        free(thread);
        shell_logf(SHELL_ERROR, "qurt_thread_create: %s", strerror(problem));
    }
    pthread_mutex_unlock(&threads_lock);
    pthread_attr_destroy(&attributes);
    return problem == 0 ? QURT_EOK : QURT_EFAILED;
}

int qurt_thread_create(qurt_thread_t *thread_id, qurt_thread_attr_t *attr,
                       void (*entrypoint)(void *), void *arg)
{
    counts_pause();
    int code = create(thread_id, attr, entrypoint, arg);
    counts_resume();
    return code;
}

void qurt_thread_exit(int status)
{
    if (threads_self == NULL || threads_self->stack.base == NULL) {
        die("qurt_thread_exit on a thread that serves a call: the method must return instead");
    }
    finish(status);
}

static int join(unsigned int tid, int *status)
{
    pthread_mutex_lock(&threads_lock);
    struct thread *thread = threads_find(tid);
    if (thread == NULL || thread == threads_self || thread->stack.base == NULL || thread->awaited ||
        thread->attributes.detach_state == QURT_THREAD_ATTR_CREATE_DETACHED) {
        pthread_mutex_unlock(&threads_lock);
        return QURT_ENOTHREAD;
    }
    thread->awaited = true;
    counts_flush();
    while (!thread->ended) {
        pthread_cond_wait(&ending, &threads_lock);
    }
    if (status != NULL) {
        *status = thread->status;
    }
    threads_discard(thread);
    threads_reap();
    pthread_mutex_unlock(&threads_lock);
    return QURT_EOK;
}

int qurt_thread_join(unsigned int tid, int *status)
{
    counts_pause();
    int code = join(tid, status);
    counts_resume();
    return code;
}

int qurt_thread_detach(unsigned int tid)
{
    pthread_mutex_lock(&threads_lock);
    struct thread *thread = threads_find(tid);
    int code = QURT_ENOTHREAD;
    if (thread != NULL && !thread->awaited &&
        thread->attributes.detach_state == QURT_THREAD_ATTR_CREATE_JOINABLE) {
        thread->attributes.detach_state = QURT_THREAD_ATTR_CREATE_DETACHED;
        if (thread->ended) {
            threads_discard(thread);
        }
        code = QURT_EOK;
    }
    pthread_mutex_unlock(&threads_lock);
    return code;
}

qurt_thread_t qurt_thread_get_id(void)
{
    return thread_id();
}

void qurt_thread_get_name(char *name, unsigned char max_len)
{
    if (max_len > 0) {
        snprintf(name, max_len, "%s", threads_current()->attributes.name);
    }
}

int qurt_thread_attr_get(qurt_thread_t thread_id, qurt_thread_attr_t *attr)
{
    threads_current();
    pthread_mutex_lock(&threads_lock);
    struct thread *thread = threads_find(thread_id);
    if (thread != NULL) {
        *attr = thread->attributes;
    }
    pthread_mutex_unlock(&threads_lock);
    return thread == NULL ? QURT_EINVALID : QURT_EOK;
}

int qurt_thread_get_priority(qurt_thread_t threadid)
{
    qurt_thread_attr_t attributes;
    return qurt_thread_attr_get(threadid, &attributes) == QURT_EOK ? attributes.priority : -1;
}

int qurt_thread_set_priority(qurt_thread_t threadid, unsigned short newprio)
{
    threads_current();
    pthread_mutex_lock(&threads_lock);
    struct thread *thread = threads_find(threadid);
    bool good = thread != NULL && !thread->ended && newprio <= 255;
    if (good) {
        thread->attributes.priority = newprio;
    }
    pthread_mutex_unlock(&threads_lock);
    return good ? 0 : -1;
}

unsigned short qurt_thread_get_timetest_id(void)
{
    return threads_current()->attributes.timetest_id;
}

void qurt_thread_set_timetest_id(unsigned short tid)
{
    threads_current()->attributes.timetest_id = tid;
}

const struct shell_symbol qurt_thread_symbols[] = {
    EXPORT(qurt_thread_create),
    EXPORT(qurt_thread_exit),
    EXPORT(qurt_thread_join),
    EXPORT(qurt_thread_detach),
    EXPORT(qurt_thread_get_id),
    EXPORT(qurt_thread_get_name),
    EXPORT(qurt_thread_attr_get),
    EXPORT(qurt_thread_get_priority),
    EXPORT(qurt_thread_set_priority),
    EXPORT(qurt_thread_get_timetest_id),
    EXPORT(qurt_thread_set_timetest_id),
    EXPORT_END,
};
