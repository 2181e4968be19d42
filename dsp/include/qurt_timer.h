/* qurt_timer.h: timers that set a signal, and sleep functions.
 *
 * The interface (names, signatures, layout) is that documented for QuRT in the Hexagon SDK. */
#ifndef QURT_TIMER_H
#define QURT_TIMER_H

#include "qurt_anysignal.h"
#include "qurt_sclk.h"

#ifdef __cplusplus
extern "C" {
#endif

#define QURT_TIMER_DEFAULT_TYPE QURT_TIMER_ONESHOT
#define QURT_TIMER_DEFAULT_DURATION 1000uL
#define QURT_TIMER_DEFAULT_EXPIRY 0uL
#define QURT_TIMER_TIMETICK_FROM_US(us) QURT_SYSCLOCK_TIMETICK_FROM_US(us)
#define QURT_TIMER_TIMETICK_TO_US(ticks) qurt_timer_timetick_to_us(ticks)

/* In microseconds. */
#define QURT_TIMER_MIN_DURATION 100uL
#define QURT_TIMER_MAX_DURATION QURT_SYSCLOCK_MAX_DURATION
#define QURT_TIMER_MAX_GROUPS 5
#define QURT_TIMER_DEFAULT_GROUP 0

typedef enum { QURT_TIMER_ONESHOT = 0, QURT_TIMER_PERIODIC } qurt_timer_type_t;
typedef unsigned int qurt_timer_t;
typedef unsigned long long qurt_timer_duration_t;
typedef unsigned long long qurt_timer_time_t;
typedef void (*pfn_t)(void);

typedef struct {
    unsigned int magic;
    qurt_timer_duration_t duration;
    qurt_timer_time_t expiry;
    qurt_timer_duration_t remaining;
    qurt_timer_type_t type;
    unsigned int group;
    pfn_t pFn;
} qurt_timer_attr_t;

void qurt_timer_attr_init(qurt_timer_attr_t *attr);
void qurt_timer_attr_set_duration(qurt_timer_attr_t *attr, qurt_timer_duration_t duration);
/* `time` counts from the start of the DSP, in microseconds, as qurt_timer_get_ticks does. */
void qurt_timer_attr_set_expiry(qurt_timer_attr_t *attr, qurt_timer_time_t time);
void qurt_timer_attr_get_duration(qurt_timer_attr_t *attr, qurt_timer_duration_t *duration);
void qurt_timer_attr_get_remaining(qurt_timer_attr_t *attr, qurt_timer_duration_t *remaining);
void qurt_timer_attr_set_type(qurt_timer_attr_t *attr, qurt_timer_type_t type);
void qurt_timer_attr_get_type(qurt_timer_attr_t *attr, qurt_timer_type_t *type);
void qurt_timer_attr_set_group(qurt_timer_attr_t *attr, unsigned int group);
void qurt_timer_attr_get_group(qurt_timer_attr_t *attr, unsigned int *group);

/* Creates and starts a timer. It sets `mask` in `signal` each time it expires. */
int qurt_timer_create(qurt_timer_t *timer, const qurt_timer_attr_t *attr,
                      const qurt_anysignal_t *signal, unsigned int mask);
int qurt_timer_stop(qurt_timer_t timer);
int qurt_timer_restart(qurt_timer_t timer, qurt_timer_duration_t duration);
int qurt_timer_get_attr(qurt_timer_t timer, qurt_timer_attr_t *attr);
int qurt_timer_delete(qurt_timer_t timer);

/* Timers of a disabled group do not expire. Their remaining time stays the same until the group is
 * enabled. */
int qurt_timer_group_disable(unsigned int group);
int qurt_timer_group_enable(unsigned int group);
void qurt_timer_recover_pc(void);

int qurt_timer_sleep(qurt_timer_duration_t duration);
unsigned long long qurt_timer_get_ticks(void);

#ifdef __cplusplus
}
#endif

#endif
