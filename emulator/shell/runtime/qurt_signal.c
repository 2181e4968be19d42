/* qurt_signal.c: objects of 32 or 64 flags. A thread waits for any or all flags of a mask.
 *
 * QuRT documents one waiter per object. Here several threads may wait, each with its own mask.
 * Setting a flag wakes all of them, and each checks its mask. */
#include <limits.h>

#include "qurt_anysignal.h"
#include "qurt_error.h"
#include "qurt_signal.h"
#include "qurt_signal2.h"
#include "qurt_timer.h"
#include "runtime.h"

static bool fulfilled(uint64_t flags, uint64_t mask, unsigned int attribute)
{
    return attribute == QURT_SIGNAL_ATTR_WAIT_ALL ? (flags & mask) == mask : (flags & mask) != 0;
}

/* Returns whether the wait was fulfilled. *now receives the flags at the end in either case. */
static bool wait_for(qurt_signal_t *signal, unsigned int mask, unsigned int attribute,
                     uint64_t deadline, unsigned int *now)
{
    park_enter(signal);
    while (!fulfilled(signal->X.signals, mask, attribute)) {
        struct park_waiter waiter;
        signal->X.waiting = mask;
        signal->X.attribute = attribute;
        park_join(signal, &waiter);
        if (!park_wait(&waiter, deadline)) {
            break;
        }
    }
    bool good = fulfilled(signal->X.signals, mask, attribute);
    signal->X.waiting = 0;
    *now = signal->X.signals;
    park_leave(signal);
    return good;
}

static unsigned int change(qurt_signal_t *signal, unsigned int set, unsigned int clear)
{
    park_enter(signal);
    unsigned int before = signal->X.signals;
    signal->X.signals = (before | set) & ~clear;
    if (set != 0) {
        park_wake(signal, INT_MAX);
    }
    park_leave(signal);
    return before;
}

void qurt_signal_init(qurt_signal_t *signal)
{
    signal->X.signals = 0;
    signal->X.waiting = 0;
    signal->X.queue = 0;
    signal->X.attribute = 0;
}

unsigned int qurt_signal_wait(qurt_signal_t *signal, unsigned int mask, unsigned int attribute)
{
    unsigned int now;
    wait_for(signal, mask, attribute, FOREVER, &now);
    return now;
}

int qurt_signal_wait_timed(qurt_signal_t *signal, unsigned int mask, unsigned int attribute,
                           unsigned int *signals, unsigned long long int duration)
{
    unsigned int now = 0;
    if (duration < QURT_TIMER_MIN_DURATION || duration > QURT_TIMER_MAX_DURATION) {
        return QURT_EINVALID;
    }
    bool good = wait_for(signal, mask, attribute, clock_after_us(duration), &now);
    if (signals != NULL) {
        *signals = now;
    }
    return good ? QURT_EOK : QURT_ETIMEDOUT;
}

/* Waits are never cancelled: when the client has ended, the whole process ends. */
int qurt_signal_wait_cancellable(qurt_signal_t *signal, unsigned int mask, unsigned int attribute,
                                 unsigned int *return_mask)
{
    unsigned int now = qurt_signal_wait(signal, mask, attribute);
    if (return_mask != NULL) {
        *return_mask = now;
    }
    return QURT_EOK;
}

void qurt_signal_set(qurt_signal_t *signal, unsigned int mask)
{
    change(signal, mask, 0);
}

void qurt_signal_clear(qurt_signal_t *signal, unsigned int mask)
{
    change(signal, 0, mask);
}

unsigned int qurt_signal_get(qurt_signal_t *signal)
{
    return change(signal, 0, 0);
}

unsigned int qurt_anysignal_set(qurt_anysignal_t *signal, unsigned int mask)
{
    return change(signal, mask, 0);
}

unsigned int qurt_anysignal_clear(qurt_anysignal_t *signal, unsigned int mask)
{
    return change(signal, 0, mask);
}

int qurt_anysignal_wait_timed(qurt_anysignal_t *signal, unsigned int mask, unsigned int *signals,
                              unsigned long long int duration)
{
    return qurt_signal_wait_timed(signal, mask, QURT_SIGNAL_ATTR_WAIT_ANY, signals, duration);
}

void qurt_signal_64_init(qurt_signal_64_t *signal)
{
    qurt_signal_init(&signal->signal_sum);
    signal->signals = 0;
    signal->waiting = 0;
}

unsigned long long qurt_signal_64_wait(qurt_signal_64_t *signal, unsigned long long mask,
                                       unsigned int attribute)
{
    park_enter(signal);
    while (!fulfilled(signal->signals, mask, attribute)) {
        struct park_waiter waiter;
        signal->waiting = mask;
        park_join(signal, &waiter);
        park_wait(&waiter, FOREVER);
    }
    unsigned long long now = signal->signals;
    signal->waiting = 0;
    park_leave(signal);
    return now;
}

static unsigned long long change_64(qurt_signal_64_t *signal, unsigned long long set,
                                    unsigned long long clear)
{
    park_enter(signal);
    unsigned long long before = signal->signals;
    signal->signals = (before | set) & ~clear;
    if (set != 0) {
        park_wake(signal, INT_MAX);
    }
    park_leave(signal);
    return before;
}

void qurt_signal_64_set(qurt_signal_64_t *signal, unsigned long long mask)
{
    change_64(signal, mask, 0);
}

void qurt_signal_64_clear(qurt_signal_64_t *signal, unsigned long long mask)
{
    change_64(signal, 0, mask);
}

unsigned long long qurt_signal_64_get(qurt_signal_64_t *signal)
{
    return change_64(signal, 0, 0);
}

const struct shell_symbol qurt_signal_symbols[] = {
    EXPORT(qurt_signal_init),
    EXPORT_AS("qurt_signal_destroy", qurt_signal_init),
    EXPORT(qurt_signal_wait),
    EXPORT(qurt_signal_wait_timed),
    EXPORT(qurt_signal_wait_cancellable),
    EXPORT(qurt_signal_set),
    EXPORT(qurt_signal_get),
    EXPORT(qurt_signal_clear),
    EXPORT(qurt_anysignal_set),
    EXPORT(qurt_anysignal_clear),
    EXPORT(qurt_anysignal_wait_timed),
    /* signal2 has the same first word, and only this file uses the others. */
    EXPORT_AS("qurt_signal2_init", qurt_signal_init),
    EXPORT_AS("qurt_signal2_destroy", qurt_signal_init),
    EXPORT_AS("qurt_signal2_wait", qurt_signal_wait),
    EXPORT_AS("qurt_signal2_set", qurt_signal_set),
    EXPORT_AS("qurt_signal2_get", qurt_signal_get),
    EXPORT_AS("qurt_signal2_clear", qurt_signal_clear),
    EXPORT(qurt_signal_64_init),
    EXPORT(qurt_signal_64_wait),
    EXPORT(qurt_signal_64_set),
    EXPORT(qurt_signal_64_get),
    EXPORT(qurt_signal_64_clear),
    EXPORT_END,
};
