/* counters.c: reads of UTIMER (c31:30) and UPCYCLE (c15:14) in packets of many shapes.
 *
 * Each function in assembly reads a counter in a packet with other instructions, and returns the
 * counter. The checks compare what the other instructions do with what they do on a DSP. */
#include <stdlib.h>

#include "cases.h"
#include "HAP_perf.h"

/* Larger than the distance that a jump reaches. Code comes before it. */
static char data[9 << 20];

uint64_t cycles_low_and_high(void);
uint64_t timer_low_and_high(void);
uint64_t before_a_jump(void);
uint64_t before_a_far_jump(void);
uint64_t before_a_return(void);
uint64_t at_the_end_of_a_loop(int rounds);
uint64_t with_a_branch(int taken);
uint64_t with_a_comparison(int value);
uint64_t with_a_new_value(int value);
uint64_t with_a_call(void);
uint64_t with_a_new_value_store(int *word);
uint64_t with_short_instructions(uint64_t *both);
uint64_t with_old_value(uint64_t old, uint64_t *seen);
uint64_t into_the_link_register(void);
uint64_t registers_kept(uint32_t *kept);
uint32_t not_code(void);

/* After a branch, r3:2 has a value that tells which way it went: 1 is not taken, 2 is taken. */
__asm__(".text\n"
        "cycles_low_and_high: { r0 = c14 }\n{ r1 = c15 }\n{ jumpr r31 }\n"
        "timer_low_and_high: { r0 = c30 }\n{ r1 = c31 ; jumpr r31 }\n"
        "before_a_jump: { r1:0 = c31:30 ; jump 1f }\n { r1:0 = #0 }\n1: { jumpr r31 }\n"
        "before_a_far_jump: { r1:0 = c31:30 ; jump ##1f }\n { r1:0 = #0 }\n1: { jumpr r31 }\n"
        "before_a_return: { r1:0 = c31:30 ; jumpr r31 }\n"
        "at_the_end_of_a_loop: { r4 = #0 ; loop0(1f, r0) }\n"
        "1: { r1:0 = c15:14 ; r4 = add(r4, #1) ; nop } :endloop0\n"
        "{ r1 = r4 ; jumpr r31 }\n"
        "with_a_branch: { p0 = cmp.eq(r0, #0) ; r4 = #1 }\n"
        "{ r1:0 = c31:30 ; if (!p0) jump:nt 1f }\n"
        "{ jump 2f }\n1: { r4 = #2 }\n2: { r1 = r4 ; jumpr r31 }\n"
        "with_a_comparison: { r2 = r0 ; r4 = #1 }\n"
        "{ r1:0 = c31:30 ; p0 = cmp.gt(r2, #5); if (p0.new) jump:nt 1f }\n"
        "{ jump 2f }\n1: { r4 = #2 }\n2: { r1 = r4 ; jumpr r31 }\n"
        "with_a_new_value: { r2 = r0 ; r4 = #1 ; r6 = #7 }\n"
        "{ r1:0 = c31:30 ; r5 = r2 ; if (cmp.eq(r5.new, r6)) jump:nt 1f }\n"
        "{ jump 2f }\n1: { r4 = #2 }\n2: { r1 = r4 ; jumpr r31 }\n"
        "with_a_call: { allocframe(#0) }\n"
        "{ r3:2 = c31:30 ; call 1f }\n{ r1 = r4 ; r0 = r2 }\n{ dealloc_return }\n"
        "1: { r4 = #9 ; jumpr r31 }\n"
        "with_a_new_value_store: { r5 = r0 }\n"
        "{ r1:0 = c31:30 ; r2 = memw(r5) ; memw(r5+#4) = r2.new }\n{ jumpr r31 }\n"
        "with_short_instructions: { r6 = r0 ; r3 = #3 ; r5 = #5 }\n"
        "{ r1:0 = c31:30 ; r2 = r3 ; r4 = r5 }\n"
        "{ memw(r6) = r2 }\n{ memw(r6+#4) = r4 ; jumpr r31 }\n"
        "with_old_value: { r1:0 = c31:30 ; memd(r2) = r1:0 }\n{ jumpr r31 }\n"
        "into_the_link_register: { r5 = r31 ; r6 = r30 }\n{ r31:30 = c31:30 }\n"
        "{ r1:0 = combine(r31, r30) ; r30 = r6 ; r31 = r5 }\n{ jumpr r31 }\n"
        "registers_kept: { allocframe(#0) }\n"
        "{ r5 = ##0x12345678 ; r6 = r0 }\n{ c2 = r5 }\n{ c3 = r5 }\n{ m0 = r5 }\n{ m1 = r5 }\n"
        "{ r4 = ##0x00ff0ff0 }\n{ c4 = r4 }\n{ r28 = r5 ; r15 = r5 ; r7 = r5 }\n"
        "{ r1:0 = c15:14 }\n"
        "{ r10 = c2 }\n{ r11 = c3 }\n{ r12 = m0 }\n{ r13 = m1 }\n{ r14 = c4 }\n"
        "{ memw(r6) = r10 ; memw(r6+#4) = r11 }\n{ memw(r6+#8) = r12 ; memw(r6+#12) = r13 }\n"
        "{ memw(r6+#16) = r14 ; memw(r6+#20) = r28 }\n{ memw(r6+#24) = r15 ; memw(r6+#28) = r7 }\n"
        "{ dealloc_return }\n"
        /* the word is an instruction, but the words before it do not end a packet */
        "not_code: { r1 = add(pc, ##1f@PCREL) }\n{ r0 = memw(r1) ; jumpr r31 }\n"
        ".word 0x7f004000, 0x7f004000, 0x7f004000, 0x7f004000\n1: .word 0x681ec000\n"
        ".word 0x7f00c000\n");

