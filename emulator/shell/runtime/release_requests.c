/* release_requests.c: asks holders of compute resources to release them.
 *
 * A thread looks for waiters of higher priority in all processes, and calls the release callbacks of
 * the contexts that they wait for. */
#define _GNU_SOURCE
#include "release_requests.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "contexts.h"
#include "runtime.h"

#define POLL_US 1000u

static bool is_running;

static void *ask(void *unused)
{
    (void)unused;
    for (;;) {
        clock_sleep_us(POLL_US);
        struct claim claim;
        unsigned int id = context_to_ask(&claim);
        if (id != 0) {
            claim.callback(id, claim.argument);
        }
    }
}

void release_requests_start(void)
{
    pthread_t thread;
    if (!is_running && pthread_create(&thread, NULL, ask, NULL) == 0) {
        pthread_detach(thread);
        is_running = true;
    }
}
