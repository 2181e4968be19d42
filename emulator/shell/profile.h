/* profile.h: samples of where threads of the DSP execute (`buildtool run sim --profile`). */
#ifndef BUILDTOOL_SHELL_PROFILE_H
#define BUILDTOOL_SHELL_PROFILE_H

#include "link.h"

/* Opens the file of the profile, before there is any thread that is sampled. */
void profile_start(void);

/* From the first to the second call, the calling thread is sampled while it executes. */
void profile_thread_begin(void);
void profile_thread_end(void);

/* Notes where a module is, before its code runs. */
void profile_module(const struct link_memory *memory, const char *name);

/* Whether the addresses of unloaded modules must not be used again. */
bool profile_keeps_addresses(void);

#endif
