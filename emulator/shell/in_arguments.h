/* in_arguments.h: with --strict, memory that the client only sends is read-only during the call. */
#ifndef BUILDTOOL_SHELL_IN_ARGUMENTS_H
#define BUILDTOOL_SHELL_IN_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core.h"
#include "wire.h"

/* The buffers of a call that is running. The calling thread's stack holds it. */
struct call_buffers {
    struct call_buffers *next;
    const struct wire_argument *wire; /* the in buffers, then the out buffers */
    const shell_argument *arguments;
    uint32_t in, out;
};

/* Without --strict these functions do nothing. */

void in_arguments_begin(struct call_buffers *call);
/* Stops the process if the method has written to an in buffer that shares a page with other memory,
 * to which it may write. */
void in_arguments_check(const struct call_buffers *call);
void in_arguments_end(struct call_buffers *call);
/* Makes memory writable again of which the skel gets a pointer in another way. */
void in_arguments_given(const void *start, size_t size);

/* Whether an address is in an in buffer to which the method may not write. */
bool in_argument_holds(uintptr_t address);
/* Makes the page of an address writable if only other memory on it is an in buffer. Called by the
 * handler of SIGSEGV. Returns whether the instruction can run again. */
bool in_arguments_loosen(uintptr_t address);

#endif
