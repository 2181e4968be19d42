/* thunk_area.c: saves registers for thunks.
 *
 * Vectors are stored word by word through a scalar register, which takes a tenth of the time that
 * qemu takes for a vector store. */
#include "thunk_area.h"

#include <stddef.h>

#define RESET 10 /* see qfloat_v79.h */

_Static_assert(offsetof(struct thunk_area, registers) == AREA_REGISTERS, "thunk_enter knows it");
_Static_assert(offsetof(struct thunk_area, extensions) == AREA_EXTENSIONS, "thunks know it");

_Thread_local struct thunk_area thunk_area __attribute__((used));

__asm__(".text\n.globl thunk_enter,thunk_predicates,thunk_leave\n.p2align 4\nthunk_enter:\n"
        "{ memd(r29+#8) = r1:0; r0 = ugp }\n"
        "{ r0 = add(r0,##thunk_area@TPREL) }\n"
        "{ r0 = add(r0,#3072) }\n"
        "{ memd(r0+#8) = r3:2; memd(r0+#16) = r5:4 }\n"
        "{ memd(r0+#24) = r7:6; memd(r0+#32) = r9:8 }\n"
        "{ memd(r0+#40) = r11:10; memd(r0+#48) = r13:12 }\n"
        "{ memd(r0+#56) = r15:14; memd(r0+#64) = r17:16 }\n"
        "{ memw(r0+#72) = r28; r3:2 = memd(r29+#8) }\n"
        "{ memd(r0+#0) = r3:2; r2 = c4 }\n"
        "{ r3 = usr }\n"
        "{ memd(r0+#80) = r3:2; r16 = add(r0,#-2048) }\n"
        "{ jumpr r31 }\n"
        ".p2align 4\nthunk_predicates:\n"
        "{ r2 = memw(r16+#2128) }\n"
        "{ c4 = r2 }\n"
        "{ jumpr r31 }\n"
        ".p2align 4\nthunk_leave:\n"
        "{ r0 = add(r16,#2048) }\n"
        "{ r3:2 = memd(r0+#80); r5:4 = memd(r0+#16) }\n"
        "{ usr = r3 }\n"
        "{ c4 = r2; r28 = memw(r0+#72) }\n"
        "{ r7:6 = memd(r0+#24); r9:8 = memd(r0+#32) }\n"
        "{ r11:10 = memd(r0+#40); r13:12 = memd(r0+#48) }\n"
        "{ r15:14 = memd(r0+#56); r17:16 = memd(r0+#64) }\n"
        "{ r3:2 = memd(r0+#8); r1:0 = memd(r0+#0) }\n"
        "{ jumpr r31 }\n");

const int32_t thunk_reset_bits[32] __attribute__((aligned(128))) = {[0 ... 31] = RESET};

__asm__(".text\n.globl thunk_reset,thunk_copy\n.p2align 4\nthunk_reset:\n"
        "{ r2 = #10 }\n{ r3 = r2 }\n"
        ".set at,0\n"
        ".rept 8\n"
        "{ memd(r0+#at) = r3:2; memd(r0+#at+8) = r3:2 }\n"
        ".set at,at+16\n"
        ".endr\n"
        "{ jumpr r31 }\n"
        ".p2align 4\nthunk_copy:\n"
        ".set at,0\n"
        ".rept 8\n"
        "{ r3:2 = memd(r1+#at); r5:4 = memd(r1+#at+8) }\n"
        "{ memd(r0+#at) = r3:2; memd(r0+#at+8) = r5:4 }\n"
        ".set at,at+16\n"
        ".endr\n"
        "{ jumpr r31 }\n");

__asm__(".macro save_vector vector\n"
        ".p2align 4\n.globl thunk_save_\\vector\nthunk_save_\\vector:\n"
        "{ r1 = #0 }\n"
        ".set at,0\n"
        ".rept 32\n"
        "{ r2 = vextract(\\vector,r1) }\n"
        "{ memw(r0+#at) = r2; r1 = #at+4 }\n"
        ".set at,at+4\n"
        ".endr\n"
        "{ jumpr r31 }\n.endm\n"
        ".irp vector,v0,v1,v2,v3,v4,v5,v6,v7,v8,v9,v10,v11,v12,v13,v14,v15\n"
        "save_vector \\vector\n.endr\n");

#define V0_TO_V7(LIST) LIST(0) LIST(1) LIST(2) LIST(3) LIST(4) LIST(5) LIST(6) LIST(7)
#define V8_TO_V15(LIST) LIST(8) LIST(9) LIST(10) LIST(11) LIST(12) LIST(13) LIST(14) LIST(15)
#define DECLARE(n) void thunk_save_v##n(void);
#define NAME(n) thunk_save_v##n,
V0_TO_V7(DECLARE)
V8_TO_V15(DECLARE) void (*const thunk_saves[WINDOW])(void) = {V0_TO_V7(NAME) V8_TO_V15(NAME)};
