/* qf_lost.c: instructions that lose qf numbers, or take them for others. Symbols name the packets. */
#include "cases.h"

static int32_t memory[3][32] __attribute__((aligned(128)));

#define MARK(name) ".globl " #name "\n" #name ":\n"
#define LOADED "{ v0 = vmem(%0+#0); p0 = cmp.eq(r0,r0) }\n{ v1 = v0; p1 = not(p0) }\n"
#define WRITTEN(name) MARK(name##_written) "{ v2.qf32 = vadd(v0.sf,v1.sf) }\n"

#define LOST(name, text)                                                                        \
    static __attribute__((noinline)) int name(const int32_t in[4], int32_t out[8])              \
    {                                                                                           \
        (void)in;                                                                               \
        (void)out;                                                                              \
        __asm__ volatile(LOADED text                                                            \
                         :                                                                      \
                         : "r"(memory)                                                          \
                         : "v0", "v1", "v2", "v3", "v4", "v5", "v17", "p0", "p1", "r28", "r31", \
                           "lc0", "sa0", "memory");                                             \
        return 0;                                                                               \
    }

/* ---- that are reported ---- */

LOST(stored, WRITTEN(stored) MARK(stored_at) "{ vmem(%0+#1) = v2 }\n")
LOST(at_once, MARK(at_once_at) "{ v2.qf32 = vadd(v0.sf,v1.sf); vmem(%0+#1) = v2.new }\n")
LOST(integer, WRITTEN(integer) MARK(integer_at) "{ v3.w = vadd(v2.w,v0.w) }\n")
LOST(ieee, WRITTEN(ieee) MARK(ieee_at) "{ v3.qf32 = vadd(v2.sf,v0.sf) }\n")
LOST(width, WRITTEN(width) MARK(width_at) "{ v3.hf = v2.qf16 }\n")
LOST(copy, WRITTEN(copy) MARK(copy_copied) "{ v3 = v2 }\n" MARK(copy_at) "{ v4.sf = v3.qf32 }\n")
LOST(moved, WRITTEN(moved)
                MARK(moved_copied) "{ v3 = vror(v2,r0) }\n" MARK(moved_at) "{ vmem(%0+#1) = v3 }\n")
LOST(combined,
     WRITTEN(combined)
         MARK(combined_copied) "{ v5:4 = vcombine(v2,v0) }\n"
                               "{ vmem(%0+#1) = v4 }\n" MARK(combined_at) "{ v3.sf = v5.qf32 }\n")
LOST(number, "{ v3.qf32 = vadd(v0.sf,v1.sf) }\n" MARK(number_written) "{ v2.sf = v3.qf32 }\n" MARK(
                 number_at) "{ v4.qf32 = vadd(v2.qf32,v0.sf) }\n")
LOST(restored, MARK(restored_written) "{ v2.x = vsetqfext(v0,r0) }\n" MARK(
                   restored_at) "{ v3.qf32 = vadd(v2.qf32,v0.sf) }\n")
LOST(kept, WRITTEN(kept) "{ if (p1) v2 = v0 }\n" MARK(kept_at) "{ vmem(%0+#1) = v2 }\n")
LOST(store, WRITTEN(store) "{ if (p1) vmem(%0+#1) = v2 }\n" MARK(
                store_at) "{ if (p0) vmem(%0+#1) = v2 }\n")
LOST(repeated,
     "{ loop0(1f,#9) }\n1:\n" WRITTEN(repeated) MARK(repeated_at) "{ vmem(%0+#1) = v2 }:endloop0\n")
LOST(call, WRITTEN(call) "{ r28 = r31 }\n{ call 2f }\n{ r31 = r28; jump 3f }\n2:\n" MARK(
               call_at) "{ vmem(%0+#1) = v2 }\n{ jumpr r31 }\n3:\n")

/* ---- whose values are reported ---- */

#define SET(vector, value) "{ r28 = ##" #value " }\n{ " #vector " = vsplat(r28) }\n"
#define DIFFERENCE SET(v0, 0x3f800001) SET(v1, 0x3f800000) "{ v2.qf32 = vsub(v0.sf,v1.sf) }\n"

LOST(factor, DIFFERENCE MARK(factor_at) "{ v3.qf32 = vmpy(v2.qf32,v2.qf32) }\n")
LOST(subnormal,
     SET(v0, 0x00400001) SET(v1, 0x3fc00000) MARK(subnormal_at) "{ v2.qf32 = vmpy(v0.sf,v1.sf) }\n")
LOST(great,
     SET(v0, 0x7f7fffff) "{ v2.qf32 = vadd(v0.sf,v0.sf) }\n" MARK(great_at) "{ v3.sf = v2.qf32 }\n")
LOST(rounded,
     SET(v0, 0x477ff000)
         SET(v17,
             0) "{ v2.qf32 = vadd(v17.sf,v17.sf) }\n"
                "{ v3.qf32 = vadd(v0.sf,v17.sf) }\n" MARK(rounded_at) "{ v4.hf = v3:2.qf32 }\n")
