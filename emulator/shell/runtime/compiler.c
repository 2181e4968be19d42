/* compiler.c: the functions that Hexagon compilers call for operations without an instruction.
 *
 * The functions are those of compiler-rt. Only their addresses are used here, so most are declared
 * without arguments. The table does not contain operations that v68 and newer have instructions
 * for, such as conversions, comparisons and float arithmetic. */
#include <math.h>

#include "runtime.h"

void __hexagon_adddf3(void), __hexagon_subdf3(void), __hexagon_muldf3(void);
void __hexagon_divdf3(void), __hexagon_divsf3(void), __hexagon_sqrtdf2(void);
void __hexagon_sqrtf(void);
void __hexagon_divsi3(void), __hexagon_divdi3(void), __hexagon_modsi3(void);
void __hexagon_moddi3(void), __hexagon_udivsi3(void), __hexagon_udivdi3(void);
void __hexagon_umodsi3(void), __hexagon_umoddi3(void);
void __hexagon_memcpy_likely_aligned_min32bytes_mult8bytes(void);
void __muldc3(void), __mulsc3(void), __divdc3(void), __divsc3(void);

/* A half float is passed in the low half of a register. Compilers do not agree on the contents of
 * the high half, so these functions ignore it in arguments and clear it in results. */
float half_to_single(uint32_t half) __asm__("__extendhfsf2");
uint32_t single_to_half(float single) __asm__("__truncsfhf2");
uint32_t double_to_half(double value) __asm__("__truncdfhf2");

static float extend(uint32_t half)
{
    return half_to_single(half & 0xffffu);
}

static uint32_t truncate_single(float single)
{
    return single_to_half(single) & 0xffffu;
}

static uint32_t truncate_double(double value)
{
    return double_to_half(value) & 0xffffu;
}

/* ---- entry and exit of functions that are compiled for size ---- */

/* Each pair of registers is saved at a fixed offset from the frame pointer: r17:16 at -8, each
 * following pair 8 bytes lower. The routine for several pairs falls through to the routine for
 * fewer pairs. (LLVM, HexagonFrameLowering.cpp; the names are those of compiler-rt.) A save routine
 * returns to the function that called it. A restore routine ends that function: it removes the
 * function's frame and returns to the function's caller, or, before a tail call, to the function
 * itself. */
/* clang-format off */
#define ENTRY(name) ".globl " name "\n.type " name ", @function\n" name ":\n"
#define SAVE(last, pair, place) ENTRY("__save_r16_through_r" last) "memd(r30+#-" place ") = r" pair "\n"
#define LOAD(last, pair, place, ending) \
    ENTRY("__restore_r16_through_r" last ending) "r" pair " = memd(r30+#-" place ")\n"
#define LOADS(ending)                        \
    LOAD("27", "27:26", "48", ending)        \
    LOAD("25", "25:24", "40", ending)        \
    LOAD("23", "23:22", "32", ending)        \
    LOAD("21", "21:20", "24", ending)        \
    LOAD("19", "19:18", "16", ending)        \
    ENTRY("__restore_r16_through_r17" ending)

/* The older convention saves r24 to r27 only. */
#define LOADS_24(ending)                                                             \
    ENTRY("__restore_r24_through_r27" ending) "r27:26 = memd(r30+#-16)\n"            \
    ENTRY("__restore_r24_through_r25" ending)

/* The oldest convention always ends with r27: r27:26 is at -8 and r17:16 at -48. */
#define SAVE_27(first, pair, place) ENTRY("__save_r27_through_r" first) "memd(r30+#-" place ") = r" pair "\n"
#define LOAD_27(first, pair, place, ending) \
    ENTRY("__restore_r27_through_r" first ending) "r" pair " = memd(r30+#-" place ")\n"
