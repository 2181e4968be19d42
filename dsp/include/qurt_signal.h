/* qurt_signal.h: 32 or 64 flags for which threads wait.
 *
 * The interface (names, signatures, layout) is that documented for QuRT in the Hexagon SDK.
 *
 * Not on every DSP shell: qurt_signal_64_init, qurt_signal_64_wait,
 * qurt_signal_64_set, qurt_signal_64_get, qurt_signal_64_clear. On no known DSP shell:
 * qurt_signal_64_destroy. */
#ifndef QURT_SIGNAL_H
#define QURT_SIGNAL_H

#ifdef __cplusplus
extern "C" {
#endif

#define QURT_SIGNAL_ATTR_WAIT_ANY 0x00000000
#define QURT_SIGNAL_ATTR_WAIT_ALL 0x00000001

typedef union {
    unsigned long long int raw;
    struct {
        unsigned int signals;
        unsigned int waiting;
        unsigned int queue;
        unsigned int attribute;
    } X;
} qurt_signal_t;

typedef struct {
    qurt_signal_t signal_sum;
    unsigned long long signals;
    unsigned long long waiting;
} qurt_signal_64_t;

void qurt_signal_init(qurt_signal_t *signal);
void qurt_signal_destroy(qurt_signal_t *signal);

/* Returns the current flags. Does not clear any; qurt_signal_clear does. */
unsigned int qurt_signal_wait(qurt_signal_t *signal, unsigned int mask, unsigned int attribute);

/* The time is in microseconds. Returns QURT_EOK, QURT_ETIMEDOUT, or QURT_EINVALID for a time
 * outside QURT_TIMER_MIN_DURATION and QURT_TIMER_MAX_DURATION. */
int qurt_signal_wait_timed(qurt_signal_t *signal, unsigned int mask, unsigned int attribute,
                           unsigned int *signals, unsigned long long int duration);
int qurt_signal_wait_cancellable(qurt_signal_t *signal, unsigned int mask, unsigned int attribute,
                                 unsigned int *return_mask);
void qurt_signal_set(qurt_signal_t *signal, unsigned int mask);
unsigned int qurt_signal_get(qurt_signal_t *signal);
void qurt_signal_clear(qurt_signal_t *signal, unsigned int mask);

static inline unsigned int qurt_signal_wait_any(qurt_signal_t *signal, unsigned int mask)
{
    return qurt_signal_wait(signal, mask, QURT_SIGNAL_ATTR_WAIT_ANY);
}

static inline unsigned int qurt_signal_wait_all(qurt_signal_t *signal, unsigned int mask)
{
    return qurt_signal_wait(signal, mask, QURT_SIGNAL_ATTR_WAIT_ALL);
}

void qurt_signal_64_init(qurt_signal_64_t *signal);
void qurt_signal_64_destroy(qurt_signal_64_t *signal);
unsigned long long qurt_signal_64_wait(qurt_signal_64_t *signal, unsigned long long mask,
                                       unsigned int attribute);
void qurt_signal_64_set(qurt_signal_64_t *signal, unsigned long long mask);
unsigned long long qurt_signal_64_get(qurt_signal_64_t *signal);
void qurt_signal_64_clear(qurt_signal_64_t *signal, unsigned long long mask);

#ifdef __cplusplus
}
#endif

#endif
