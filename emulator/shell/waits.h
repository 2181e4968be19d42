/* waits.h: loops in which threads of skels wait for each other. */
#ifndef BUILDTOOL_SHELL_WAITS_H
#define BUILDTOOL_SHELL_WAITS_H

#include <stdbool.h>
#include <stdint.h>

/* A round of such a loop: lets other threads run, the longer the more rounds there have been. The
 * arguments are those of counts_wait_begin. */
void waits_round(uint32_t address, bool looks_first);

/* Lets the calling thread, and those that it creates, sleep for no longer than they ask for. */
void waits_prepare(void);

#endif
