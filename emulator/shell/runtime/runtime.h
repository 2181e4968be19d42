/* runtime.h: the interface between the source files of the runtime. */
#ifndef BUILDTOOL_RUNTIME_H
#define BUILDTOOL_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../shell.h"
#include "../symbols.h"

/* ---- tables ---- */

/* Rows of a symbol table: a function under its own name, a function under another name, and the
 * last row. */
#define EXPORT(function) {#function, (void *)(function)}
#define EXPORT_AS(name, function) {name, (void *)(function)}
#define EXPORT_END {NULL, NULL}

/* ---- refusals ---- */

/* Logs why something is not available, once for each use of the macro. */
#define REFUSE_ONCE(...)                                         \
    do {                                                         \
        static int said_;                                        \
        if (!__atomic_exchange_n(&said_, 1, __ATOMIC_RELAXED)) { \
            shell_logf(SHELL_ERROR, __VA_ARGS__);                \
        }                                                        \
    } while (0)

/* ---- clock.c ---- */

#define FOREVER UINT64_MAX

/* Returns nanoseconds since a starting point that is the same in all processes. */
uint64_t clock_now(void);

/* Returns the time in `microseconds` from now, at most FOREVER - 1. */
uint64_t clock_after_us(uint64_t microseconds);

/* Returns the ticks of the DSP's 19.2 MHz counter. */
uint64_t clock_ticks(void);
uint64_t clock_ticks_to_us(uint64_t ticks);

/* Returns the cycles of a DSP that always runs at 1 GHz, because qemu does not model timing. */
uint64_t clock_cycles(void);
void clock_sleep_us(uint64_t microseconds);

/* ---- park.c: threads that wait for something at an address ---- */

/* One thread in a queue. The waiting thread's stack holds it. */
struct park_waiter {
    struct park_waiter *next;
    const void *key;
    int priority;
    bool woken;
    void *condition; /* the thread's condition variable */
};

/* Acquire and release the lock of an address. A thread may hold one such lock at a time. */
void park_enter(const void *key);
void park_leave(const void *key);

/* Adds the calling thread to the queue of the address. The caller holds the address's lock. */
void park_join(const void *key, struct park_waiter *waiter);

/* Waits, after park_join, until the thread is woken or the deadline has passed. The caller holds
 * the address's lock, which is released during the wait. Returns whether the thread was woken. The
 * thread is no longer in the queue in either case. */
bool park_wait(struct park_waiter *waiter, uint64_t deadline);

/* Wakes up to `count` waiters: the highest priority first, and in order of arrival within a
 * priority. Returns the number of woken threads. The caller holds the address's lock. */
int park_wake(const void *key, int count);

/* ---- qurt_thread.c ---- */

/* The id and the priority of the calling thread. A thread without a record gets one, because
 * qurt_thread_create does not create the threads that serve calls. */
uint32_t thread_id(void);
int thread_priority(void);

/* Returns how many bytes of the requested stack the calling thread has left. */
uint64_t thread_stack_left(void);

/* ---- qurt_tls.c ---- */

/* Calls the destructors for the values of the calling thread, which is about to end. */
void tls_destroy(void);

/* ---- hap_mem.c ---- */

/* Returns the address where the skel has mapped a buffer from its start with HAP_mmap, or NULL. */
void *mapped_address(int client_fd);

/* ---- hap_ps.c ---- */

const char *process_name(void);

/* ---- libm.c ---- */

double fused_multiply_add(double x, double y, double z);

#endif
