/* signal_handler.h: handlers of signals after which the interrupted code goes on. */
#ifndef BUILDTOOL_SHELL_SIGNAL_HANDLER_H
#define BUILDTOOL_SHELL_SIGNAL_HANDLER_H

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
