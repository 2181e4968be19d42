/* arguments.h: the memory of the copied arguments of a call. */
#ifndef BUILDTOOL_SHELL_ARGUMENTS_H
#define BUILDTOOL_SHELL_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "guarded.h"
#include "wire.h"

/* Each argument starts at a multiple of 128 bytes, as in the Linux kernel's FastRPC driver
 * (FASTRPC_ALIGN), because a skel may load whole vectors from the start of an argument. */
#define ARGUMENT_ALIGN 128u

/* Where the copied arguments of one call are. */
struct argument_area {
    uint8_t *next;           /* not strict: where the next argument starts */
    struct guarded *guarded; /* strict: one for each argument */
    uint32_t used;
};

/* Prepares the area for arguments of `total` bytes, each rounded up to ARGUMENT_ALIGN. */
bool area_open(struct argument_area *area, uint64_t total, uint32_t count);
/* Returns memory for the next argument, or NULL. */
void *area_take(struct argument_area *area, uint32_t length);
/* Stops the process if bytes around an argument have changed. */
void area_check(const struct argument_area *area);
/* Ends the use of the area after a call. */
void area_close(struct argument_area *area);

/* Makes the content of an out argument one that no kernel computes. */
void argument_poison(void *bytes, uint32_t length);

#endif
