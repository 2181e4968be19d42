/* thunk_area.h: where thunks save the registers of a program. */
#ifndef BUILDTOOL_SHELL_THUNK_AREA_H
#define BUILDTOOL_SHELL_THUNK_AREA_H

#include <stdint.h>

#define WINDOW 16u     /* v0 to v15, which functions can change */
#define RESULTS_MAX 8u /* two vectors for each word of a packet */

/* One for each thread. r16 points to vectors[8] while a thunk computes, because a vmem reaches eight
 * vectors before and seven behind the address in a register. */
struct thunk_area {
    int32_t vectors[WINDOW + RESULTS_MAX][32] __attribute__((aligned(128)));
    uint32_t registers[20]; /* r0 to r17, then r28 */
    uint32_t control[2];    /* p3:0 and usr */
    /* Extension bits from v79 on, of each vector, of results that are not yet in their place, and a place for
     * what is not needed. */
    int32_t extensions[32 + RESULTS_MAX + 1][32] __attribute__((aligned(128)));
};
extern _Thread_local struct thunk_area thunk_area;
#define AREA_BASE_VECTOR 8
#define AREA_REGISTERS 3072
#define AREA_EXTENSIONS 3200
#define EXTENSION_OF_RESULT 32u /* the numbers of these places */
#define EXTENSION_OF_NONE (32u + RESULTS_MAX)

/* Save registers of the program in the area of the thread and set r16, and load them again. They are
 * called with r31:30 saved at r29, and 8 bytes for them behind that. */
void thunk_enter(void);
void thunk_leave(void);

/* Store the extension bits of a reset at r0, and copy some from r1 to r0. */
void thunk_reset(void);
void thunk_copy(void);

/* The extension bits of a reset. */
extern const int32_t thunk_reset_bits[32];

/* Gives p3:0 the values of the program again. */
void thunk_predicates(void);

/* The functions that store v0 to v15 at r0. */
extern void (*const thunk_saves[WINDOW])(void);

#endif