static int passes(const int32_t *in, int32_t *out)
{
    const uint64_t cycles = HAP_perf_get_pcycles();
    const uint64_t until = HAP_perf_get_qtimer_count() + 19200; /* 1 ms */
    while (HAP_perf_get_qtimer_count() < until) {
    }
    CHECK(HAP_perf_get_pcycles() - cycles >= 1000000); /* 1 GHz */
    const uint64_t from = HAP_perf_get_time_us();
    HAP_timer_sleep(20000);
    const uint64_t slept = HAP_perf_get_time_us() - from;
    CHECK(slept >= 20000 && slept < 5000000);
    data[in[0]] = 1;
    out[0] = (int32_t)slept + data[in[1]];
    return 0;
}

/* Whether a read is between two others, by its low 32 bits. */
#define NOW(call)                                                       \
    do {                                                                \
        const uint32_t before_ = (uint32_t)HAP_perf_get_qtimer_count(); \
        const uint32_t read_ = (uint32_t)(call);                        \
        const uint32_t after_ = (uint32_t)HAP_perf_get_qtimer_count();  \
        CHECK(read_ - before_ <= after_ - before_);                     \
    } while (0)
#define HIGH_OF(call) ((uint32_t)((call) >> 32))

static int packets(const int32_t *in, int32_t *out)
{
    int words[2] = {77, 0};
    uint32_t shorts[2] = {0, 0};
    uint64_t seen = 0;
    (void)in;
    (void)out;
    NOW(timer_low_and_high());
    CHECK(HIGH_OF(timer_low_and_high()) == HIGH_OF(HAP_perf_get_qtimer_count()));
    CHECK(HIGH_OF(cycles_low_and_high()) == HIGH_OF(HAP_perf_get_pcycles()));
    NOW(before_a_jump());
    NOW(before_a_far_jump());
    NOW(before_a_return());
    EQUAL(HIGH_OF(at_the_end_of_a_loop(5)), 5);
    NOW(with_a_branch(0));
    EQUAL(HIGH_OF(with_a_branch(0)), 1);
    EQUAL(HIGH_OF(with_a_branch(1)), 2);
    NOW(with_a_comparison(5));
    EQUAL(HIGH_OF(with_a_comparison(5)), 1);
    EQUAL(HIGH_OF(with_a_comparison(6)), 2);
    NOW(with_a_new_value(6));
    EQUAL(HIGH_OF(with_a_new_value(6)), 1);
    EQUAL(HIGH_OF(with_a_new_value(7)), 2);
    NOW(with_a_call());
    EQUAL(HIGH_OF(with_a_call()), 9);
    NOW(with_a_new_value_store(words));
    EQUAL(words[1], 77);
    NOW(with_short_instructions((uint64_t *)shorts));
    EQUAL(shorts[0], 3);
    EQUAL(shorts[1], 5);
    NOW(with_old_value(0x123456789abcdef0, &seen));
    CHECK(seen == 0x123456789abcdef0);
    NOW(into_the_link_register());
    EQUAL(not_code(), 0x681ec000);
    return 0;
}

static int registers(const int32_t *in, int32_t *out)
{
    uint32_t kept[8];
    (void)in;
    (void)out;
    CHECK(registers_kept(kept) > 0);
    for (int i = 0; i < 8; i++) {
        EQUAL(kept[i], i == 4 ? 0x00ff0ff0 : 0x12345678);
    }
    return 0;
}

/* A barrier, which qemu does not execute, becomes a jump. Registers stay. */
uint32_t barrier(uint32_t first, uint32_t second) __attribute__((visibility("hidden")));
__asm__(".text\n.p2align 4\n.type barrier,@function\nbarrier: { barrier }\n"
        "{ r0 = add(r0,r1); jumpr r31 }\n.size barrier,.-barrier\n");

static int barriers(const int32_t *in, int32_t *out)
{
    (void)in;
    (void)out;
    EQUAL(barrier(2, 3), 5);
    EQUAL(*(const uint32_t *)(uintptr_t)barrier >> 25, 0x58 >> 1);
    return 0;
}

const struct named_case cases[] = {
    CASE(passes), CASE(packets), CASE(registers), CASE(barriers), {NULL, NULL}};
