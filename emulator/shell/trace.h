/* trace.h: what happens on the DSP, for `buildtool run --trace`. */
#ifndef BUILDTOOL_SHELL_TRACE_H
#define BUILDTOOL_SHELL_TRACE_H

#include <stdint.h>

#include "bt_trace_record.h"

/* Opens the file of the trace, if libcdsprpc names one. Without one the others do nothing. */
void trace_open(void);
/* Records what began at `start`, in nanoseconds, and has just ended: a method of a skel, that returned `code`. */
void trace_call(uint64_t start, const char *skel, uint32_t method, int code);
/* Records an instant. A name of any length is kept whole. */
void trace_event(uint32_t kind, const char *name);

#endif
