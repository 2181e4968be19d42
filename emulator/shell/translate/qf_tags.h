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

/* When a call has returned: stops the process if an instruction was reported whose result is wrong. */
void qf_tags_check(void);

#endif
