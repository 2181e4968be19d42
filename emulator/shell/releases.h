/* releases.h: makes stores of C11 atomics work, which qemu 7.2 takes for conditional ones.
 *
 * It reads "release(Rs):at" as "memd_locked(Rs,P0) = R1:0", which changes P0 and can store, and
 * "memw_rl(Rs):at = Rt" as "memw_locked(Rs,P0) = Rt", which mostly does not store. */
#ifndef BUILDTOOL_SHELL_RELEASES_H
#define BUILDTOOL_SHELL_RELEASES_H

#include "link.h"
#include "translate/functions.h"

/* Replaces these instructions by plain stores and nops, if this qemu needs it. The memory is
 * writable. A plain store is enough: qemu executes the threads of a process in their order. */
void releases_patch(const struct image *image, struct functions *functions,
                    const struct link_memory *memory);

#endif
