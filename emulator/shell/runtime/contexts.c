/* contexts.c: who in this process holds which part of the VTCM, and who waits.
 *
 * One process of a device holds the VTCM at a time; within it several contexts may hold
 * parts that do not overlap. (A DSP also shares it out between processes.) While
 * contexts are held that can be asked to let go, a thread looks out for waiters of higher
 * priority, of this process and of others, and asks. */
#define _GNU_SOURCE
#include "contexts.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

#include "AEEStdErr.h"
#include "exclusive.h"
#include "runtime.h"

#define HELD_MAX 64
#define LOOK_US 1000u /* between two looks of those that wait */
#define GRACE_US 3000u /* another process that only asks what is free holds it as long */

struct context {
    struct context *next;
    unsigned int id;
    struct claim claim;
    struct vtcm_range range;
    int priority;
    bool held;
    bool asked; /* the callback has been called for this holding */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct context *contexts;
static unsigned int last_id;
static int held_vtcm;   /* contexts that hold VTCM */
static int held_serial; /* 0 or 1 */
static bool watching;
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

/* Locked: the ranges that other contexts hold, or, with `places`, that they would hold. */
static int ranges(struct vtcm_range used[HELD_MAX], const struct context *but, bool places)
{
    int count = 0;
    for (const struct context *at = contexts; at != NULL && count < HELD_MAX; at = at->next) {
        if (at != but && at->range.size > 0 && (at->held || (places && at->claim.cached))) {
            used[count++] = at->range;
        }
    }
    return count;
}

/* Locked: chooses a place. A cached context keeps off the places of others if it can,
 * else they take turns. */
static bool place(struct context *context)
{
    struct vtcm_range used[HELD_MAX];
    const struct claim *claim = &context->claim;
    if (claim->size == 0) {
        return true;
    }
    int count = ranges(used, context, true);
    context->range = vtcm_find(used, count, claim->size, claim->cached ? 0 : claim->least);
    if (context->range.size == 0 && claim->cached) {
        context->range = vtcm_find(used, 0, claim->size, claim->least);
    } else if (context->range.size == 0) {
        count = ranges(used, context, false);
        context->range = vtcm_find(used, count, claim->size, claim->least);
    }
    return context->range.size > 0;
}

/* Locked: whether no other context of this process is in the way. */
static bool clear_of_others(const struct context *context)
{
    struct vtcm_range used[HELD_MAX];
    int count = ranges(used, context, false);
    for (int i = 0; i < count; i++) {
        if (vtcm_overlap(used[i], context->range)) {
            return false;
        }
    }
    return !context->claim.serialize || held_serial == 0;
}

/* Locked: holds it now, or does nothing. */
static bool hold_now(struct context *context)
{
    bool vtcm = context->claim.size > 0;
    if ((context->range.size == 0 && !place(context)) || !clear_of_others(context)) {
        return false;
    }
    if (vtcm && held_vtcm == 0 && !exclusive_take(&vtcm_file)) {
        return false;
    }
    if (context->claim.serialize && !exclusive_take(&serial_file)) {
        if (vtcm && held_vtcm == 0) {
            exclusive_give(&vtcm_file);
        }
        return false;
    }
    held_vtcm += vtcm;
    held_serial += context->claim.serialize;
    context->held = true;
    context->asked = false;
    return true;
}

/* Locked. */
static void let_go(struct context *context)
{
    context->held = false;
    vtcm_clear(context->range);
    if (context->claim.size > 0 && --held_vtcm == 0) {
        exclusive_give(&vtcm_file);
    }
    if (context->claim.serialize && --held_serial == 0) {
        exclusive_give(&serial_file);
    }
    if (!context->claim.cached) {
        context->range = (struct vtcm_range){0, 0};
    }
}

/* ---- asking holders to let go ---- */

/* Locked: the highest priority that waits for what the context holds. Those of this
 * process announce themselves in the files as well. */
static int wanted(const struct context *context)
{
    int vtcm = context->claim.size > 0 ? exclusive_wanted(&vtcm_file) : INT_MAX;
    int serial = context->claim.serialize ? exclusive_wanted(&serial_file) : INT_MAX;
    return vtcm < serial ? vtcm : serial;
}

static void *watch(void *unused)
{
    (void)unused;
    for (;;) {
        clock_sleep_us(LOOK_US);
        struct claim ask = {.callback = NULL};
        unsigned int id = 0;
        pthread_mutex_lock(&lock);
        for (struct context *at = contexts; at != NULL && ask.callback == NULL; at = at->next) {
            if (at->held && !at->asked && at->claim.callback != NULL && wanted(at) < at->priority) {
                at->asked = true;
                ask = at->claim;
                id = at->id;
            }
        }
        pthread_mutex_unlock(&lock);
        if (ask.callback != NULL) {
            ask.callback(id, ask.argument);
        }
    }
}

/* Locked. */
static void start_watching(void)
{
    pthread_t thread;
    if (!watching && pthread_create(&thread, NULL, watch, NULL) == 0) {
        pthread_detach(thread);
        watching = true;
    }
}

/* ---- the interface ---- */

static bool hold(struct context *context, uint32_t timeout_us)
{
    uint64_t deadline = clock_after_us(timeout_us < GRACE_US ? GRACE_US : timeout_us);
    int vtcm_slot = -1;
    int serial_slot = -1;
    int priority = thread_priority();
    bool held;
    pthread_mutex_lock(&lock);
    if (context->claim.callback != NULL) {
        start_watching();
    }
    context->priority = priority;
    while (!(held = hold_now(context)) && clock_now() < deadline) {
        if (context->claim.size > 0) {
            vtcm_slot = exclusive_announce(&vtcm_file, vtcm_slot, priority);
        }
        if (context->claim.serialize) {
            serial_slot = exclusive_announce(&serial_file, serial_slot, priority);
        }
        pthread_mutex_unlock(&lock);
        clock_sleep_us(timeout_us < GRACE_US ? 200 : LOOK_US);
        pthread_mutex_lock(&lock);
    }
    exclusive_withdraw(&vtcm_file, vtcm_slot);
    exclusive_withdraw(&serial_file, serial_slot);
    pthread_mutex_unlock(&lock);
    return held;
}

static void forget(struct context *context)
{
    pthread_mutex_lock(&lock);
    for (struct context **at = &contexts; *at != NULL; at = &(*at)->next) {
        if (*at == context) {
            *at = context->next;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    free(context);
}

unsigned int context_create(struct claim *claim, uint32_t timeout_us)
{
    claim->given = NULL;
    claim->given_size = 0;
    if (claim->size > vtcm_total() && (claim->least == 0 || claim->least > vtcm_total())) {
        shell_say(SHELL_ERROR, "%u bytes of VTCM are asked for: this SoC (%s) has %u",
                  (unsigned)claim->size, shell_facts()->soc, (unsigned)vtcm_total());
        return 0;
    }
    struct context *context = calloc(1, sizeof *context);
    if (context == NULL || (claim->size > 0 && vtcm_base() == NULL)) {
        free(context);
        return 0;
    }
    context->claim = *claim;
    pthread_mutex_lock(&lock);
    unsigned int id = ++last_id;
    context->id = id;
    context->next = contexts;
    contexts = context;
    bool good = !claim->cached || place(context);
    pthread_mutex_unlock(&lock);
    if (!claim->cached) {
        good = hold(context, timeout_us);
    }
    if (!good) {
        forget(context);
        return 0;
    }
    claim->given_size = context->range.size;
    claim->given = context->range.size > 0 ? vtcm_base() + context->range.offset : NULL;
    return id;
}

int context_destroy(unsigned int id)
{
    pthread_mutex_lock(&lock);
    struct context *context = by_id(id);
    if (context != NULL && context->held) {
        let_go(context);
    }
    pthread_mutex_unlock(&lock);
    if (context == NULL) {
        return AEE_EBADPARM;
    }
    forget(context);
    return AEE_SUCCESS;
}

int context_hold(unsigned int id, uint32_t timeout_us)
{
    pthread_mutex_lock(&lock);
    struct context *context = by_id(id);
    bool can = context != NULL && context->claim.cached && !context->held;
    pthread_mutex_unlock(&lock);
    if (!can) {
        return context == NULL || !context->claim.cached ? AEE_EBADPARM : AEE_EALREADY;
    }
    return hold(context, timeout_us) ? AEE_SUCCESS : AEE_EEXPIRED;
}

int context_let_go(unsigned int id)
{
    pthread_mutex_lock(&lock);
    struct context *context = by_id(id);
    int code = context != NULL && context->claim.cached && context->held ? AEE_SUCCESS
                                                                         : AEE_EBADPARM;
    if (code == AEE_SUCCESS) {
        let_go(context);
    }
    pthread_mutex_unlock(&lock);
    return code;
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
    if (context != NULL) {
        context->priority = priority;
    }
    pthread_mutex_unlock(&lock);
    return context == NULL ? AEE_EBADPARM : AEE_SUCCESS;
}

uint32_t context_available(void)
{
    struct vtcm_range used[HELD_MAX];
    pthread_mutex_lock(&lock);
    struct vtcm_range gap = {0, 0};
    bool ours = held_vtcm > 0 || exclusive_take(&vtcm_file);
    if (ours) {
        gap = vtcm_find(used, ranges(used, NULL, false), vtcm_total(), 1);
    }
    if (ours && held_vtcm == 0) {
        exclusive_give(&vtcm_file);
    }
    pthread_mutex_unlock(&lock);
    return gap.size;
}
