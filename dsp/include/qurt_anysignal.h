/* qurt_anysignal.h: flags, each of which wakes the waiter; the older name of qurt_signal.
 *
 * The interface (names, signatures, layout) is that documented for QuRT in the Hexagon SDK.
 *
 * Not on every DSP shell: qurt_anysignal_wait_timed. */
#ifndef QURT_ANYSIGNAL_H
#define QURT_ANYSIGNAL_H

#include "qurt_signal.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef qurt_signal_t qurt_anysignal_t;

static inline void qurt_anysignal_init(qurt_anysignal_t *signal)
{
    qurt_signal_init(signal);
}

static inline void qurt_anysignal_destroy(qurt_anysignal_t *signal)
{
    qurt_signal_destroy(signal);
}

static inline unsigned int qurt_anysignal_wait(qurt_anysignal_t *signal, unsigned int mask)
{
    return qurt_signal_wait(signal, mask, QURT_SIGNAL_ATTR_WAIT_ANY);
}

static inline unsigned int qurt_anysignal_get(qurt_anysignal_t *signal)
{
    return qurt_signal_get(signal);
}

/* Both functions return the previous flags. */
unsigned int qurt_anysignal_set(qurt_anysignal_t *signal, unsigned int mask);
unsigned int qurt_anysignal_clear(qurt_anysignal_t *signal, unsigned int mask);
int qurt_anysignal_wait_timed(qurt_anysignal_t *signal, unsigned int mask, unsigned int *signals,
                              unsigned long long int duration);

#ifdef __cplusplus
}
#endif

#endif
