/* releases.c: stores with release semantics change memory, and nothing else. */
#include "cases.h"

static long long place __attribute__((aligned(8)));

/* Stores with an instruction at `place`, after a load that would let a conditional store succeed.
 * P0 was true; the result is 255 if it is. */
#define STORE(instruction)                                                      \
    ({                                                                          \
        int p0;                                                                 \
        __asm__ volatile("{ p0 = cmp.eq(r0,r0) }\n"                             \
                         "{ r5:4 = memd_locked(%1) }\n"                         \
                         "{ r1:0 = combine(#-3,#-2) }\n"                        \
                         "{ " instruction " }\n"                                \
                         "{ %0 = p0 }\n"                                        \
                         : "=r"(p0)                                             \
                         : "r"(&place)                                          \
                         : "r0", "r1", "r2", "r3", "r4", "r5", "p0", "memory"); \
        p0;                                                                     \
    })

static int stores(const int32_t in[4], int32_t out[8])
{
    (void)in;
    (void)out;
    place = 77;
    EQUAL(STORE("release(%1):at"), 255);
    EQUAL(STORE("release(%1):st"), 255);
    EQUAL(place, 77);
    EQUAL(STORE("memw_rl(%1):at = r0"), 255);
    EQUAL(place, 0xfffffffell);
    place = 77;
    EQUAL(STORE("memd_rl(%1):st = r1:0"), 255);
    EQUAL(place, (-3ll << 32) | 0xfffffffell);
    return 0;
}

const struct named_case cases[] = {CASE(stores), {NULL, NULL}};
