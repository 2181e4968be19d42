/* queues.h: the end of dspqueues. */
#ifndef BUILDTOOL_CDSPRPC_QUEUES_H
#define BUILDTOOL_CDSPRPC_QUEUES_H

/* Waits at most so many seconds for the threads of queues that the client has not closed. */
void queues_stop(int seconds);

#endif
