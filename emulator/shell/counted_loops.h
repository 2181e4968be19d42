/* counted_loops.h: the loops in which threads wait. Each is known by an address of its code. */
#ifndef BUILDTOOL_SHELL_COUNTED_LOOPS_H
#define BUILDTOOL_SHELL_COUNTED_LOOPS_H

#include <stdbool.h>

#include "counted_rows.h"

/* The packets of a round, at most. What is longer does some work, too. */
#define ROUND_PACKETS 256u

/* Stores what the shortest round of a loop executes. Returns false if that is unknown. `round` is another
 * one, or NULL. */
bool loop_round(uint32_t address, const struct counted *round, struct counted *shortest);

/* A row has a round of a loop as work, and ROUND_PACKETS in `within`, because it was unknown how long
 * it is. Both end once that is known. */
void loop_round_before(uint32_t address, struct row *row);

#endif
