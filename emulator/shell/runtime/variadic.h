/* variadic.h: functions with unnamed arguments, as QuRT's calling convention has them.
 *
 * QuRT's compiler puts every unnamed argument on the stack, and its va_list is a plain
 * pointer to the next one. The Linux convention that the shell itself is compiled for
 * uses registers first, and another va_list. (LLVM, HexagonISelLowering.cpp: "Linux ABI
 * treats var-arg calls the same way as regular ones".) So these are entered through a
 * few instructions that pass on where the caller's stacked arguments are. */
#ifndef BUILDTOOL_RUNTIME_VARIADIC_H
#define BUILDTOOL_RUNTIME_VARIADIC_H

#include <stddef.h>

/* Defines the entry `name`, which calls `target` with the address of the unnamed
 * arguments in `reg`, the register after those of the named ones. */
#define VARIADIC_ENTRY(name, reg, target)                                             \
    __asm__(".text\n.p2align 4\n.globl " #name "\n.type " #name ", @function\n" #name \
            ":\n\t{ " #reg " = r29\n\t  jump " #target " }\n")

/* vsnprintf with QuRT's va_list: 4 bytes for an int, a long or a pointer, 8 at a multiple
 * of 8 for a long long or a double. Returns what snprintf returns. */
int variadic_format(char *out, size_t room, const char *format, const char *arguments);

/* Entries, to be put into tables only. */
void variadic_snprintf(void);
void variadic_printf(void);
void variadic_sprintf(void);
void variadic_HAP_debug_v2(void);
void variadic_HAP_debug_runtime(void);

#endif
