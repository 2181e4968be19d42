/* Calls through a dspqueue. */
#ifndef PROBE_QUEUE_H
#define PROBE_QUEUE_H

#include "htp_ops.h"
#include "probe_buffer.h"
#include "remote.h"

/* Returns non-zero if the device's libcdsprpc has the functions of dspqueue.  Older ones lack them,
 * and a program that links them is not loaded there. */
int probe_has_queues(void);

/*
 * Sends one request and waits for its response, at most some seconds.  The buffers are shared with
 * the DSP without a copy.  Returns 0, the result of the method, or the code of what failed;
 * AEE_EEXPIRED if there is no response.
 */
int probe_queue_call(remote_handle64 handle, const queue_request *request,
                     const struct probe_buffer *first, const struct probe_buffer *second,
                     const struct probe_buffer *output);

#endif
