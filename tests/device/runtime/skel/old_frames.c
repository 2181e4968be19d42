/* old_frames.c: entry and exit of functions that old compilers compiled. */
#include "cases.h"

__asm__(".text\n.p2align 4\nclobber_all:\n"
        "allocframe(#56)\n call __save_r27_through_r16\n"
        "r16 = #1\nr17 = #1\nr18 = #1\nr19 = #1\nr20 = #1\nr21 = #1\nr22 = #1\nr23 = #1\n"
        "r24 = #1\nr25 = #1\nr26 = #1\nr27 = #1\n"
        "jump __restore_r27_through_r16_and_deallocframe\n"
        "clobber_pair:\n"
        "allocframe(#16)\n call __save_r27_through_r24\n"
        "r24 = #1\nr25 = #1\nr26 = #1\nr27 = #1\n"
        "call __restore_r27_through_r24_and_deallocframe_before_sibcall\njumpr r31\n");

#define KEPT(function)                                                                            \
    __asm__ volatile("r16 = #11\nr17 = #12\nr18 = #13\nr19 = #14\nr20 = #15\nr21 = #16\n"         \
                     "r22 = #17\nr23 = #18\nr24 = #19\nr25 = #20\nr26 = #21\nr27 = r0\n"          \
                     "call " function "\n"                                                        \
                     "memd(r27 + #0) = r17:16\nmemd(r27 + #8) = r19:18\n"                         \
                     "memd(r27 + #16) = r21:20\nmemd(r27 + #24) = r23:22\n"                       \
                     "memd(r27 + #32) = r25:24\nmemd(r27 + #40) = r27:26\n"                       \
                     : "+r"(place)                                                                \
                     :                                                                            \
                     : "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", \
                       "r13", "r14", "r15", "r16", "r17", "r18", "r19", "r20", "r21", "r22",      \
                       "r23", "r24", "r25", "r26", "r27", "r28", "r31", "memory")

static int old_frames(const int32_t in[4], int32_t out[8])
{
    (void)in;
    (void)out;
    uint32_t kept[12] __attribute__((aligned(8)));
    register uint32_t *place __asm__("r0") = kept;
    KEPT("clobber_all");
    for (uint32_t i = 0; i < 11; i++) {
        EQUAL(kept[i], 11 + i);
    }
    place = kept;
    KEPT("clobber_pair");
    for (uint32_t i = 0; i < 11; i++) {
        EQUAL(kept[i], 11 + i);
    }
    return 0;
}

const struct named_case cases[] = {CASE(old_frames), {NULL, NULL}};
