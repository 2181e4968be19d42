/* operands_qf_v79.h: operands and results of the functions that compute with qf32 and qf16, from v79 on.
 *
 * Behind the parameters are the extension bits of those that have some. They return the result in v0, or v0
 * and v1, and its extension bits in the vectors behind it. */
#ifndef BUILDTOOL_SHELL_OPERANDS_QF_V79_H
#define BUILDTOOL_SHELL_OPERANDS_QF_V79_H

#include "operations.h"
#include "qfloat_v79.h"

/* Volatile, so that the compiler does not make one vcombine of two moves: for that, qemu takes as long as
 * for 25 additions. */
#define PLACED(n, x)                                      \
    register HVX_Vector placed##n __asm__("v" #n) = V(x); \
    __asm__ volatile("" : "+v"(placed##n));
#define EXTENDED(name, parameters, result)                                               \
    words v79_##name parameters __attribute__((section("op_v79_" #name), retain, used)); \
    words v79_##name parameters                                                          \
    {                                                                                    \
        HIGH_REGISTERS(DECLARE)                                                          \
        HIGH_REGISTERS(LIVES)                                                            \
        const struct qf answer = result;                                                 \
        PLACED(0, answer.bits)                                                           \
        PLACED(1, answer.more)                                                           \
        HIGH_REGISTERS(STILL_LIVES)                                                      \
        __asm__ volatile("" : "+v"(placed0) : "v"(placed1));                             \
        return (words)placed0;                                                           \
    }

struct operand {
    struct qnumber x;
    enum kind kind;
    words bits, more;
};

/* Keeps the compiler from using again what it has computed of a value: registers are scarce. */
INLINE words again(words x)
{
    __asm__ volatile("" : "+v"(x));
    return x;
}

INLINE struct operand operand(enum kind kind, words bits, words more)
{
    const words fresh = again(bits), fresh_more = again(more);
    return (struct operand){decode(kind, fresh, fresh_more), kind, fresh, fresh_more};
}
INLINE struct qnumber special_of(struct operand a)
{
    return specials(a.kind, a.x, a.bits, a.more);
}

#define U_SF operand(SF32, u, u)
#define V_SF operand(SF32, v, v)
#define U_QF operand(QF32, u, more_u)
#define V_QF operand(QF32, v, more_v)
/* The extension bits of both in one vector, because registers are scarce. */
#define U_OF_BOTH operand(QF32, u, more)
#define V_OF_BOTH operand(QF32, v, logical(again(more), 4))

/* The even and the odd halves of parameters. The odd ones come after the results of the even ones, because
 * registers are scarce. For the same reason the extension bits of both are in one vector: those of v from
 * bit 4 on. */
#define EVEN_HF(x, at) operand(HF16, x, x)
#define ODD_HF(x, at) operand(HF16, logical(x, 16), x)
#define EVEN_QF(x, at) operand(QF16, x, logical(more, at))
#define ODD_QF(x, at) operand(QF16, logical(x, 16), logical(more, (at) + 2))
#define THEN(even, x) __asm__ volatile("" : "+v"(x) : "v"(even));

#endif
