/* posix.c: POSIX threads with the types of QuRT's library.
 *
 * QuRT's types differ from musl's: pthread_t is QuRT's thread id, and attributes have another
 * layout. This file therefore implements the functions with QuRT's threads, and gives them other
 * names in C. The Hexagon SDK documents the types (posix/pthread_types.h). */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "posix.h"
#include "qurt_error.h"
#include "qurt_mutex.h"
#include "qurt_thread.h"
#include "qurt_tls.h"
#include "runtime.h"

#define DEFAULT_STACK 16384u
#define DEFAULT_PRIORITY 128

enum { DETACHED = 0, JOINABLE = 1 };

typedef struct {
    void *stackaddr;
    int internal_stack;
    uint32_t stacksize;
    int priority;
    unsigned short timetest_id;
    unsigned short bits;
    uint32_t cpumask;
    char name[16];
    int ext_context;
    int detachstate;
} posix_attr;

_Static_assert(sizeof(posix_attr) == 48, "pthread_attr_t of QuRT");

/* ---- threads ---- */

struct start {
    void *(*entry)(void *);
    void *argument;
    void *result;
    uint32_t id;
    bool detached;
    struct start *next;
};

static qurt_mutex_t list_lock = QURT_MUTEX_INIT;
static struct start *starts;
static _Thread_local struct start *self;

static void release(struct start *start)
{
    qurt_mutex_lock(&list_lock);
    for (struct start **at = &starts; *at != NULL; at = &(*at)->next) {
        if (*at == start) {
            *at = start->next;
            break;
        }
    }
    qurt_mutex_unlock(&list_lock);
    free(start);
}

static void end(void *result)
{
    bool detached = true;
    if (self != NULL) {
        qurt_mutex_lock(&list_lock);
        self->result = result;
        detached = self->detached;
        qurt_mutex_unlock(&list_lock);
        if (detached) {
            release(self);
        }
    }
    qurt_thread_exit(0);
}

static void run(void *argument)
{
    self = argument;
    end(self->entry(self->argument));
}

static int create(uint32_t *thread, const posix_attr *attr, void *(*entry)(void *), void *argument)
{
    struct start *start = calloc(1, sizeof *start);
    qurt_thread_attr_t attributes;
    if (start == NULL) {
        return ENOMEM;
    }
    start->entry = entry;
    start->argument = argument;
    start->detached = attr != NULL && attr->detachstate == DETACHED;
    qurt_thread_attr_init(&attributes);
    qurt_thread_attr_set_name(&attributes,
                              attr == NULL || !attr->name[0] ? "Anonymous" : attr->name);
    qurt_thread_attr_set_priority(
        &attributes, (unsigned short)(attr == NULL ? DEFAULT_PRIORITY : attr->priority));
    qurt_thread_attr_set_detachstate(&attributes, start->detached
                                                      ? QURT_THREAD_ATTR_CREATE_DETACHED
                                                      : QURT_THREAD_ATTR_CREATE_JOINABLE);
    /* qurt_thread_create requires a stack, but the thread runs on a stack of the shell. */
    qurt_thread_attr_set_stack_addr(&attributes, (void *)(uintptr_t)8);
    qurt_thread_attr_set_stack_size(
        &attributes, attr == NULL || attr->stacksize == 0 ? DEFAULT_STACK : attr->stacksize);
    qurt_mutex_lock(&list_lock);
    start->next = starts;
    starts = start;
    int code = qurt_thread_create(&start->id, &attributes, run, start);
    if (code == QURT_EOK) {
        *thread = start->id;
    }
    qurt_mutex_unlock(&list_lock);
    if (code != QURT_EOK) {
        release(start);
        return EAGAIN;
    }
    return 0;
}

static struct start *find(uint32_t thread)
{
    qurt_mutex_lock(&list_lock);
    struct start *start = starts;
    while (start != NULL && start->id != thread) {
        start = start->next;
    }
    qurt_mutex_unlock(&list_lock);
    return start;
}

static int join(uint32_t thread, void **result)
{
    struct start *start = find(thread);
    if (start == NULL || start->detached) {
        return ESRCH;
    }
    if (start == self) {
        return EDEADLK;
    }
    if (qurt_thread_join(thread, NULL) != QURT_EOK) {
        return ESRCH;
    }
    if (result != NULL) {
        *result = start->result;
    }
    release(start);
    return 0;
}

static int detach(uint32_t thread)
{
    struct start *start = find(thread);
    if (start == NULL || start->detached) {
        return start == NULL ? ESRCH : EINVAL;
    }
    qurt_mutex_lock(&list_lock);
    start->detached = true;
    qurt_mutex_unlock(&list_lock);
    return qurt_thread_detach(thread) == QURT_EOK ? 0 : ESRCH;
}

