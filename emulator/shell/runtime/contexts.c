/* contexts.c: which part of the VTCM each context of this process holds, and which threads wait.
 *
 * One process of a device holds the VTCM at a time. Several contexts of that process may hold parts
 * that do not overlap. (A DSP also divides the VTCM between processes.) release_requests.c calls
 * the release callbacks of held contexts. */
#define _GNU_SOURCE
#include "contexts.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

#include "AEEStdErr.h"
#include "exclusive.h"
#include "hmx_lock.h"
#include "release_requests.h"
#include "runtime.h"

#define POLL_US 1000u  /* between two attempts of a waiting thread */
#define GRACE_US 3000u /* longer than another process needs to measure how much is free */

struct context {
    struct context *next;
    unsigned int id;
    struct claim claim;
    struct vtcm_range range;
    int priority;
    int hmx_locks;
    bool held;
    bool asked; /* the release callback was called since the context was acquired */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct context *contexts;
static int context_count;
static struct vtcm_range *used; /* filled by ranges(); has space for one range per context */
static unsigned int last_id;
static int held_vtcm;   /* contexts that hold VTCM */
static int held_serial; /* 0 or 1 */
static struct exclusive vtcm_file = {.file = "vtcm"};
static struct exclusive serial_file = {.file = "serialize"};

static struct context *by_id(unsigned int id)
{
    struct context *context = contexts;
    while (context != NULL && context->id != id) {
        context = context->next;
    }
    return context;
}

/* ---- asking holders to release ---- */

/* Returns the highest priority that waits for what the context holds, or INT_MAX for none. The
 * files also list the waiters of this process. The caller holds the lock. */
static int wanted(const struct context *context)
{
    int vtcm = context->claim.size > 0 ? exclusive_highest_waiting(&vtcm_file) : INT_MAX;
    int serial = context->claim.serialize ? exclusive_highest_waiting(&serial_file) : INT_MAX;
    return vtcm < serial ? vtcm : serial;
}

unsigned int context_to_ask(struct claim *claim)
{
    unsigned int id = 0;
    pthread_mutex_lock(&lock);
    for (struct context *at = contexts; at != NULL && id == 0; at = at->next) {
        if (at->held && !at->asked && at->claim.callback != NULL && wanted(at) < at->priority) {
            at->asked = true;
            id = at->id;
            *claim = at->claim;
        }
    }
    pthread_mutex_unlock(&lock);
    return id;
}

/* Fills `used` with the ranges that contexts other than `except` hold. With `reserved`, it includes
 * the ranges of cached contexts that are not held. Returns the number of ranges. The caller holds
 * the lock. */
static int ranges(const struct context *except, bool reserved)
{
    int count = 0;
    for (const struct context *at = contexts; at != NULL; at = at->next) {
        if (at != except && at->range.size > 0 && (at->held || (reserved && at->claim.cached))) {
            used[count++] = at->range;
        }
    }
    return count;
}

/* Chooses a range. A cached context avoids the ranges of other contexts if possible. Otherwise it
 * shares a range with them, and they hold it in turn. The caller holds the lock. */
static bool place(struct context *context)
{
    const struct claim *claim = &context->claim;
    if (claim->size == 0) {
        return true;
    }
    int count = ranges(context, true);
    context->range = vtcm_find(used, count, claim->size, claim->cached ? 0 : claim->least);
    if (context->range.size == 0) {
        count = claim->cached ? 0 : ranges(context, false);
        context->range = vtcm_find(used, count, claim->size, claim->least);
    }
    return context->range.size > 0;
}

/* Returns whether no other context of this process holds what this context needs. The caller holds
 * the lock. */
static bool available(const struct context *context)
{
    int count = ranges(context, false);
    for (int i = 0; i < count; i++) {
        if (vtcm_overlap(used[i], context->range)) {
            return false;
        }
    }
    return !context->claim.serialize || held_serial == 0;
}

/* Acquires a context that is not held, or changes nothing. The caller holds the lock. */
static bool try_acquire(struct context *context, int priority)
{
    context->priority = priority;
    bool vtcm = context->claim.size > 0;
    if ((context->range.size == 0 && !place(context)) || !available(context)) {
        return false;
    }
    if (vtcm && held_vtcm == 0 && !exclusive_try_lock(&vtcm_file)) {
        return false;
    }
    if (context->claim.serialize && !exclusive_try_lock(&serial_file)) {
        if (vtcm && held_vtcm == 0) {
            exclusive_unlock(&vtcm_file);
        }
        return false;
    }
    held_vtcm += vtcm;
    held_serial += context->claim.serialize;
    if (context->claim.callback != NULL) {
        release_requests_start();
    }
    if (vtcm && shell_facts()->strict != STRICT_OFF) {
        vtcm_poison(context->range);
    }
    context->held = true;
    context->asked = false;
    return true;
}

/* The caller holds the lock. */
static void release(struct context *context)
{
    context->held = false;
    vtcm_clear(context->range);
    if (context->claim.size > 0 && --held_vtcm == 0) {
        exclusive_unlock(&vtcm_file);
    }
    if (context->claim.serialize && --held_serial == 0) {
        exclusive_unlock(&serial_file);
    }
    if (!context->claim.cached) {
        context->range = (struct vtcm_range){0, 0};
    }
}

/* ---- the interface ---- */

/* The caller holds the lock. The function releases it while it waits, so another thread may acquire
 * or destroy the context. */
static int acquire(unsigned int id, uint32_t timeout_us)
{
    uint64_t deadline = clock_after_us(timeout_us < GRACE_US ? GRACE_US : timeout_us);
    int vtcm_slot = -1, serial_slot = -1;
    int priority = thread_priority();
    int code = AEE_SUCCESS;
    for (;;) {
        struct context *context = by_id(id);
        code = context == NULL ? AEE_EBADPARM : context->held ? AEE_EALREADY : AEE_SUCCESS;
        if (code != AEE_SUCCESS || try_acquire(context, priority)) {
            break;
        }
        if (clock_now() >= deadline) {
            code = AEE_EEXPIRED;
            break;
        }
        if (context->claim.size > 0) {
            vtcm_slot = exclusive_announce(&vtcm_file, vtcm_slot, priority);
        }
        if (context->claim.serialize) {
            serial_slot = exclusive_announce(&serial_file, serial_slot, priority);
        }
        pthread_mutex_unlock(&lock);
        clock_sleep_us(timeout_us < GRACE_US ? 200 : POLL_US);
        pthread_mutex_lock(&lock);
    }
    exclusive_withdraw(&vtcm_file, vtcm_slot);
    exclusive_withdraw(&serial_file, serial_slot);
    return code;
}

/* Adds a context. Returns NULL when memory is exhausted. The caller holds the lock. */
static struct context *add(const struct claim *claim)
{
    size_t room = (size_t)context_count + 1;
    struct vtcm_range *grown = realloc(used, room * sizeof *used);
    struct context *context = calloc(1, sizeof *context);
    used = grown == NULL ? used : grown;
    if (grown == NULL || context == NULL) {
        free(context);
        return NULL;
    }
    *context = (struct context){.next = contexts, .id = ++last_id, .claim = *claim};
    contexts = context;
    context_count++;
    return context;
}

/* Releases a context and frees it. Returns AEE_EBADPARM for NULL. The caller holds the lock. */
static int drop(struct context *context)
{
    if (context == NULL) {
        return AEE_EBADPARM;
    }
    if (context->held) {
        release(context);
    }
    struct context **at = &contexts;
    while (*at != context) {
        at = &(*at)->next;
    }
    *at = context->next;
    context_count--;
    hmx_unlock(context->hmx_locks);
    free(context);
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
    struct context *context = claim->size > 0 && vtcm_base() == NULL ? NULL : add(claim);
    unsigned int id = context == NULL ? 0 : context->id;
    bool good = context != NULL &&
                (claim->cached ? place(context) : acquire(id, timeout_us) == AEE_SUCCESS);
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
    struct context *context = contexts;
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
        release(context);
    }
    pthread_mutex_unlock(&lock);
    return held ? AEE_SUCCESS : AEE_EBADPARM;
}

int context_wanted(unsigned int id)
{
    pthread_mutex_lock(&lock);
    const struct context *context = by_id(id);
    int answer = context == NULL ? -1 : context->held && wanted(context) < context->priority;
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
    bool ours = held_vtcm > 0 || exclusive_try_lock(&vtcm_file);
    uint32_t gap = ours ? vtcm_find(used, ranges(NULL, false), vtcm_total(), 1).size : 0;
    if (ours && held_vtcm == 0) {
        exclusive_unlock(&vtcm_file);
    }
    pthread_mutex_unlock(&lock);
    return gap;
}
