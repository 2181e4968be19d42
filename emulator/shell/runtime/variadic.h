/* variadic.h: functions with unnamed arguments in QuRT's calling convention.
 *
 * QuRT's compiler passes every unnamed argument on the stack, and its va_list is a pointer to the
 * next argument: an int, a long and a pointer have 4 bytes; a long long and a double have 8 bytes,
 * at a multiple of 8. The shell is compiled for the Linux convention, which passes arguments in
 * registers first and has another va_list. (LLVM, HexagonISelLowering.cpp: "Linux ABI treats
 * var-arg calls the same way as regular ones".) Each of these functions therefore has an entry of a
 * few instructions, which passes the address of the caller's arguments on the stack. */
#ifndef BUILDTOOL_RUNTIME_VARIADIC_H
#define BUILDTOOL_RUNTIME_VARIADIC_H

#include <stdarg.h>
#include <stddef.h>

/* Defines the entry `name`, which jumps to `target` with the address of the unnamed arguments in
 * `reg`. `reg` is the register that follows those of the named arguments. */
#define VARIADIC_ENTRY(name, reg, target)                                             \
    __asm__(".text\n.p2align 4\n.globl " #name "\n.type " #name ", @function\n" #name \
            ":\n\t{ " #reg " = r29\n\t  jump " #target " }\n")

/* The va_list of the Linux convention: registers that were saved, then the stack. (LLVM,
 * clang/lib/CodeGen/Targets/Hexagon.cpp: EmitVAArgForHexagonLinux.) */
struct variadic_list {
    const char *next_register;
    const char *registers_end;
    const char *stack;
};

_Static_assert(sizeof(struct variadic_list) == sizeof(va_list), "va_list of hexagon-linux-musl");

/* Makes a va_list from QuRT's: no register is left, all arguments are on the stack. Returns it as a
 * function of musl takes it: va_list is an array there, so a parameter is a pointer. */
void *variadic_list(struct variadic_list *list, const char *arguments);

#define VARIADIC_LIST(arguments) variadic_list(&(struct variadic_list){NULL, NULL, NULL}, arguments)

/* vsnprintf with QuRT's va_list. */
int variadic_format(char *out, size_t room, const char *format, const char *arguments);

/* Entries for symbol tables. C code must not call them. */
void variadic_snprintf(void);
void variadic_printf(void);
void variadic_sprintf(void);
void variadic_HAP_debug_v2(void);
void variadic_HAP_debug_runtime(void);

#endif