/* The control word is 0 before the call, as in QuRT. This function sets it to 1 while the routine
 * runs and to 2 afterwards. */
static int once(int *control, void (*routine)(void))
{
    int before = 0;
    if (__atomic_compare_exchange_n(control, &before, 1, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
        routine();
        __atomic_store_n(control, 2, __ATOMIC_RELEASE);
    }
    while (__atomic_load_n(control, __ATOMIC_ACQUIRE) != 2) {
        clock_sleep_us(50);
    }
    return 0;
}

/* Fails unless the whole name fits, as on a DSP. */
static int get_name(uint32_t thread, char *name, uint32_t size)
{
    qurt_thread_attr_t attributes;
    if (qurt_thread_attr_get(thread, &attributes) != QURT_EOK) {
        return ESRCH;
    }
    return strlcpy(name, attributes.name, size) < size ? 0 : ERANGE;
}

/* ---- attributes ---- */

static int attr_init(posix_attr *attr)
{
    *attr = (posix_attr){.internal_stack = 1,
                         .stacksize = DEFAULT_STACK,
                         .priority = DEFAULT_PRIORITY,
                         .detachstate = JOINABLE};
    return 0;
}

static int attr_set_stack_address(posix_attr *attr, void *address)
{
    attr->stackaddr = address;
    attr->internal_stack = 0;
    return 0;
}

static int attr_set_stack_size(posix_attr *attr, uint32_t size)
{
    attr->stacksize = size;
    return 0;
}

static int attr_get_stack_size(const posix_attr *attr, uint32_t *size)
{
    *size = attr->stacksize;
    return 0;
}

static int attr_set_name(posix_attr *attr, const char *name)
{
    strlcpy(attr->name, name, sizeof attr->name);
    return 0;
}

/* ---- keys ---- */

static int key_create(int *key, void (*destructor)(void *))
{
    return qurt_tls_create_key(key, destructor) == QURT_EOK ? 0 : EAGAIN;
}

static int key_delete(int key)
{
    return qurt_tls_delete_key(key) == QURT_EOK ? 0 : EINVAL;
}

static int set_specific(int key, const void *value)
{
    return qurt_tls_set_specific(key, value) == QURT_EOK ? 0 : EINVAL;
}

static int nothing(void)
{
    return 0;
}

const struct shell_symbol posix_symbols[] = {
    EXPORT_AS("pthread_create", create),
    EXPORT_AS("pthread_join", join),
    EXPORT_AS("pthread_detach", detach),
    EXPORT_AS("pthread_exit", end),
    EXPORT_AS("pthread_self", thread_id),
    EXPORT_AS("pthread_once", once),
    EXPORT_AS("pthread_getname_np", get_name),
    EXPORT_AS("pthread_attr_init", attr_init),
    EXPORT_AS("pthread_attr_destroy", nothing),
    EXPORT_AS("pthread_attr_setstackaddr", attr_set_stack_address),
    EXPORT_AS("pthread_attr_setstacksize", attr_set_stack_size),
    EXPORT_AS("pthread_attr_getstacksize", attr_get_stack_size),
    EXPORT_AS("pthread_attr_setthreadname", attr_set_name),
    EXPORT_AS("pthread_mutex_init", posix_mutex_init),
    EXPORT_AS("pthread_mutex_destroy", posix_word_destroy),
    EXPORT_AS("pthread_mutex_lock", posix_mutex_lock),
    EXPORT_AS("pthread_mutex_trylock", posix_mutex_trylock),
    EXPORT_AS("pthread_mutex_unlock", posix_mutex_unlock),
    EXPORT_AS("pthread_mutexattr_init", posix_mutexattr_init),
    EXPORT_AS("pthread_mutexattr_destroy", posix_mutexattr_destroy),
    EXPORT_AS("pthread_mutexattr_settype", posix_mutexattr_settype),
    EXPORT_AS("pthread_cond_init", posix_cond_init),
    EXPORT_AS("pthread_cond_destroy", posix_word_destroy),
    EXPORT_AS("pthread_cond_signal", posix_cond_signal),
    EXPORT_AS("pthread_cond_broadcast", posix_cond_broadcast),
    EXPORT_AS("pthread_cond_wait", posix_cond_wait),
    EXPORT_AS("pthread_cond_timedwait", posix_cond_timedwait),
    EXPORT_AS("pthread_key_create", key_create),
    EXPORT_AS("pthread_key_delete", key_delete),
    EXPORT_AS("pthread_getspecific", qurt_tls_get_specific),
    EXPORT_AS("pthread_setspecific", set_specific),
    EXPORT_END,
};
