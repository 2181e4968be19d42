/* posix_semaphore.c: POSIX semaphores, implemented with QuRT's.
 *
 * sem_t is one word (QuRT's posix/semaphore.h). Shells from v73 on have these functions, which set
 * the word to the address of a QuRT semaphore, accept at most 30 as the first value, and share no
 * semaphore with another process. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>

#include "qurt_sem.h"
#include "runtime.h"

#define VALUE_MAX 30u

static int fail(int code)
{
    errno = code;
    return -1;
}

static int init(uint32_t *word, int shared, unsigned int value)
{
    if (word == NULL || value > VALUE_MAX) {
        return fail(EINVAL);
    }
    if (shared != 0) {
        return fail(ENOSYS);
    }
    qurt_sem_t *semaphore = calloc(1, sizeof *semaphore);
    if (semaphore == NULL) {
        return fail(ENOMEM);
    }
    qurt_sem_init_val(semaphore, (unsigned short)value);
    *word = (uint32_t)(uintptr_t)semaphore;
    return 0;
}

/* Returns NULL, and sets errno, for a semaphore that is not initialized. */
static qurt_sem_t *semaphore_of(const uint32_t *word)
{
    qurt_sem_t *semaphore = word == NULL ? NULL : (qurt_sem_t *)(uintptr_t)*word;
    if (semaphore == NULL) {
        errno = EINVAL;
    }
    return semaphore;
}

static int wait_for(uint32_t *word)
{
    qurt_sem_t *semaphore = semaphore_of(word);
    return semaphore == NULL ? -1 : qurt_sem_down(semaphore);
}

static int post(uint32_t *word)
{
    qurt_sem_t *semaphore = semaphore_of(word);
    return semaphore == NULL ? -1 : qurt_sem_up(semaphore);
}

static int destroy(uint32_t *word)
{
    qurt_sem_t *semaphore = semaphore_of(word);
    if (semaphore == NULL) {
        return -1;
    }
    *word = 0;
    free(semaphore);
    return 0;
}

const struct shell_symbol posix_semaphore_symbols[] = {
    EXPORT_AS("sem_init", init),
    EXPORT_AS("sem_wait", wait_for),
    EXPORT_AS("sem_post", post),
    EXPORT_AS("sem_destroy", destroy),
    EXPORT_END,
};