#define LOADS_27(ending)                        \
    LOAD_27("16", "17:16", "48", ending)        \
    LOAD_27("18", "19:18", "40", ending)        \
    LOAD_27("20", "21:20", "32", ending)        \
    LOAD_27("22", "23:22", "24", ending)        \
    LOAD_27("24", "25:24", "16", ending)        \
    ENTRY("__restore_r27_through_r26" ending)

#define RETURN "_and_deallocframe"
#define SIBLING_CALL "_and_deallocframe_before_sibcall"
#define TAIL_CALL "_and_deallocframe_before_tailcall"

__asm__(".text\n.p2align 4\n"
        SAVE("27", "27:26", "48") SAVE("25", "25:24", "40") SAVE("23", "23:22", "32")
        SAVE("21", "21:20", "24") SAVE("19", "19:18", "16")
        ENTRY("__save_r16_through_r17") "{ memd(r30+#-8) = r17:16\n jumpr r31 }\n"
        LOADS(RETURN) "{ r17:16 = memd(r30+#-8)\n dealloc_return }\n"
        LOADS(TAIL_CALL) "{ r17:16 = memd(r30+#-8)\n deallocframe\n jumpr r31 }\n"
        ENTRY("__save_r24_through_r27") "memd(r30+#-16) = r27:26\n"
        ENTRY("__save_r24_through_r25") "{ memd(r30+#-8) = r25:24\n jumpr r31 }\n"
        LOADS_24(RETURN) "{ r25:24 = memd(r30+#-8)\n dealloc_return }\n"
        LOADS_24(TAIL_CALL) "{ r25:24 = memd(r30+#-8)\n deallocframe\n jumpr r31 }\n"
        SAVE_27("16", "17:16", "48") SAVE_27("18", "19:18", "40") SAVE_27("20", "21:20", "32")
        SAVE_27("22", "23:22", "24") SAVE_27("24", "25:24", "16")
        "{ memd(r30+#-8) = r27:26\n jumpr r31 }\n"
        LOADS_27(RETURN) "{ r27:26 = memd(r30+#-8)\n dealloc_return }\n"
        LOADS_27(SIBLING_CALL) "{ r27:26 = memd(r30+#-8)\n deallocframe\n jumpr r31 }\n"
        ENTRY("__deallocframe") "dealloc_return\n");

#define RANGES(row)                                                                 \
    row(r16_through_r17), row(r16_through_r19), row(r16_through_r21),               \
    row(r16_through_r23), row(r16_through_r25), row(r16_through_r27),               \
    row(r24_through_r25), row(r24_through_r27)
#define DECLARE(range)                             \
    __save_##range(void),                          \
    __restore_##range##_and_deallocframe(void),    \
    __restore_##range##_and_deallocframe_before_tailcall(void)
