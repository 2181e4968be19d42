/* contexts.c: the contexts of this process, and the threads that wait to acquire them.
 *
 * resources.c decides what a context can hold. release_requests.c calls the release callbacks of held
 * contexts. */
#define _GNU_SOURCE
#include "contexts.h"

#include <pthread.h>

#include "AEEStdErr.h"
#include "hmx_lock.h"
#include "resources.h"
#include "runtime.h"

#define POLL_US 1000u  /* between two attempts of a waiting thread */
#define GRACE_US 3000u /* longer than another process needs to measure how much is free */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct context *by_id(unsigned int id)
{
    struct context *context = resources_contexts();
    while (context != NULL && context->id != id) {
        context = context->next;
    }
    return context;
}

unsigned int context_to_ask(struct claim *claim)
{
    unsigned int id = 0;
    pthread_mutex_lock(&lock);
    for (struct context *at = resources_contexts(); at != NULL && id == 0; at = at->next) {
        if (at->held && !at->asked && at->claim.callback != NULL &&
            resources_wanted(at) < at->priority) {
            at->asked = true;
            id = at->id;
            *claim = at->claim;
        }
    }
    pthread_mutex_unlock(&lock);
    return id;
}

/* The caller holds the lock. The function releases it while it waits, so another thread may acquire
 * or destroy the context. */
static int acquire(unsigned int id, uint32_t timeout_us)
{
    uint64_t deadline = clock_after_us(timeout_us < GRACE_US ? GRACE_US : timeout_us);
    struct announcement announcement = {-1, -1};
    int priority = thread_priority();
    int code = AEE_SUCCESS;
    for (;;) {
        struct context *context = by_id(id);
        code = context == NULL ? AEE_EBADPARM : context->held ? AEE_EALREADY : AEE_SUCCESS;
        if (code != AEE_SUCCESS || resources_try_acquire(context, priority)) {
            break;
        }
        if (clock_now() >= deadline) {
            code = AEE_EEXPIRED;
            break;
        }
        resources_announce(context, &announcement, priority);
        pthread_mutex_unlock(&lock);
        clock_sleep_us(timeout_us < GRACE_US ? 200 : POLL_US);
        pthread_mutex_lock(&lock);
    }
    resources_withdraw(&announcement);
    return code;
}

/* Releases a context and frees it. Returns AEE_EBADPARM for NULL. The caller holds the lock. */
static int drop(struct context *context)
{
    if (context == NULL) {
        return AEE_EBADPARM;
    }
    hmx_unlock(context->hmx_locks);
    resources_remove(context);
    return AEE_SUCCESS;
}

unsigned int context_create(struct claim *claim, uint32_t timeout_us)
{
    claim->given = NULL;
    claim->given_size = 0;
    if (claim->size > vtcm_total() && (claim->least == 0 || claim->least > vtcm_total())) {
        shell_logf(SHELL_ERROR, "%u bytes of VTCM are requested: this SoC (%s) has %u",
                   (unsigned)claim->size, shell_facts()->soc, (unsigned)vtcm_total());
        return 0;
    }
    pthread_mutex_lock(&lock);
    struct context *context = claim->size > 0 && vtcm_base() == NULL ? NULL : resources_add(claim);
    unsigned int id = context == NULL ? 0 : context->id;
    bool good = context != NULL &&
                (claim->cached ? resources_place(context) : acquire(id, timeout_us) == AEE_SUCCESS);
    context = by_id(id);
    if (good && context != NULL) {
        claim->given_size = context->range.size;
        claim->given = context->range.size > 0 ? vtcm_base() + context->range.offset : NULL;
    } else {
        drop(context);
    }
    pthread_mutex_unlock(&lock);
    return good ? id : 0;
}

int context_destroy(unsigned int id)
{
    pthread_mutex_lock(&lock);
    int code = drop(by_id(id));
    pthread_mutex_unlock(&lock);
    return code;
}

int context_destroy_at(const uint8_t *address)
{
    pthread_mutex_lock(&lock);
    struct context *context = resources_contexts();
    while (context != NULL && !(context->held && context->claim.by_address &&
                                vtcm_base() + context->range.offset == address)) {
        context = context->next;
    }
    int code = drop(context);
    pthread_mutex_unlock(&lock);
    return code;
}

int context_acquire(unsigned int id, uint32_t timeout_us)
{
    pthread_mutex_lock(&lock);
    const struct context *context = by_id(id);
    int code = context == NULL || !context->claim.cached ? AEE_EBADPARM : acquire(id, timeout_us);
    pthread_mutex_unlock(&lock);
    return code;
}

int context_release(unsigned int id)
{
    pthread_mutex_lock(&lock);
    struct context *context = by_id(id);
    bool held = context != NULL && context->claim.cached && context->held;
    if (held) {
        resources_release(context);
    }
    pthread_mutex_unlock(&lock);
    return held ? AEE_SUCCESS : AEE_EBADPARM;
}

int context_wanted(unsigned int id)
{
    pthread_mutex_lock(&lock);
    const struct context *context = by_id(id);
    int answer = context == NULL ? -1
                                 : context->held && resources_wanted(context) < context->priority;
    pthread_mutex_unlock(&lock);
    return answer;
}

int context_set_priority(unsigned int id, int priority)
{
    pthread_mutex_lock(&lock);
    struct context *context = by_id(id);
    int code = context == NULL ? AEE_EBADPARM : AEE_SUCCESS;
    if (context != NULL) {
        context->priority = priority;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

static bool count_hmx(unsigned int id, int change)
{
    pthread_mutex_lock(&lock);
    struct context *context = by_id(id);
    bool good = context != NULL && context->claim.hmx && context->hmx_locks + change >= 0;
    if (good) {
        context->hmx_locks += change;
    }
    pthread_mutex_unlock(&lock);
    return good;
}

int context_lock_hmx(unsigned int id)
{
    if (!count_hmx(id, 0)) {
        return AEE_EBADPARM;
    }
    hmx_lock(true);
    if (!count_hmx(id, 1)) { /* another thread has destroyed the context */
        hmx_unlock(1);
        return AEE_EBADPARM;
    }
    return AEE_SUCCESS;
}

int context_unlock_hmx(unsigned int id)
{
    if (!count_hmx(id, -1)) {
        return AEE_EBADPARM;
    }
    hmx_unlock(1);
    return AEE_SUCCESS;
}

uint32_t context_available(void)
{
    pthread_mutex_lock(&lock);
    uint32_t size = resources_available();
    pthread_mutex_unlock(&lock);
    return size;
}
