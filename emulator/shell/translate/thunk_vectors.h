/* thunk_vectors.h: computes the vector instructions of a packet that are replaced. */
#ifndef BUILDTOOL_SHELL_THUNK_VECTORS_H
#define BUILDTOOL_SHELL_THUNK_VECTORS_H

#include "code.h"
#include "thunk_plan.h"

/* Computes them before the packet. `live`: see thunk_write. */
void put_vectors(struct code *code, struct thunk *thunk, uint32_t live);

/* Returns what stands in the packet in place of an instruction, and keeps its destination as it is. */
uint32_t vector_replacement(const struct instruction *instruction);

/* Gives the delayed destinations of a struct thunk their values after the packet. */
void put_delayed(struct code *code, const void *context);

#endif
