/* stack_depth.h: how deep a thread uses its stack.
 *
 * The stack below the caller's frame is filled before a function of a skel runs, and looked at
 * afterwards: the lowest byte that has changed counts. A byte that is written with the filling is not
 * seen. The functions are part of their caller, so that nothing else is on the stack meanwhile. */
#ifndef BUILDTOOL_SHELL_STACK_DEPTH_H
#define BUILDTOOL_SHELL_STACK_DEPTH_H

#include <stdint.h>

#define STACK_FILLING 0xb5u
#define STACK_FILLING_WORD 0xb5b5b5b5u

/* Fills the stack from `low`, a multiple of 4, up to the stack pointer, which it returns. */
static inline __attribute__((always_inline)) uintptr_t stack_fill(uintptr_t low)
{
    uintptr_t top;
    __asm__ volatile("%0 = r29" : "=r"(top));
    for (uintptr_t at = low; at < top; at += sizeof(uint32_t)) {
        *(volatile uint32_t *)at = STACK_FILLING_WORD;
    }
    return top;
}

/* Returns how many bytes below `top` have been used since. */
static inline __attribute__((always_inline)) uint32_t stack_depth(uintptr_t low, uintptr_t top)
{
    while (low < top && *(volatile uint32_t *)low == STACK_FILLING_WORD) {
        low += sizeof(uint32_t);
    }
    while (low < top && *(volatile uint8_t *)low == STACK_FILLING) {
        low++;
    }
    return top - low;
}

#endif
