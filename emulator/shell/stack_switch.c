/* stack_switch.c: calls a function on a stack of its own. */
#include "stack_switch.h"

#include "core.h"
#include "regions.h"

/* Sets the stack pointer to `top` and calls function(argument). */
void switched_call(void *top, void (*function)(void *argument), void *argument);

__asm__(".text\n"
        ".p2align 4\n"
        ".globl switched_call\n"
        ".type switched_call, @function\n"
        "switched_call:\n"
        "  { allocframe(#8) }\n"
        "  { memd(r29+#0) = r17:16 }\n"
        "  { r16 = r29 }\n"
        "  { r29 = r0 }\n"
        "  { r0 = r2 }\n"
        "  { callr r1 }\n"
        "  { r29 = r16 }\n"
        "  { r17:16 = memd(r29+#0) }\n"
        "  { dealloc_return }\n"
        ".size switched_call, .-switched_call\n");

bool exact_stack(struct guarded *stack, size_t size)
{
    return guarded_map(stack, (size + 15) & ~(size_t)15, 16, true, false);
}

void stack_switch(const struct guarded *stack, size_t asked, void (*function)(void *argument),
                  void *argument)
{
    const struct fault_stack before = fault_stack;
    fault_stack = (struct fault_stack){.low = (uintptr_t)stack->data,
                                       .high = (uintptr_t)stack->data + stack->size,
                                       .asked = asked,
                                       .exact = true};
    region_add(REGION_STACK, stack->data, stack->size, 0, 0);
    switched_call(stack->data + stack->size, function, argument);
    region_remove(REGION_STACK, stack->data, NULL);
    fault_stack = before;
}
