/* Calls of matvec_q4_0 through a dspqueue. */
#ifndef PROBE_QUEUE_H
#define PROBE_QUEUE_H

#include <stddef.h>

#include "probe_buffer.h"
#include "remote.h"

/* Returns non-zero if the device's libcdsprpc has the functions of dspqueue.  Older ones lack them,
 * and a program that links them is not loaded there. */
int probe_has_queues(void);

/*
 * Sends one request and waits for its response, at most some seconds.  The buffers are shared with
 * the DSP without a copy.  Returns 0, the result of matvec_q4_0, or the code of what failed;
 * AEE_EEXPIRED if there is no response.
 */
int probe_queue_matvec_q4_0(remote_handle64 handle, size_t rows, size_t cols,
                            const struct probe_buffer *weights, const struct probe_buffer *x,
                            const struct probe_buffer *y);

#endif
