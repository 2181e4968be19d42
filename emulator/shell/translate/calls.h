/* calls.h: instructions in whose place a function of the shell is called: user DMA, reads of the DSP's
 * counters, and barriers; and those of HMX, at which a skel stops. */
#ifndef BUILDTOOL_SHELL_CALLS_H
#define BUILDTOOL_SHELL_CALLS_H

#include <stdbool.h>
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

#define CALL_CLASSES (1u << 13 | 1u << 18 | 1u << 20 | 1u << 21)

/* Returns how a word is executed, or NULL if it is none of these. */
const struct call *call_of(uint32_t word);

#endif
