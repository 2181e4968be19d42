/* The callbacks of a session's dspqueue, through which methods are called without FastRPC. */
#ifndef QUEUE_H
#define QUEUE_H

#include "dspqueue.h"

/* Reads all packets of a queue, and answers each one.  `context` is the session, as for methods. */
void serve_packets(dspqueue_t queue, AEEResult error, void *context);

/* The client sees the same error. */
void ignore_error(dspqueue_t queue, AEEResult error, void *context);

#endif
