/* threads.c: the threads that skels create, and those that serve calls. */
#include "threads.h"

#include <stdlib.h>

#include "../counts.h"
#include "../stack_depth.h"
#include "runtime.h"

pthread_mutex_t threads_lock = PTHREAD_MUTEX_INITIALIZER;
_Thread_local struct thread *threads_self;
static struct thread *threads; /* running, or ended and not yet joined */
static struct thread *spent;   /* ended; their stacks are not yet freed */
static uint32_t last_id;

struct thread *threads_find(uint32_t id)
{
    struct thread *thread = threads;
    while (thread != NULL && thread->id != id) {
        thread = thread->next;
    }
    return thread;
}

void threads_remove(const struct thread *thread)
{
    for (struct thread **at = &threads; *at != NULL; at = &(*at)->next) {
        if (*at == thread) {
            *at = thread->next;
            return;
        }
    }
}

struct thread *threads_add(struct thread *thread)
{
    do {
        last_id++;
    } while (last_id == 0 || last_id == 0xfe || threads_find(last_id) != NULL);
    thread->id = last_id;
    thread->next = threads;
    threads = thread;
    return thread;
}

struct thread *threads_current(void)
{
    if (threads_self == NULL) {
        struct thread *thread = calloc(1, sizeof *thread);
        if (thread == NULL) {
            die("no memory for a thread's record");
        }
        qurt_thread_attr_init(&thread->attributes);
        qurt_thread_attr_set_priority(&thread->attributes,
                                      (unsigned short)shell_facts()->thread_priority);
        pthread_mutex_lock(&threads_lock);
        threads_self = threads_add(thread);
        pthread_mutex_unlock(&threads_lock);
    }
    return threads_self;
}

uint32_t thread_id(void)
{
    return threads_current()->id;
}

int thread_priority(void)
{
    return threads_current()->attributes.priority;
}

void threads_discard(struct thread *thread)
{
    threads_remove(thread);
    thread->next = spent;
    spent = thread;
}

void threads_reap(void)
{
    while (spent != NULL) {
        struct thread *thread = spent;
        spent = thread->next;
        pthread_join(thread->handle, NULL);
        stack_free(&thread->stack);
        free(thread);
    }
}

void threads_note_stacks(void)
{
    pthread_mutex_lock(&threads_lock);
    for (const struct thread *thread = threads; thread != NULL; thread = thread->next) {
        if (thread->measured.top != 0) {
            counts_stack(stack_depth(thread->measured.low, thread->measured.top));
        }
    }
    pthread_mutex_unlock(&threads_lock);
}

uint64_t thread_stack_left(void)
{
    struct thread *thread = threads_current();
    return stack_left(thread->stack.base == NULL ? NULL : &thread->stack);
}
