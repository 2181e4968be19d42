/* stack.c: the stacks of the threads that skels create. */
#define _GNU_SOURCE
#include "stack.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../core.h"
#include "../stack_switch.h"

#define REPORT 16384u

/* Returns the emulator's page size, 64 KiB, which is the smallest size that can be protected. */
static size_t page(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

bool stack_allocate(struct stack *stack, size_t asked)
{
    if (asked > 0x40000000u) {
        return false;
    }
    stack->usable = (asked + STACK_RESERVE + 15) & ~(size_t)15;
    stack->whole = page() + stack->usable + REPORT;
    void *base = mmap(NULL, stack->whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                      0);
    if (base == MAP_FAILED) {
        stack->base = NULL;
        return false;
    }
    stack->base = base;
    stack->asked = asked;
    stack->exact.mapping = NULL;
    if (shell_facts()->strict != STRICT_OFF && !exact_stack(&stack->exact, asked)) {
        stack_free(stack);
        return false;
    }
    mprotect(stack->base, page(), PROT_NONE);
    return true;
}

void stack_free(struct stack *stack)
{
    if (stack->base != NULL) {
        munmap(stack->base, stack->whole);
        stack->base = NULL;
        guarded_retire(&stack->exact);
    }
}

void stack_use(const struct stack *stack, pthread_attr_t *attributes)
{
    pthread_attr_setstack(attributes, stack->base + page(), stack->usable);
}

void stack_catch_faults(const struct stack *stack)
{
    stack_t report = {.ss_sp = stack->base + page() + stack->usable, .ss_size = REPORT};
    sigaltstack(&report, NULL);
    fault_stack = (struct fault_stack){.low = (uintptr_t)stack->base + page(),
                                       .high = (uintptr_t)stack->base + page() + stack->usable,
                                       .asked = stack->asked};
}

void stack_run(const struct stack *stack, void (*function)(void *argument), void *argument)
{
    if (stack->exact.mapping != NULL) {
        stack_switch(&stack->exact, stack->asked, function, argument);
    } else {
        fault_context.frame = (uintptr_t)__builtin_frame_address(0);
        function(argument);
    }
}

/* Counts from where the call entered the skel, because the frames of the shell are in the space that
 * the core adds to the stack of a thread that serves calls. */
static uint64_t served_left(uintptr_t here)
{
    uintptr_t entry = shell_call_frame();
    uint64_t used = entry > here ? entry - here : 0;
    uint64_t given = shell_facts()->stack_bytes;
    return given > used ? given - used : 0;
}

uint64_t stack_left(const struct stack *stack)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (fault_stack.exact) {
        return here > fault_stack.low ? here - fault_stack.low : 0;
    }
    if (stack == NULL) {
        return served_left(here);
    }
    uintptr_t low = (uintptr_t)stack->base + page() + STACK_RESERVE;
    return here > low ? here - low : 0;
}
