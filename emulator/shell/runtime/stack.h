/* stack.h: the stacks of the threads that skels create. */
#ifndef BUILDTOOL_RUNTIME_STACK_H
#define BUILDTOOL_RUNTIME_STACK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Added to what the creator asks for: musl's printf, signal frames and the thread's own
 * record take more than their counterparts on a DSP. */
#define STACK_RESERVE 32768u

/* From low to high: a page without access, the stack, the stack for reports of faults. */
struct stack {
    uint8_t *base; /* NULL: none */
    size_t whole;  /* bytes mapped */
    size_t usable; /* of the stack in the middle */
};

bool stack_allocate(struct stack *stack, size_t asked);
void stack_free(struct stack *stack);
void stack_use(const struct stack *stack, pthread_attr_t *attributes);

/* On the thread: an overflow can be reported. */
void stack_catch_faults(const struct stack *stack);

/* Bytes that the calling thread may still use of what it asked for; NULL: of the stack
 * of a thread that serves calls. */
uint64_t stack_left(const struct stack *stack);

#endif
