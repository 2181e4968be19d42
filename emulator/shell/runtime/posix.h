/* posix.h: POSIX mutexes and condition variables, with QuRT's types.
 *
 * The Hexagon SDK documents QuRT's types (posix/pthread_types.h): a mutex is one word, and so is a
 * condition variable. Results are errno codes. */
#ifndef BUILDTOOL_RUNTIME_POSIX_H
#define BUILDTOOL_RUNTIME_POSIX_H

#include <stdint.h>

enum { TYPE_ERRORCHECK = 0, TYPE_NORMAL = 1, TYPE_RECURSIVE = 2, TYPE_DEFAULT = 3 };

typedef struct {
    int is_initialized;
    int type;
    int pshared;
    int protocol;
} posix_mutexattr;

int posix_mutexattr_init(posix_mutexattr *attr);
int posix_mutexattr_destroy(posix_mutexattr *attr);
int posix_mutexattr_settype(posix_mutexattr *attr, int type);

int posix_mutex_init(uint32_t *word, const posix_mutexattr *attr);
int posix_mutex_lock(uint32_t *word);
int posix_mutex_trylock(uint32_t *word);
int posix_mutex_unlock(uint32_t *word);

int posix_cond_init(uint32_t *word, const void *attr);
int posix_cond_signal(uint32_t *word);
int posix_cond_broadcast(uint32_t *word);
int posix_cond_wait(uint32_t *word, uint32_t *mutex);

/* `until` is a time of CLOCK_REALTIME, as QuRT's struct timespec of two words. */
int posix_cond_timedwait(uint32_t *word, uint32_t *mutex, const int32_t until[2]);

/* Destroys a mutex or a condition variable. */
int posix_word_destroy(uint32_t *word);

#endif
