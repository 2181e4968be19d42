/* posix_sync.c: POSIX mutexes and condition variables, implemented with QuRT's.
 *
 * On a DSP, each is one word, which is 0xffffffff until the first use. Here the first use sets the
 * word to the address of a QuRT object. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "posix.h"
#include "qurt_cond.h"
#include "qurt_rmutex.h"
#include "runtime.h"

#define UNUSED_WORD 0xffffffffu

struct mutex {
    qurt_mutex_t lock;
    bool recursive;
};

/* Returns the object of a word. Creates it when the word still has its initial value. */
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

int posix_word_destroy(uint32_t *word)
{
    uint32_t now = __atomic_exchange_n(word, UNUSED_WORD, __ATOMIC_ACQ_REL);
    if (now != UNUSED_WORD && now != 0) {
        free((void *)(uintptr_t)now);
    }
    return 0;
}

int posix_mutex_init(uint32_t *word, const posix_mutexattr *attr)
{
    *word = UNUSED_WORD;
    mutex_of(word)->recursive = attr != NULL && attr->type == TYPE_RECURSIVE;
    return 0;
}

int posix_mutex_lock(uint32_t *word)
{
    struct mutex *mutex = mutex_of(word);
    if (mutex->recursive) {
        qurt_rmutex_lock(&mutex->lock);
    } else {
        qurt_mutex_lock(&mutex->lock);
    }
    return 0;
}

int posix_mutex_trylock(uint32_t *word)
{
    struct mutex *mutex = mutex_of(word);
    int code = mutex->recursive ? qurt_rmutex_try_lock(&mutex->lock)
                                : qurt_mutex_try_lock(&mutex->lock);
    return code == 0 ? 0 : EBUSY;
}

int posix_mutex_unlock(uint32_t *word)
{
    qurt_mutex_unlock(&mutex_of(word)->lock);
    return 0;
}

int posix_mutexattr_init(posix_mutexattr *attr)
{
    *attr = (posix_mutexattr){.is_initialized = 1, .type = TYPE_DEFAULT};
    return 0;
}

int posix_mutexattr_destroy(posix_mutexattr *attr)
{
    attr->is_initialized = 0;
    return 0;
}

int posix_mutexattr_settype(posix_mutexattr *attr, int type)
{
    if (type < TYPE_ERRORCHECK || type > TYPE_DEFAULT) {
        return EINVAL;
    }
    attr->type = type;
    return 0;
}

int posix_cond_init(uint32_t *word, const void *attr)
{
    (void)attr;
    *word = UNUSED_WORD;
    condition_of(word);
    return 0;
}

int posix_cond_signal(uint32_t *word)
{
    qurt_cond_signal(condition_of(word));
    return 0;
}

int posix_cond_broadcast(uint32_t *word)
{
    qurt_cond_broadcast(condition_of(word));
    return 0;
}

int posix_cond_wait(uint32_t *word, uint32_t *mutex)
{
    qurt_cond_wait(condition_of(word), &mutex_of(mutex)->lock);
    return 0;
}

int posix_cond_timedwait(uint32_t *word, uint32_t *mutex, const int32_t until[2])
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
    posix_mutex_unlock(mutex);
    park_enter(condition);
    bool woken = park_wait(&waiter, deadline);
    if (!woken) {
        condition->X.n_waiting--;
    }
    park_leave(condition);
    posix_mutex_lock(mutex);
    return woken ? 0 : ETIMEDOUT;
}
