/* thunk.h: code that stands for a packet with an instruction that is replaced. */
#ifndef BUILDTOOL_SHELL_THUNK_H
#define BUILDTOOL_SHELL_THUNK_H

#include "calls.h"
#include "code.h"
#include "extensions.h"

#define THUNK_CLASSES (REPLACED_CLASSES | CALL_CLASSES)

/* Whether a word is an instruction that is replaced. */
bool thunk_replaces(uint32_t word);

/* Writes code that computes what the packet at the address `from` computes, and jumps behind it.
 * `live`: the vectors whose values matter after the packet. */
void thunk_write(struct code *code, const uint32_t *packet, size_t size, uint32_t from,
                 uint32_t live, const struct memory_use *use);

/* Writes code that lets other threads run, before that of the packet at the address `from`. */
void thunk_write_wait(struct code *code, uint32_t from);

/* Writes code that faults. */
void thunk_write_stop(struct code *code);

#endif
