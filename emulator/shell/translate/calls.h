/* calls.h: instructions in whose place a function of the shell is called: user DMA, reads of the DSP's
 * counters, barriers, pause, and HMX; and loops that only wait. */
#ifndef BUILDTOOL_SHELL_CALLS_H
#define BUILDTOOL_SHELL_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "forms.h"

#define HMX "HMX" /* the name of all its instructions */

struct call {
    const char *name;
    uint32_t mask, bits;
    void (*function)(void); /* takes its operands in r0 and r1, and writes c19:18; NULL: it stops */
    unsigned operands;      /* the registers at bit 16, and at bit 8 */
    uint32_t replacement;   /* for the instruction in its packet */
    uint32_t target;        /* bits that the replacement has, too */
};

#define CALL_CLASSES (1u << 10 | 1u << 13 | 1u << 18 | 1u << 20 | 1u << 21)

/* Returns how a word is executed, or NULL if it is none of these. */
const struct call *call_of(uint32_t word);

/* Whether it is an instruction of HMX. Those of a packet are executed together, by call_hmx, which takes
 * the operands of a struct hmx_request: four registers, and the two forms in halfwords. */
static inline bool is_hmx(const struct call *call)
{
    return call != NULL && call->name[0] == HMX[0];
}
void call_hmx(void);

/* Defines a function for thunks that calls one in C. It writes the result to c19:18, which qemu lets a
 * program write and does not use, and changes no other register but those that thunk_enter saves. C functions
 * save r16 to r27 themselves, and the shell uses no HVX registers. */
#define CALLED(name, function)                                                             \
    void name(void);                                                                       \
    __asm__(".text\n.p2align 4\n" #name ":\n{ allocframe(r29,#24):raw; r7:6 = c1:0 }\n"    \
            "{ memd(r29+#0) = r7:6; r9:8 = c3:2 }\n{ memd(r29+#8) = r9:8; r7:6 = c7:6 }\n" \
            "{ memd(r29+#16) = r7:6; call " #function " }\n{ c19:18 = r1:0 }\n"            \
            "{ r3:2 = memd(r29+#0); r5:4 = memd(r29+#8) }\n"                               \
            "{ c1:0 = r3:2; r3:2 = memd(r29+#16) }\n{ c3:2 = r5:4 }\n{ c7:6 = r3:2 }\n"    \
            "{ dealloc_return }\n");

/* Whether a packet is the end of a loop that does nothing but load values, compare them, and begin
 * again. Two words before the packet are readable. A word of such a packet is one that may_spin. */
bool spins(const uint32_t *packet, size_t size);
bool may_spin(uint32_t word);
#define SPIN_CLASSES (1u << 2 | 1u << 4)

/* Is called in each round of a loop that waits. */
void call_wait(void);

#endif
