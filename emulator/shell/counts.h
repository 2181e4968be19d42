/* counts.h: how many packets, instructions and HVX instructions methods execute. */
#ifndef BUILDTOOL_SHELL_COUNTS_H
#define BUILDTOOL_SHELL_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core.h"

/* The bytes of a call's buffers. Of those, `copied` go through the channel; others are shared. */
struct counted_bytes {
    uint64_t in, out, copied;
};

/* In place of the number of a method: the callbacks of a skel's queues. Their calls are messages. */
#define COUNTS_QUEUES UINT32_MAX

/* The calling thread executes a method of a skel from now on, until counts_end. `calls`: 1, or 0
 * for callbacks. */
void counts_begin(const char *skel, uint32_t method, unsigned calls);
void counts_end(void);
/* The same of a callback that has read so many messages of its queue, and each access to a queue, which
 * does not count. `found`: the access has read or written something. */
void counts_callback_end(uint64_t messages);
void counts_access_begin(void);
void counts_access_end(bool found);
/* The call of a method has returned `code`, an error. Of its buffers, `in` before `out`, the lengths
 * are at `arguments`. */
void counts_failed(const char *skel, uint32_t method, int code, const shell_argument *arguments,
                   uint32_t in, uint32_t out);
/* Adds the buffers of the next call of the calling thread. */
void counts_buffers(const struct counted_bytes *bytes);

/* A thread that a skel has created works for the call that is running, from its start to its end. */
void counts_thread_begin(void);
void counts_thread_end(void);

/* Between these, which may be nested, the calling thread does not count: it waits, or works for the
 * shell in a way that depends on other threads. Before it waits, counts_flush adds what it has counted
 * to its method, as it can work for another one later. */
void counts_pause(void);
void counts_flush(void);
void counts_resume(void);

/* The same for a round of a loop that waits. The packets of the others count as such. Returns whether
 * the thread has done nothing else since the last round. `address` tells loops apart, and
 * `looks_first` those that look before each round at what they wait for. */
bool counts_wait_begin(uint32_t address, bool looks_first);
void counts_wait_end(void);

/* What a handler of a signal executes does not count: it calls the first function when it begins,
 * and the second one at its end. Before the calling thread gets such signals, counts_measure_handler
 * raises one, to find out what the handler and qemu execute outside of these. */
void counts_handler_begin(uint32_t from[3]);
void counts_handler_end(const uint32_t from[3]);
void counts_measure_handler(int number);

/* This process holds so many bytes of VTCM since the calling thread has acquired some; and what the
 * thread has used of its stack for its call, also one that has just ended. */
void counts_vtcm(uint32_t bytes);
void counts_stack(uint32_t bytes);

/* Is called about once a second: what counts for longer without a pause may wrap. */
void counts_tick(void);

/* Appends a line for each method to the file that libcdsprpc names, before the process ends. */
void counts_write(void);

#endif
