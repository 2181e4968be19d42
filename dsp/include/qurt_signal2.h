/* qurt_signal2.h: flags that the thread that waited for them may destroy.
 *
 * The interface (names, signatures, layout) is that documented for QuRT in the Hexagon SDK.
 *
 * Not on every DSP shell: qurt_signal2_init, qurt_signal2_destroy, qurt_signal2_wait,
 * qurt_signal2_set, qurt_signal2_get, qurt_signal2_clear. */
#ifndef QURT_SIGNAL2_H
#define QURT_SIGNAL2_H

#include "qurt_signal.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef union {
    struct {
        unsigned int cur_mask;
        unsigned int sig_state;
        unsigned int queue;
        unsigned int wait_mask;
    };
    unsigned long long int raw;
} qurt_signal2_t;

void qurt_signal2_init(qurt_signal2_t *signal);
void qurt_signal2_destroy(qurt_signal2_t *signal);
unsigned int qurt_signal2_wait(qurt_signal2_t *signal, unsigned int mask, unsigned int attribute);
void qurt_signal2_set(qurt_signal2_t *signal, unsigned int mask);
unsigned int qurt_signal2_get(qurt_signal2_t *signal);
void qurt_signal2_clear(qurt_signal2_t *signal, unsigned int mask);

static inline unsigned int qurt_signal2_wait_any(qurt_signal2_t *signal, unsigned int mask)
{
    return qurt_signal2_wait(signal, mask, QURT_SIGNAL_ATTR_WAIT_ANY);
}

static inline unsigned int qurt_signal2_wait_all(qurt_signal2_t *signal, unsigned int mask)
{
    return qurt_signal2_wait(signal, mask, QURT_SIGNAL_ATTR_WAIT_ALL);
}

#ifdef __cplusplus
}
#endif

#endif
