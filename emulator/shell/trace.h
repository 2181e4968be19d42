/* trace.h: what happens on the DSP, for `buildtool run --trace`. */
#ifndef BUILDTOOL_SHELL_TRACE_H
#define BUILDTOOL_SHELL_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "bt_trace_record.h"

/* Opens the file of the trace, if libcdsprpc names one. Without one the others do nothing. */
void trace_open(void);
bool trace_is_on(void);
/* Returns the number of a text for records, 0 if nothing is recorded. */
uint32_t trace_name(const char *text);
/* Records what began at `start`, in nanoseconds, and has just ended: a method of the skel with the
 * name `skel`, that returned `code`. */
void trace_call(uint64_t start, uint32_t skel, uint32_t method, int code);
/* Records an instant. A name of any length is kept whole. */
void trace_event(uint32_t kind, const char *name);

#endif
