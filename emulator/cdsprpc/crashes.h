/* crashes.h: what programs and buildtool are told of crashes. */
#ifndef BUILDTOOL_CDSPRPC_CRASHES_H
#define BUILDTOOL_CDSPRPC_CRASHES_H

#include <stdbool.h>

/* Whether a line of the DSP process's standard error is for programs. */
bool crash_is_for_programs(const char *line);
/* The path of the file for reports, or "". */
const char *crash_reports(void);
/* Appends these lines to the file that `buildtool` reads, or one that says why the process died. */
void crash_pass_on(int errors, const char *why);

#endif
