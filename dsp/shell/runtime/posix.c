/* posix.c: POSIX threads as QuRT's library has them.
 *
 * Its types are not musl's: pthread_t is QuRT's thread id, mutexes and condition
 * variables are one word (0xffffffff until first used), attributes have their own layout.
 * So these are functions of our own upon QuRT's, under other names in C.
 * Types as documented for QuRT in the Hexagon SDK (posix/pthread_types.h). */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "heap.h"
#include "qurt_cond.h"
#include "qurt_error.h"
#include "qurt_rmutex.h"
#include "qurt_thread.h"
#include "qurt_tls.h"
#include "runtime.h"

#define DEFAULT_STACK 16384u
#define DEFAULT_PRIORITY 128
#define UNUSED_WORD 0xffffffffu

enum { DETACHED = 0, JOINABLE = 1 };
enum { TYPE_ERRORCHECK = 0, TYPE_NORMAL = 1, TYPE_RECURSIVE = 2, TYPE_DEFAULT = 3 };

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

typedef struct {
    int is_initialized;
    int type;
    int pshared;
    int protocol;
} posix_mutexattr;

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
    qurt_thread_attr_set_name(&attributes, attr == NULL || !attr->name[0] ? "Anonymous" : attr->name);
    qurt_thread_attr_set_priority(&attributes, (unsigned short)(attr == NULL ? DEFAULT_PRIORITY
                                                                             : attr->priority));
    qurt_thread_attr_set_detachstate(&attributes, start->detached
                                                      ? QURT_THREAD_ATTR_CREATE_DETACHED
                                                      : QURT_THREAD_ATTR_CREATE_JOINABLE);
    /* The stack is the shell's either way; QuRT's create wants to see one. */
    qurt_thread_attr_set_stack_addr(&attributes, (void *)(uintptr_t)8);
    qurt_thread_attr_set_stack_size(&attributes, attr == NULL || attr->stacksize == 0
                                                     ? DEFAULT_STACK
                                                     : attr->stacksize);
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

/* QuRT's control word: 0 before; ours: 1 while running, 2 after. */
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

/* ---- attributes ---- */

static int attr_init(posix_attr *attr)
{
    *attr = (posix_attr){.internal_stack = 1,
                         .stacksize = DEFAULT_STACK,
                         .priority = DEFAULT_PRIORITY,
                         .detachstate = JOINABLE};
    return 0;
}

static int attr_set_stack(posix_attr *attr, void *address, uint32_t size)
{
    attr->stackaddr = address;
    attr->stacksize = size;
    attr->internal_stack = 0;
    return 0;
}