#define EXPORT_RANGE(range)                           \
    EXPORT(__save_##range),                           \
    EXPORT(__restore_##range##_and_deallocframe),     \
    EXPORT(__restore_##range##_and_deallocframe_before_tailcall)

#define RANGES_27(row) row(r16), row(r18), row(r20), row(r22), row(r24)
#define DECLARE_27(last) __save_r27_through_##last(void), DECLARE_RESTORE_27(last)
#define DECLARE_RESTORE_27(last)                                \
    __restore_r27_through_##last##_and_deallocframe(void),     \
    __restore_r27_through_##last##_and_deallocframe_before_sibcall(void)
#define EXPORT_27(last) EXPORT(__save_r27_through_##last), EXPORT_RESTORE_27(last)
#define EXPORT_RESTORE_27(last)                                \
    EXPORT(__restore_r27_through_##last##_and_deallocframe),  \
    EXPORT(__restore_r27_through_##last##_and_deallocframe_before_sibcall)

void RANGES(DECLARE);
void RANGES_27(DECLARE_27), DECLARE_RESTORE_27(r26), __deallocframe(void);

/* Exports a function under its newer and its older name. */
#define EXPORT_BOTH(name, function) \
    EXPORT_AS("__hexagon_" name, function), EXPORT_AS("__qdsp_" name, function)

const struct shell_symbol compiler_symbols[] = {
    RANGES(EXPORT_RANGE), RANGES_27(EXPORT_27), EXPORT_RESTORE_27(r26), EXPORT(__deallocframe),
    EXPORT_BOTH("adddf3", __hexagon_adddf3),
    EXPORT_BOTH("subdf3", __hexagon_subdf3),
    EXPORT_BOTH("muldf3", __hexagon_muldf3),
    EXPORT_BOTH("divdf3", __hexagon_divdf3),
    EXPORT_BOTH("divsf3", __hexagon_divsf3),
    EXPORT_BOTH("sqrtdf2", __hexagon_sqrtdf2),
    EXPORT_BOTH("sqrt", __hexagon_sqrtdf2),
    EXPORT_BOTH("sqrtf", __hexagon_sqrtf),
    EXPORT_BOTH("mindf3", fmin),
    EXPORT_BOTH("maxdf3", fmax),
    EXPORT_AS("__hexagon_fmadf4", fused_multiply_add),
    /* For -ffast-math. Here they are as exact as the others. */
    EXPORT_AS("__hexagon_fast_adddf3", __hexagon_adddf3),
    EXPORT_AS("__hexagon_fast_subdf3", __hexagon_subdf3),
    EXPORT_AS("__hexagon_fast_muldf3", __hexagon_muldf3),
    EXPORT_AS("__hexagon_fast_divdf3", __hexagon_divdf3),
    EXPORT_AS("__hexagon_fast_divsf3", __hexagon_divsf3),
    EXPORT_AS("__hexagon_fast_sqrtdf2", __hexagon_sqrtdf2),
    EXPORT_AS("__hexagon_fast_sqrt", __hexagon_sqrtdf2),
    EXPORT_AS("__hexagon_fast_sqrtf", __hexagon_sqrtf),
    EXPORT_AS("__hexagon_fast2_adddf3", __hexagon_adddf3),
    EXPORT_AS("__hexagon_fast2_subdf3", __hexagon_subdf3),
    EXPORT_AS("__hexagon_fast2_muldf3", __hexagon_muldf3),
    EXPORT_AS("__hexagon_fast2_divdf3", __hexagon_divdf3),
    EXPORT_AS("__hexagon_fast2_divsf3", __hexagon_divsf3),
    EXPORT_AS("__hexagon_fast2_sqrtdf2", __hexagon_sqrtdf2),
    EXPORT_AS("__hexagon_fast2_sqrt", __hexagon_sqrtdf2),
    EXPORT_AS("__hexagon_fast2_sqrtf", __hexagon_sqrtf),
    EXPORT_BOTH("divsi3", __hexagon_divsi3),
    EXPORT_BOTH("divdi3", __hexagon_divdi3),
    EXPORT_BOTH("modsi3", __hexagon_modsi3),
    EXPORT_BOTH("moddi3", __hexagon_moddi3),
    EXPORT_BOTH("udivsi3", __hexagon_udivsi3),
    EXPORT_BOTH("udivdi3", __hexagon_udivdi3),
    EXPORT_BOTH("umodsi3", __hexagon_umodsi3),
    EXPORT_BOTH("umoddi3", __hexagon_umoddi3),
    EXPORT_BOTH("memcpy_likely_aligned_min32bytes_mult8bytes",
               __hexagon_memcpy_likely_aligned_min32bytes_mult8bytes),
    EXPORT(__muldc3), EXPORT(__mulsc3), EXPORT(__divdc3), EXPORT(__divsc3),
    /* long double is double on the DSP. */
    EXPORT_AS("__mulxc3", __muldc3), EXPORT_AS("__divxc3", __divdc3),
    EXPORT_AS("__extendhfsf2", extend),
    EXPORT_AS("__truncsfhf2", truncate_single),
    EXPORT_AS("__truncdfhf2", truncate_double),
    EXPORT_END,
};
/* clang-format on */
