/* stack_switch.h: stacks of exactly the requested size, on which skels run with --strict. */
#ifndef BUILDTOOL_SHELL_STACK_SWITCH_H
#define BUILDTOOL_SHELL_STACK_SWITCH_H

#include <stdbool.h>
#include <stddef.h>

#include "guarded.h"

/* Allocates a stack, below which is an unmapped page. */
bool exact_stack(struct guarded *stack, size_t size);

/* Calls function(argument) on that stack. `asked` is the size in reports. */
void stack_switch(const struct guarded *stack, size_t asked, void (*function)(void *argument),
                  void *argument);

#endif
