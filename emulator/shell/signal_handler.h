/* signal_handler.h: handlers of signals after which the interrupted code goes on. Their files define
 * _GNU_SOURCE, for the registers of the interrupted code. */
#ifndef BUILDTOOL_SHELL_SIGNAL_HANDLER_H
#define BUILDTOOL_SHELL_SIGNAL_HANDLER_H

#include <stdint.h>
#include <ucontext.h>

/* Returns the address at which the calling thread was interrupted. QEMU 8.1 to 10 store no p3_0, and
 * the registers after it one word lower than mcontext_t has them. UGP, the thread pointer, has the
 * same value in the handler, and so shows where it is stored. Source: QEMU's
 * linux-user/hexagon/signal.c. */
static inline uintptr_t interrupted_pc(const mcontext_t *machine)
{
    return machine->gp == (uintptr_t)__builtin_thread_pointer() ? machine->ugp : machine->pc;
}

/* Defines the function `handler`, which calls `function` with its three arguments and restores the
 * predicate registers, which qemu 7.2 does not. Neither function is static. */
#define SIGNAL_HANDLER(handler, function)   \
    __asm__(".text\n"                       \
            ".p2align 4\n" handler ":\n"    \
            "{ allocframe(r29, #8):raw }\n" \
            "{ r3 = c4 }\n"                 \
            "{ memw(r29+#0) = r3 }\n"       \
            "{ call " function " }\n"       \
            "{ r3 = memw(r29+#0) }\n"       \
            "{ c4 = r3 }\n"                 \
            "{ dealloc_return }\n")

#endif
