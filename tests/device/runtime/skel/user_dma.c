/* user_dma.c: copies by user DMA. */
#include "cases.h"

struct descriptor {
    uint32_t next, control;
    const void *source;
    void *destination;
    uint32_t layout, size, strides, unused;
};
#define DONE 0x80000000u
#define TWO_DIMENSIONS (1u << 24)

static uint8_t source[512], destination[512];
static struct descriptor descriptors[3] __attribute__((aligned(64)));

static void dmstart(const volatile void *first)
{
    __asm__ volatile("dmstart(%0)" ::"r"(first) : "memory");
}

static void dmlink(volatile void *tail, const volatile void *next)
{
    __asm__ volatile("dmlink(%0,%1)" ::"r"(tail), "r"(next) : "memory");
}

static int dmwait(void)
{
    int status;
    __asm__ volatile("%0 = dmwait" : "=r"(status)::"memory");
    return status;
}

static int dmpoll(void)
{
    int status;
    __asm__ volatile("%0 = dmpoll" : "=r"(status)::"memory");
    return status;
}

static void prepare(void)
{
    for (unsigned i = 0; i < sizeof source; i++) {
        source[i] = (uint8_t)(i * 7 + 1);
        destination[i] = 0;
    }
    memset(descriptors, 0, sizeof descriptors);
}

static int lines(const int32_t in[4], int32_t out[8])
{
    (void)in;
    (void)out;
    prepare();
    descriptors[0] = (struct descriptor){0, 100, source, destination, 0, 0, 0, 0};
    dmstart(&descriptors[0]);
    EQUAL(dmwait(), 0);
    CHECK(memcmp(destination, source, 100) == 0 && destination[100] == 0);
    EQUAL(descriptors[0].control, DONE | 100);

    prepare();
    for (int i = 0; i < 3; i++) {
        descriptors[i] = (struct descriptor){0, 50, source + i * 50, destination + i * 60, 0, 0,
                                             0, 0};
    }
    dmstart(&descriptors[0]);
    dmlink(&descriptors[0], &descriptors[1]);
    dmlink(&descriptors[1], &descriptors[2]);
    EQUAL(descriptors[0].next, (uintptr_t)&descriptors[1]);
    while (dmpoll() != 0) {
    }
    for (int i = 0; i < 3; i++) {
        CHECK(memcmp(destination + i * 60, source + i * 50, 50) == 0);
        EQUAL(destination[i * 60 + 50], 0);
        CHECK((descriptors[i].control & DONE) != 0);
    }
    dmlink(NULL, &descriptors[0]); /* the first of a queue has no tail */
    return dmwait();
}

static int planes(const int32_t in[4], int32_t out[8])
{
    (void)in;
    (void)out;
    for (int layout = 0; layout < 2; layout++) {
        prepare();
        /* 5 rows of 30 bytes: every 40 from the source, every 64 to the destination */
        descriptors[0] = layout == 0
                             ? (struct descriptor){0, TWO_DIMENSIONS, source,         destination,
                                                   0, 5u << 16 | 30,  40 | 64u << 16, 0}
                             : (struct descriptor){
                                   0, TWO_DIMENSIONS | 64, source,       destination,
                                   9, 5u << 24 | 30,       40u << 8 | 0, 0};
        dmstart(&descriptors[0]);
        EQUAL(dmwait(), 0);
        for (unsigned i = 0; i < sizeof destination; i++) {
            const unsigned row = i / 64, column = i % 64;
            EQUAL(destination[i], row < 5 && column < 30 ? source[row * 40 + column] : 0);
        }
    }
    return 0;
}

/* Fills registers, starts a copy, and adds them up. */
static int registers(const int32_t in[4], int32_t out[8])
{
    (void)in;
    prepare();
    descriptors[0] = (struct descriptor){0, 100, source, destination, 0, 0, 0, 0};
    int sum, status, predicates;
    __asm__ volatile(
        "{ r1 = #1; r2 = #2; r3 = #3; r4 = #4 }\n{ r5 = #5; r6 = #6; r7 = #7; r8 = #8 }\n"
        "{ r9 = #9; r10 = #10; r11 = #11; r12 = #12 }\n{ r13 = #13; r14 = #14; r15 = #15 }\n"
        "{ r16 = #16; r20 = #20; r27 = #27; r28 = #28 }\n"
        "{ p0 = cmp.eq(r1,r1); p1 = cmp.eq(r1,r2); p3 = cmp.eq(r2,r2) }\n"
        "{ dmstart(%3) }\n{ r19 = dmwait }\n"
        "{ r1 = add(r1,r2); r3 = add(r3,r4); r5 = add(r5,r6); r7 = add(r7,r8) }\n"
        "{ r9 = add(r9,r10); r11 = add(r11,r12); r13 = add(r13,r14); r15 = add(r15,r16) }\n"
        "{ r20 = add(r20,r27); r1 = add(r1,r28); r3 = add(r3,r5); r7 = add(r7,r9) }\n"
        "{ r11 = add(r11,r13); r15 = add(r15,r20) }\n"
        "{ r1 = add(r1,r3); r7 = add(r7,r11) }\n{ r1 = add(r1,r15) }\n"
        "{ %0 = add(r1,r7); %1 = r19 }\n{ %2 = c4 }\n"
        : "=&r"(sum), "=&r"(status), "=&r"(predicates)
        : "r"(&descriptors[0])
        : "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
          "r15", "r16", "r19", "r20", "r27", "r28", "p0", "p1", "p2", "p3", "memory");
    EQUAL(sum, 16 * 17 / 2 + 20 + 27 + 28);
    EQUAL(status, 0);
    EQUAL(predicates & 0xff, 0xff);
    EQUAL(predicates >> 8 & 0xff, 0);
    EQUAL((predicates >> 24) & 0xff, 0xff);
    out[0] = memcmp(destination, source, 100) == 0;
    return 0;
}

/* Does not wait. */
static int forgets(const int32_t in[4], int32_t out[8])
{
    (void)in;
    prepare();
    descriptors[0] = (struct descriptor){0, 100, source, destination, 0, 0, 0, 0};
    dmstart(&descriptors[0]);
    out[0] = destination[0];
    return dmwait();
}

static int wrong(const int32_t in[4], int32_t out[8])
{
    (void)out;
    prepare();
    descriptors[0] = (struct descriptor){0, (uint32_t)in[0], source, NULL, 0, 0, 0, 0};
    dmstart(&descriptors[0]);
    return dmwait();
}

static int endless(const int32_t in[4], int32_t out[8])
{
    (void)in;
    (void)out;
    prepare();
    descriptors[0] = (struct descriptor){
        (uint32_t)(uintptr_t)descriptors, 4, source, destination, 0, 0, 0, 0};
    dmstart(&descriptors[0]);
    return dmwait();
}

/* Copies `in[0]` bytes. */
static int sized(const int32_t *in, int32_t *out)
{
    (void)out;
    descriptors[0] = (struct descriptor){0, (uint32_t)in[0], source, destination, 0, 0, 0, 0};
    dmstart(&descriptors[0]);
    return dmwait();
}

const struct named_case cases[] = {CASE(sized),   CASE(lines), CASE(planes),  CASE(registers),
                                   CASE(forgets), CASE(wrong), CASE(endless), {NULL, NULL}};
