/* release_requests.h: asks holders of compute resources to release them. */
#ifndef BUILDTOOL_RUNTIME_RELEASE_REQUESTS_H
#define BUILDTOOL_RUNTIME_RELEASE_REQUESTS_H

/* Starts the thread that calls release callbacks, unless it runs. The caller holds the lock of the
 * contexts. */
void release_requests_start(void);

#endif
