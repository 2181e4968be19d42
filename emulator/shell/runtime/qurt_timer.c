/* qurt_timer.c: QuRT's timers, which one thread serves, and QuRT's sleep functions. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "qurt_error.h"
#include "qurt_thread.h"
#include "qurt_timer.h"
#include "runtime.h"

#define MAGIC 0xaeaeaeaeu
#define STACK 65536u

struct timer {
    struct timer *next;
    qurt_timer_t id;
    qurt_timer_attr_t attributes;
    qurt_anysignal_t *signal;
    unsigned int mask;
    uint64_t due;  /* FOREVER: stopped, or its group is disabled */
    uint64_t left; /* until it is due, when its group is enabled again; FOREVER: stopped */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static struct timer *timers;
static qurt_timer_t last_id;
static bool serving;
static bool disabled[QURT_TIMER_MAX_GROUPS];

static struct timer *by_id(qurt_timer_t id)
{
    struct timer *timer = timers;
    while (timer != NULL && timer->id != id) {
        timer = timer->next;
    }
    return timer;
}

/* Lets a timer expire at a time, or so long after its group is enabled. The caller holds the lock. */
static void set_due(struct timer *timer, uint64_t due)
{
    uint64_t now = clock_now();
    timer->left = due == FOREVER ? FOREVER : due > now ? due - now : 0;
    timer->due = disabled[timer->attributes.group] ? FOREVER : due;
}

/* Sets the signals that are due. Returns the time of the next one. The caller holds the lock. */
static uint64_t expire(uint64_t now)
{
    uint64_t next = FOREVER;
    for (struct timer *timer = timers; timer != NULL; timer = timer->next) {
        if (timer->due <= now) {
            bool again = timer->attributes.type == QURT_TIMER_PERIODIC;
            timer->due = again ? timer->due + timer->attributes.duration * 1000u : FOREVER;
            qurt_anysignal_set(timer->signal, timer->mask);
        }
        next = timer->due < next ? timer->due : next;
    }
    return next;
}

static void *serve(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    for (;;) {
        uint64_t next = expire(clock_now());
        if (next == FOREVER) {
            pthread_cond_wait(&changed, &lock);
        } else {
            struct timespec until = {.tv_sec = (time_t)(next / 1000000000u),
                                     .tv_nsec = (long)(next % 1000000000u)};
            pthread_cond_timedwait(&changed, &lock, &until);
        }
    }
}

/* The caller holds the lock. */
static bool start_serving(void)
{
    if (serving) {
        return true;
    }
    pthread_condattr_t condition;
    pthread_condattr_init(&condition);
    pthread_condattr_setclock(&condition, CLOCK_MONOTONIC);
    pthread_cond_init(&changed, &condition);
    pthread_condattr_destroy(&condition);
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    serving = pthread_create(&thread, &attributes, serve, NULL) == 0;
    pthread_attr_destroy(&attributes);
    return serving;
}

static bool acceptable(qurt_timer_duration_t duration)
{
    return duration >= QURT_TIMER_MIN_DURATION && duration <= QURT_TIMER_MAX_DURATION;
}

void qurt_timer_attr_init(qurt_timer_attr_t *attr)
{
    *attr = (qurt_timer_attr_t){.magic = MAGIC,
                                .duration = QURT_TIMER_DEFAULT_DURATION,
                                .type = QURT_TIMER_DEFAULT_TYPE,
                                .group = QURT_TIMER_DEFAULT_GROUP};
}

void qurt_timer_attr_set_duration(qurt_timer_attr_t *attr, qurt_timer_duration_t duration)
{
    if (acceptable(duration)) {
        attr->duration = duration;
    }
}

void qurt_timer_attr_set_expiry(qurt_timer_attr_t *attr, qurt_timer_time_t time)
{
    attr->expiry = time;
}

void qurt_timer_attr_get_duration(qurt_timer_attr_t *attr, qurt_timer_duration_t *duration)
{
    *duration = attr->duration;
}

void qurt_timer_attr_get_remaining(qurt_timer_attr_t *attr, qurt_timer_duration_t *remaining)
{
    *remaining = attr->remaining;
}

void qurt_timer_attr_set_type(qurt_timer_attr_t *attr, qurt_timer_type_t type)
{
    attr->type = type;
}

void qurt_timer_attr_get_type(qurt_timer_attr_t *attr, qurt_timer_type_t *type)
{
    *type = attr->type;
}

void qurt_timer_attr_set_group(qurt_timer_attr_t *attr, unsigned int group)
{
    attr->group = group;
}

void qurt_timer_attr_get_group(qurt_timer_attr_t *attr, unsigned int *group)
{
    *group = attr->group;
}

int qurt_timer_create(qurt_timer_t *timer, const qurt_timer_attr_t *attr,
                      const qurt_anysignal_t *signal, unsigned int mask)
{
    if (timer == NULL || attr == NULL || attr->magic != MAGIC || signal == NULL ||
        !acceptable(attr->duration) || attr->group >= QURT_TIMER_MAX_GROUPS) {
        return QURT_EINVALID;
    }
    struct timer *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return QURT_EMEM;
    }
    pthread_mutex_lock(&lock);
    if (!start_serving()) {
        pthread_mutex_unlock(&lock);
        free(made);
        return QURT_EMEM;
    }
    *made = (struct timer){.next = timers,
                           .id = ++last_id,
                           .attributes = *attr,
                           .signal = (qurt_anysignal_t *)(uintptr_t)signal,
                           .mask = mask};
    bool at_time = attr->expiry != QURT_TIMER_DEFAULT_EXPIRY && attr->expiry < FOREVER / 1000u;
    set_due(made, at_time ? attr->expiry * 1000u : clock_after_us(attr->duration));
    timers = made;
    *timer = made->id;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return QURT_EOK;
}

