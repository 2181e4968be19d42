/* operations.h: how functions that stand for instructions are defined.
 *
 * Their names are those of the intrinsics, without Q6_. They take the registers that the
 * instruction reads, in the order of its syntax, except predicates, and return what it writes.
 * A comparison returns two vectors of integers: comparing those gives its result. */
#ifndef BUILDTOOL_SHELL_OPERATIONS_H
#define BUILDTOOL_SHELL_OPERATIONS_H

#include "ieee.h"

/* Each has its own section, whose start and end the linker knows: between them is all that it can
 * change. The compiler leaves v16 to v31 alone, because they live through the function. */
#define V16_TO_V23(LIST) LIST(16) LIST(17) LIST(18) LIST(19) LIST(20) LIST(21) LIST(22) LIST(23)
#define V24_TO_V31(LIST) LIST(24) LIST(25) LIST(26) LIST(27) LIST(28) LIST(29) LIST(30) LIST(31)
#define HIGH_REGISTERS(LIST) V16_TO_V23(LIST) V24_TO_V31(LIST)
#define DECLARE(n) register HVX_Vector kept##n __asm__("v" #n);
#define LIVES(n) __asm__ volatile("" : "=v"(kept##n));
#define STILL_LIVES(n) __asm__ volatile("" : : "v"(kept##n));

#define OPERATION(type, name, parameters, result)                             \
    type name parameters __attribute__((section("op_" #name), retain, used)); \
    type name parameters                                                      \
    {                                                                         \
        HIGH_REGISTERS(DECLARE)                                               \
        HIGH_REGISTERS(LIVES)                                                 \
        const type answer = result;                                           \
        HIGH_REGISTERS(STILL_LIVES)                                           \
        return answer;                                                        \
    }

#define UNARY(name, result) OPERATION(words, name, (words u), result)
#define BINARY(name, result) OPERATION(words, name, (words u, words v), result)
#define ACCUMULATE(name, result) OPERATION(words, name, (words x, words u, words v), result)
#define UNARY_PAIR(name, result) OPERATION(pair, name, (words u), result)
#define BINARY_PAIR(name, result) OPERATION(pair, name, (words u, words v), result)
#define ACCUMULATE_PAIR(name, result) OPERATION(pair, name, (pair x, words u, words v), result)
#define OF_PAIR(name, result) OPERATION(words, name, (pair u), result)

/* f of the even and of the odd halves. */
#define HALVES_1(f, u) both(f(even(u)), f(odd(u)))
#define HALVES_2(f, u, v) both(f(even(u), even(v)), f(odd(u), odd(v)))
#define HALVES_3(f, x, u, v) both(f(even(x), even(u), even(v)), f(odd(x), odd(u), odd(v)))
#define WIDE_1(f, u) pair_of(f(even(u)), f(odd(u)))
#define WIDE_2(f, u, v) pair_of(f(even(u), even(v)), f(odd(u), odd(v)))
#define WIDE_3(f, x, u, v) pair_of(f(low(x), even(u), even(v)), f(high(x), odd(u), odd(v)))

#endif