static int attr_set_stack_address(posix_attr *attr, void *address)
{
    return attr_set_stack(attr, address, attr->stacksize);
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

static int attr_set_detached(posix_attr *attr, int state)
{
    if (state != DETACHED && state != JOINABLE) {
        return EINVAL;
    }
    attr->detachstate = state;
    return 0;
}

static int attr_set_name(posix_attr *attr, const char *name)
{
    strlcpy(attr->name, name, sizeof attr->name);
    return 0;
}

/* ---- mutexes and conditions: the word becomes the address of QuRT's object ---- */

struct mutex {
    qurt_mutex_t lock;
    bool recursive;
};

/* Made at first use when the word is an initializer. */
static void *object(uint32_t *word, size_t size, void (*init)(void *))
{
    uint32_t now = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    if (now != UNUSED_WORD && now != 0) {
        return (void *)(uintptr_t)now;
    }
    void *made = calloc(1, size);
    if (made == NULL) {
        die("no memory for a mutex");
    }
    init(made);
    if (!__atomic_compare_exchange_n(word, &now, (uint32_t)(uintptr_t)made, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        free(made);
        return (void *)(uintptr_t)now;
    }
    return made;
}

static void init_mutex(void *mutex)
{
    qurt_mutex_init(&((struct mutex *)mutex)->lock);
}

static void init_condition(void *condition)
{
    qurt_cond_init(condition);
}

static struct mutex *mutex_of(uint32_t *word)
{
    return object(word, sizeof(struct mutex), init_mutex);
}

static qurt_cond_t *condition_of(uint32_t *word)
{
    return object(word, sizeof(qurt_cond_t), init_condition);
}

static int destroy(uint32_t *word)
{
    uint32_t now = __atomic_exchange_n(word, UNUSED_WORD, __ATOMIC_ACQ_REL);
    if (now != UNUSED_WORD && now != 0) {
        free((void *)(uintptr_t)now);
    }
    return 0;
}

static int mutex_init(uint32_t *word, const posix_mutexattr *attr)
{
    *word = UNUSED_WORD;
    mutex_of(word)->recursive = attr != NULL && attr->type == TYPE_RECURSIVE;
    return 0;
}

static int mutex_lock(uint32_t *word)
{
    struct mutex *mutex = mutex_of(word);
    if (mutex->recursive) {
        qurt_rmutex_lock(&mutex->lock);
    } else {
        qurt_mutex_lock(&mutex->lock);
    }
    return 0;
}

static int mutex_trylock(uint32_t *word)
{
    struct mutex *mutex = mutex_of(word);
    int code = mutex->recursive ? qurt_rmutex_try_lock(&mutex->lock)
                                : qurt_mutex_try_lock(&mutex->lock);
    return code == 0 ? 0 : EBUSY;
}

static int mutex_unlock(uint32_t *word)
{
    qurt_mutex_unlock(&mutex_of(word)->lock);
    return 0;
}

static int mutexattr_init(posix_mutexattr *attr)
{
    *attr = (posix_mutexattr){.is_initialized = 1, .type = TYPE_DEFAULT};
    return 0;
}

static int mutexattr_destroy(posix_mutexattr *attr)
{
    attr->is_initialized = 0;
    return 0;
}

static int mutexattr_settype(posix_mutexattr *attr, int type)
{
    if (type < TYPE_ERRORCHECK || type > TYPE_DEFAULT) {
        return EINVAL;
    }
    attr->type = type;
    return 0;
}

static int cond_init(uint32_t *word, const void *attr)
{
    (void)attr;
    *word = UNUSED_WORD;
    condition_of(word);
    return 0;
}

static int cond_signal(uint32_t *word)
{
    qurt_cond_signal(condition_of(word));
    return 0;
}

static int cond_broadcast(uint32_t *word)
{
    qurt_cond_broadcast(condition_of(word));
    return 0;
}

static int cond_wait(uint32_t *word, uint32_t *mutex)
{
    qurt_cond_wait(condition_of(word), &mutex_of(mutex)->lock);
    return 0;
}

/* `until` is a moment on CLOCK_REALTIME, in QuRT's struct timespec of two words. */
static int cond_timedwait(uint32_t *word, uint32_t *mutex, const int32_t until[2])
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t left = ((int64_t)until[0] - (int64_t)now.tv_sec) * 1000000 +
                   ((int64_t)until[1] - (int64_t)now.tv_nsec) / 1000;
    uint64_t deadline = clock_after_us(left > 0 ? (uint64_t)left : 0);
    qurt_cond_t *condition = condition_of(word);
    struct park_waiter waiter;
    park_enter(condition);
    condition->X.n_waiting++;
    park_join(condition, &waiter);
    park_leave(condition);
    mutex_unlock(mutex);
    park_enter(condition);
    bool woken = park_wait(&waiter, deadline);
    if (!woken) {
        condition->X.n_waiting--;
    }
    park_leave(condition);
    mutex_lock(mutex);
    return woken ? 0 : ETIMEDOUT;
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
    OFFER_AS("pthread_create", create),
    OFFER_AS("pthread_join", join),
    OFFER_AS("pthread_detach", detach),
    OFFER_AS("pthread_exit", end),
    OFFER_AS("pthread_self", thread_id),
    OFFER_AS("pthread_once", once),
    OFFER_AS("pthread_attr_init", attr_init),
    OFFER_AS("pthread_attr_destroy", nothing),
    OFFER_AS("pthread_attr_setstack", attr_set_stack),
    OFFER_AS("pthread_attr_setstackaddr", attr_set_stack_address),
    OFFER_AS("pthread_attr_setstacksize", attr_set_stack_size),
    OFFER_AS("pthread_attr_getstacksize", attr_get_stack_size),
    OFFER_AS("pthread_attr_setdetachstate", attr_set_detached),
    OFFER_AS("pthread_attr_setthreadname", attr_set_name),
    OFFER_AS("pthread_mutex_init", mutex_init),
    OFFER_AS("pthread_mutex_destroy", destroy),
    OFFER_AS("pthread_mutex_lock", mutex_lock),
    OFFER_AS("pthread_mutex_trylock", mutex_trylock),
    OFFER_AS("pthread_mutex_unlock", mutex_unlock),
    OFFER_AS("pthread_mutexattr_init", mutexattr_init),
    OFFER_AS("pthread_mutexattr_destroy", mutexattr_destroy),
    OFFER_AS("pthread_mutexattr_settype", mutexattr_settype),
    OFFER_AS("pthread_cond_init", cond_init),
    OFFER_AS("pthread_cond_destroy", destroy),
    OFFER_AS("pthread_cond_signal", cond_signal),
    OFFER_AS("pthread_cond_broadcast", cond_broadcast),
    OFFER_AS("pthread_cond_wait", cond_wait),
    OFFER_AS("pthread_cond_timedwait", cond_timedwait),
    OFFER_AS("pthread_key_create", key_create),
    OFFER_AS("pthread_key_delete", key_delete),
    OFFER_AS("pthread_getspecific", qurt_tls_get_specific),
    OFFER_AS("pthread_setspecific", set_specific),
    OFFER_END,
};
