/* qf_tags.h: with --strict, from v79 on: finds instructions that lose qf numbers, or take them for others.
 *
 * Each vector of a thread has a tag while it matters: which packet wrote it, and as what. */
#ifndef BUILDTOOL_SHELL_QF_TAGS_H
#define BUILDTOOL_SHELL_QF_TAGS_H

#include "code.h"
#include "extensions.h"

/* Whether tags are kept. */
bool qf_tags_are_kept(void);

/* Writes code that looks at the tags of what a packet reads, and sets those of what it writes, before the
 * packet is executed. Writes nothing if there is none of these. */
void qf_tags_write(struct code *code, const uint32_t *packet, size_t size, uint32_t from,
                   const struct memory_use *tags);

/* For qf_values.c: reports what the values of operands make wrong at a packet, and what a packet reads in a vector
 * that was written as no format, both once. The second one returns whether that is so. */
void qf_tags_value(uint32_t reader, const char *problem);
bool qf_tags_untyped(unsigned vector, uint32_t reader, const char *problem);

/* When a call has returned: stops the process if an instruction was reported whose result is wrong. */
void qf_tags_check(void);

#endif
