/* locks.c: the locks and thread-local values of Dinkumware's C library.
 *
 * A lock is one word, which is the address of a recursive mutex after its first use. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

#include "qurt_error.h"
#include "qurt_tls.h"
#include "runtime.h"

#define SYSTEM_LOCKS 8

typedef pthread_mutex_t *lock;

static lock system_locks[SYSTEM_LOCKS];

static pthread_mutex_t *mutex_of(lock *word)
{
    lock now = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    if (now != NULL) {
        return now;
    }
    pthread_mutex_t *made = malloc(sizeof *made);
    pthread_mutexattr_t recursive;
    if (made == NULL) {
        die("no memory for a lock of the C library");
    }
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(made, &recursive);
    if (!__atomic_compare_exchange_n(word, &now, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        free(made);
        return now;
    }
    return made;
}

static void lock_init(lock *word)
{
    __atomic_store_n(word, NULL, __ATOMIC_RELEASE);
    mutex_of(word);
}

static void lock_take(lock *word)
{
    pthread_mutex_lock(mutex_of(word));
}

static void lock_release(lock *word)
{
    pthread_mutex_unlock(mutex_of(word));
}

static void system_lock_take(unsigned int number)
{
    lock_take(&system_locks[number % SYSTEM_LOCKS]);
}

static void system_lock_release(unsigned int number)
{
    lock_release(&system_locks[number % SYSTEM_LOCKS]);
}

/* The locks need no setup, and live as long as the process. */
static void nothing(void)
{
}

static int value_create(int *key, void (*destructor)(void *))
{
    return qurt_tls_create_key(key, destructor) == QURT_EOK ? 0 : -1;
}

static int value_set(int key, void *value)
{
    return qurt_tls_set_specific(key, value) == QURT_EOK ? 0 : -1;
}

/* va_copy: QuRT's va_list is a pointer. */
static void copy_list(const char **to, const char *from)
{
    *to = from;
}

const struct shell_symbol locks_symbols[] = {
    EXPORT_AS("sys_Mtxinit", lock_init),
    EXPORT_AS("sys_Mtxlock", lock_take),
    EXPORT_AS("sys_Mtxunlock", lock_release),
    EXPORT_AS("sys_Tlsalloc", value_create),
    EXPORT_AS("sys_Tlsget", qurt_tls_get_specific),
    EXPORT_AS("sys_Tlsset", value_set),
    EXPORT_AS("_Locksyslock", system_lock_take),
    EXPORT_AS("_Unlocksyslock", system_lock_release),
    EXPORT_AS("_Initlocks", nothing),
    EXPORT_AS("_Clearlocks", nothing),
    EXPORT_AS("_Vacopy", copy_list),
    EXPORT_END,
};
