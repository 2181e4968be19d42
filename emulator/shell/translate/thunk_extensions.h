/* thunk_extensions.h: moves extension bits between functions and where they are stored. */
#ifndef BUILDTOOL_SHELL_THUNK_EXTENSIONS_H
#define BUILDTOOL_SHELL_THUNK_EXTENSIONS_H

#include "code.h"
#include "thunk_plan.h"

/* Returns the load of the packet that forwards a vector to the other instructions, or 0, and the condition of
 * a vmem to v0 that loads if it does. */
uint32_t forwarding_load(const struct thunk *thunk, unsigned vector);
uint32_t load_condition(uint32_t word);

/* vN = vsplat(r0) */
void put_splat(struct code *code, unsigned to);

/* Moves the extension bits of a source to a vector. */
void put_extension(struct code *code, const struct thunk *thunk, unsigned to, unsigned vector);

/* Stores the extension bits of a result, which are in the vectors behind it: where they are to be, or, if
 * an instruction of the packet reads the old ones after that, where the second function takes them from. */
void put_result_extensions(struct code *code, const struct thunk *thunk, size_t index);
void put_waiting_extensions(struct code *code, const struct thunk *thunk);

/* Resets the extension bits of the vectors that the other instructions of the packet change. */
void put_resets(struct code *code, const struct thunk *thunk);

#endif
