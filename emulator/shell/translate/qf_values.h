/* qf_values.h: with --strict, from v79 on: finds operands whose values make results of qf instructions wrong. */
#ifndef BUILDTOOL_SHELL_QF_VALUES_H
#define BUILDTOOL_SHELL_QF_VALUES_H

#include "code.h"
#include "extensions.h"

/* Writes code that looks at the operands of a packet's qf instructions, before the packet is executed and before
 * the code of qf_tags_write. Writes nothing if there are none. `use`: of extension bits, all in memory. */
void qf_values_write(struct code *code, const uint32_t *packet, size_t size, uint32_t from,
                     const struct memory_use *use);

#endif