LOST(great_half, SET(v0, 0x7bff0000) MARK(great_half_at) "{ v2.qf16 = vadd(v0.hf,v0.hf) }\n")
LOST(great_difference,
     SET(v0, 0x7bff) SET(v1, 0xfbff) MARK(great_difference_at) "{ v2.qf16 = vsub(v0.hf,v1.hf) }\n")
LOST(small_half, SET(v0, 0x04000000) SET(v1, 0x34003400)
                     MARK(small_half_at) "{ v2.qf16 = vmpy(v0.hf,v1.hf) }\n")
LOST(sign, SET(v0, 0x80000000) SET(v17, 0) MARK(sign_at) "{ v2.qf32 = vadd(v0.sf,v17.sf) }\n")
LOST(constant,
     SET(v1, 0x3c003c00) "{ r28 = ##0x50825082 }\n" MARK(
         constant_written) "{ v0 = vsplat(r28) }\n" MARK(constant_at) "{ v2.qf16 = "
                                                                      "vmpy(v0.qf16,v1.hf) }\n")
LOST(zero, SET(v1, 0x3f800000) MARK(zero_written) "{ v0 = vxor(v0,v0) }\n" MARK(
               zero_at) "{ v2.qf32 = vmpy(v0.qf32,v0.qf32) }\n")

/* ---- that are right ---- */

LOST(normalized,
     DIFFERENCE SET(v17,
                    0) "{ v3.qf32 = vadd(v2.qf32,v17.sf) }\n"
                       "{ v4.qf32 = vmpy(v3.qf32,v3.qf32) }\n"
                       "{ v5.qf32 = vadd(v1.sf,v17.sf) }\n{ v4.qf32 = vmpy(v2.qf32,v5.qf32) }\n")
LOST(greatest, SET(v0, 0x477fefff)
                   SET(v17, 0x80000000) "{ v2.qf32 = vadd(v0.sf,v17.sf) }\n"
                                        "{ v3.qf32 = vadd(v0.sf,v17.sf) }\n{ v4.hf = v3:2.qf32 }\n")
LOST(difference, SET(v0, 0x7bff7bff) "{ v2.qf16 = vsub(v0.hf,v0.hf) }\n")
LOST(infinite, SET(v0, 0x7f800000) "{ v2.qf32 = vadd(v0.sf,v0.sf) }\n{ v3.sf = v2.qf32 }\n"
                                   "{ v2.qf32 = vmpy(v0.sf,v0.sf) }\n")
LOST(accumulator, "{ v2 = vxor(v2,v2) }\n{ loop0(1f,#3) }\n"
                  "1:\n{ v2.qf32 = vadd(v2.qf32,v0.sf) }:endloop0\n")

LOST(chain, WRITTEN(chain) "{ v3.qf32 = vmpy(v2.qf32,v2.qf32) }\n{ v3.sf = v3.qf32 }\n"
                           "{ vmem(%0+#1) = v3; v4.qf32 = vadd(v3.sf,v0.sf) }\n")
LOST(saved, WRITTEN(saved) "{ v3 = vgetqfext(v2.x,r0) }\n{ vmem(%0+#1) = v2 }\n"
                           "{ vmem(%0+#2) = v3 }\n{ v3 = vmem(%0+#2) }\n{ v4 = vmem(%0+#1) }\n"
                           "{ v3.x = vsetqfext(v3,r0) }\n{ v2 = vmerge(v3.x,v4.w) }\n"
                           "{ v3.sf = v2.qf32 }\n")
LOST(changed, WRITTEN(changed) "{ if (p0) v2 = v0 }\n{ vmem(%0+#1) = v2 }\n")
LOST(loaded, WRITTEN(loaded) "{ v2.cur = vmem(%0+#0); v3.w = vadd(v2.w,v0.w) }\n"
                             "{ vmem(%0+#1) = v2 }\n")
LOST(cleared, WRITTEN(cleared) "{ v2 = vxor(v2,v2) }\n{ vmem(%0+#1) = v2 }\n")

const struct named_case cases[] = {
    CASE(stored),     CASE(at_once),    CASE(integer),  CASE(ieee),        CASE(width),
    CASE(copy),       CASE(moved),      CASE(combined), CASE(number),      CASE(restored),
    CASE(kept),       CASE(store),      CASE(repeated), CASE(call),        CASE(chain),
    CASE(saved),      CASE(changed),    CASE(loaded),   CASE(cleared),     CASE(factor),
    CASE(subnormal),  CASE(great),      CASE(rounded),  CASE(great_half),  CASE(great_difference),
    CASE(difference), CASE(small_half), CASE(sign),     CASE(constant),    CASE(zero),
    CASE(normalized), CASE(greatest),   CASE(infinite), CASE(accumulator), {NULL, NULL},
};