/* Restarts a one-shot timer. A duration of 0 stops it. */
static int restart(qurt_timer_t id, qurt_timer_duration_t duration)
{
    pthread_mutex_lock(&lock);
    struct timer *timer = by_id(id);
    int code = timer == NULL                                  ? QURT_EINVALID
               : timer->attributes.type != QURT_TIMER_ONESHOT ? QURT_ENOTALLOWED
                                                              : QURT_EOK;
    if (code == QURT_EOK) {
        set_due(timer, duration == 0 ? FOREVER : clock_after_us(duration));
        timer->attributes.duration = duration == 0 ? timer->attributes.duration : duration;
        pthread_cond_signal(&changed);
    }
    pthread_mutex_unlock(&lock);
    return code;
}

int qurt_timer_stop(qurt_timer_t timer)
{
    return restart(timer, 0);
}

int qurt_timer_restart(qurt_timer_t timer, qurt_timer_duration_t duration)
{
    return acceptable(duration) ? restart(timer, duration) : QURT_EINVALID;
}

int qurt_timer_get_attr(qurt_timer_t timer, qurt_timer_attr_t *attr)
{
    pthread_mutex_lock(&lock);
    const struct timer *found = by_id(timer);
    if (found != NULL) {
        uint64_t now = clock_now();
        *attr = found->attributes;
        attr->remaining = found->due == FOREVER || found->due < now ? 0
                                                                    : (found->due - now) / 1000u;
    }
    pthread_mutex_unlock(&lock);
    return found == NULL ? QURT_EVAL : QURT_EOK;
}

int qurt_timer_delete(qurt_timer_t timer)
{
    struct timer *found = NULL;
    pthread_mutex_lock(&lock);
    for (struct timer **at = &timers; *at != NULL; at = &(*at)->next) {
        if ((*at)->id == timer) {
            found = *at;
            *at = found->next;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    free(found);
    return found == NULL ? QURT_EVAL : QURT_EOK;
}

static int switch_group(unsigned int group, bool off)
{
    if (group >= QURT_TIMER_MAX_GROUPS) {
        return QURT_EINVALID;
    }
    pthread_mutex_lock(&lock);
    uint64_t now = clock_now();
    for (struct timer *timer = timers; timer != NULL && disabled[group] != off;
         timer = timer->next) {
        if (timer->attributes.group != group) {
            continue;
        }
        if (off) {
            timer->left = timer->due == FOREVER ? FOREVER : timer->due > now ? timer->due - now : 0;
            timer->due = FOREVER;
        } else {
            timer->due = timer->left == FOREVER ? FOREVER : now + timer->left;
        }
    }
    disabled[group] = off;
    if (serving) {
        pthread_cond_signal(&changed);
    }
    pthread_mutex_unlock(&lock);
    return QURT_EOK;
}

int qurt_timer_group_disable(unsigned int group)
{
    return switch_group(group, true);
}

int qurt_timer_group_enable(unsigned int group)
{
    return switch_group(group, false);
}

/* For code that has stopped the DSP's clock, which cannot happen here. */
void qurt_timer_recover_pc(void)
{
}

int qurt_timer_sleep(qurt_timer_duration_t duration)
{
    if (!acceptable(duration)) {
        return QURT_EINVALID;
    }
    clock_sleep_us(duration);
    return QURT_EOK;
}

void qurt_sleep(unsigned long long int duration)
{
    clock_sleep_us(duration);
}

const struct shell_symbol qurt_timer_symbols[] = {
    EXPORT(qurt_timer_attr_init),
    EXPORT(qurt_timer_attr_set_duration),
    EXPORT(qurt_timer_attr_set_expiry),
    EXPORT(qurt_timer_attr_get_duration),
    EXPORT(qurt_timer_attr_get_remaining),
    EXPORT(qurt_timer_attr_set_type),
    EXPORT(qurt_timer_attr_get_type),
    EXPORT(qurt_timer_attr_set_group),
    EXPORT(qurt_timer_attr_get_group),
    EXPORT(qurt_timer_create),
    EXPORT(qurt_timer_stop),
    EXPORT(qurt_timer_restart),
    EXPORT(qurt_timer_get_attr),
    EXPORT(qurt_timer_delete),
    EXPORT(qurt_timer_group_disable),
    EXPORT(qurt_timer_group_enable),
    EXPORT(qurt_timer_recover_pc),
    EXPORT(qurt_timer_sleep),
    EXPORT(qurt_sleep),
    EXPORT_AS("qurt_timer_get_ticks", clock_ticks),
    EXPORT_AS("qurt_sysclock_get_hw_ticks", clock_ticks),
    EXPORT_AS("qurt_timer_timetick_to_us", clock_ticks_to_us),
    EXPORT_END,
};
