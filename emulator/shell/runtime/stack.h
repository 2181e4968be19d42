/* stack.h: the stacks of the threads that skels create. */
#ifndef BUILDTOOL_RUNTIME_STACK_H
#define BUILDTOOL_RUNTIME_STACK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../guarded.h"

/* Added to the size that the creator requests, because musl's printf, signal frames and the
 * thread's record need more space than their counterparts on a DSP. */
#define STACK_RESERVE 32768u

/* From low to high addresses: a page without access, the stack, the stack for fault reports. */
struct stack {
    uint8_t *base;        /* NULL: no stack */
    size_t whole;         /* bytes mapped */
    size_t usable;        /* bytes of the stack in the middle */
    size_t asked;         /* the size that the creator requests */
    struct guarded exact; /* with --strict: the stack on which the thread's function runs */
};

bool stack_allocate(struct stack *stack, size_t asked);
void stack_free(struct stack *stack);
void stack_use(const struct stack *stack, pthread_attr_t *attributes);

/* Sets the stack for fault reports of the calling thread, so that an overflow can be reported. */
void stack_catch_faults(const struct stack *stack);

/* Calls the thread's function. With --strict, its stack has exactly the requested size. */
void stack_run(const struct stack *stack, void (*function)(void *argument), void *argument);

/* Returns how many bytes of the requested size the calling thread has left. NULL stands for the
 * stack of a thread that serves calls. */
uint64_t stack_left(const struct stack *stack);

#endif
