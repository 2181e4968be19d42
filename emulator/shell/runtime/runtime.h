/* runtime.h: what the files of the runtime share: symbol tables, time, waiting. */
#ifndef BUILDTOOL_RUNTIME_H
#define BUILDTOOL_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../shell.h"
#include "../symbols.h"

/* ---- tables ---- */

/* A row of a symbol table: a function under its own name, or under another. */
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

/* Nanoseconds since some start, the same in all processes. */
uint64_t clock_now(void);

/* The moment `microseconds` from now; FOREVER stays out of reach. */
uint64_t clock_after_us(uint64_t microseconds);

/* Ticks of the DSP's 19.2 MHz counter. */
uint64_t clock_ticks(void);
uint64_t clock_ticks_to_us(uint64_t ticks);

/* Cycles of a DSP that always runs at 1 GHz: qemu has no timing of its own. */
uint64_t clock_cycles(void);
void clock_sleep_us(uint64_t microseconds);

/* ---- park.c: threads that wait for something at an address ---- */

/* One thread in a queue. It lives on the waiting thread's stack. */
struct park_waiter {
    struct park_waiter *next;
    const void *key;
    int priority;
    bool woken;
    void *condition; /* the thread's own */
};

/* The lock of an address. A thread may hold one at a time. */
void park_enter(const void *key);
void park_leave(const void *key);

/* Inside: joins the queue of the address. */
void park_join(const void *key, struct park_waiter *waiter);

/* Inside, after park_join: waits until it is woken or the deadline has passed, outside
 * of the address meanwhile. Returns whether it was woken; either way it has left the
 * queue. */
bool park_wait(struct park_waiter *waiter, uint64_t deadline);

/* Inside: wakes up to `count` waiters, the highest priority first, within one priority
 * the one that came first. Returns how many. */
int park_wake(const void *key, int count);

/* ---- qurt_thread.c ---- */

/* The calling thread, which gets a record if it has none: threads that serve calls are not created
 * by QuRT. */
uint32_t thread_id(void);
int thread_priority(void);

/* Bytes of stack left to the calling thread, of what was asked for. */
uint64_t thread_stack_left(void);

/* ---- qurt_tls.c ---- */

/* Calls the destructors for the values of the calling thread, which ends. */
void tls_destroy(void);

/* ---- hap_mem.c ---- */

/* Where the skel has mapped a buffer from its start, with HAP_mmap; NULL if nowhere. */
void *mapped_address(int client_fd);

/* ---- hap_ps.c ---- */

const char *process_name(void);

/* Ends the process as a crashing kernel does. */
void die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

#endif
