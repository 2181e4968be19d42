/* resources.c: what each context of this process holds: a part of the VTCM, and serialization.
 *
 * One process of a device holds the VTCM at a time. Several contexts of that process may hold parts
 * that do not overlap. (A DSP also divides the VTCM between processes.) */
#include "resources.h"

#include <limits.h>
#include <stdlib.h>

#include "../counts.h"
#include "exclusive.h"
#include "release_requests.h"
#include "runtime.h"

static struct context *contexts;
static int context_count;
static struct vtcm_range *used; /* filled by ranges(); has space for one range per context */
static unsigned int last_id;
static int held_vtcm;   /* contexts that hold VTCM */
static int held_serial; /* 0 or 1 */
static struct exclusive vtcm_file = {.file = "vtcm"};
static struct exclusive serial_file = {.file = "serialize"};

struct context *resources_contexts(void)
{
    return contexts;
}

struct context *resources_add(const struct claim *claim)
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

/* Fills `used` with the ranges that contexts other than `except` hold. With `reserved`, it includes
 * the ranges of cached contexts that are not held. Returns the number of ranges. */
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

bool resources_place(struct context *context)
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

/* Returns whether no other context of this process holds what this context needs. */
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

static uint32_t held_bytes(void)
{
    uint32_t bytes = 0;
    for (const struct context *at = contexts; at != NULL; at = at->next) {
        bytes += at->held ? at->range.size : 0;
    }
    return bytes;
}

bool resources_try_acquire(struct context *context, int priority)
{
    context->priority = priority;
    bool vtcm = context->claim.size > 0;
    if ((context->range.size == 0 && !resources_place(context)) || !available(context)) {
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
    counts_vtcm(held_bytes());
    return true;
}

void resources_release(struct context *context)
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

void resources_remove(struct context *context)
{
    if (context->held) {
        resources_release(context);
    }
    struct context **at = &contexts;
    while (*at != context) {
        at = &(*at)->next;
    }
    *at = context->next;
    context_count--;
    free(context);
}

void resources_announce(const struct context *context, struct announcement *announcement,
                        int priority)
{
    if (context->claim.size > 0) {
        announcement->vtcm = exclusive_announce(&vtcm_file, announcement->vtcm, priority);
    }
    if (context->claim.serialize) {
        announcement->serial = exclusive_announce(&serial_file, announcement->serial, priority);
    }
}

void resources_withdraw(const struct announcement *announcement)
{
    exclusive_withdraw(&vtcm_file, announcement->vtcm);
    exclusive_withdraw(&serial_file, announcement->serial);
}

int resources_wanted(const struct context *context)
{
    int vtcm = context->claim.size > 0 ? exclusive_highest_waiting(&vtcm_file) : INT_MAX;
    int serial = context->claim.serialize ? exclusive_highest_waiting(&serial_file) : INT_MAX;
    return vtcm < serial ? vtcm : serial;
}

uint32_t resources_available(void)
{
    bool ours = held_vtcm > 0 || exclusive_try_lock(&vtcm_file);
    uint32_t gap = ours ? vtcm_find(used, ranges(NULL, false), vtcm_total(), 1).size : 0;
    if (ours && held_vtcm == 0) {
        exclusive_unlock(&vtcm_file);
    }
    return gap;
}
