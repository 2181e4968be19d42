/* numbers.c: what compilers call for numbers, compared with the DSP's own instructions. */
#include <math.h>
#include <stdbool.h>

#include "cases.h"

static const double values[] = {
    0.0,  -0.0,  1.0, -1.0,     0.1,   -2.5,   3e9,     -3e9,     1e18, -1e18, 7e-40, 2e37,  -0.75,
    1e30, -1e30, NAN, INFINITY, -1e-7, 4096.5, 65535.9, 16777217, 5e14, -5e14, 0.5,   1e-300};
#define COUNT (sizeof values / sizeof values[0])

#define BOTH(result, name, ...) result __hexagon_##name(__VA_ARGS__), __qdsp_##name(__VA_ARGS__)
BOTH(int, eqdf2, double, double);
BOTH(int, nedf2, double, double);
BOTH(int, ltdf2, double, double);
BOTH(int, ledf2, double, double);
BOTH(int, gtdf2, double, double);
BOTH(int, gedf2, double, double);
BOTH(int, unorddf2, double, double);
BOTH(int, gtsf2, float, float);
BOTH(int, lesf2, float, float);
BOTH(float, addsf3, float, float);
BOTH(float, mulsf3, float, float);
BOTH(float, truncdfsf2, double);
BOTH(double, extendsfdf2, float);
BOTH(int, fixdfsi, double);
BOTH(long long, fixdfdi, double);
BOTH(unsigned, fixunsdfsi, double);
BOTH(unsigned long long, fixunssfdi, float);
BOTH(double, floatdidf, long long);
BOTH(float, floatundisf, unsigned long long);
BOTH(unsigned long long, udivmodsi4, unsigned, unsigned);

struct wide {
    unsigned long long low;
    long long high;
};
BOTH(struct wide, fixdfti, double);
BOTH(double, floattidf, struct wide);

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Like the functions themselves, their instructions give the limits for what is out of range. */
#define INSTRUCTION(result, name, argument, text) \
    static result name(argument value)            \
    {                                             \
        result is;                                \
        __asm__(text : "=r"(is) : "r"(value));    \
        return is;                                \
    }
INSTRUCTION(int, to_int, double, "%0 = convert_df2w(%1):chop")
INSTRUCTION(unsigned, to_unsigned, double, "%0 = convert_df2uw(%1):chop")
INSTRUCTION(long long, to_long, double, "%0 = convert_df2d(%1):chop")

static int operations(const int32_t *in, int32_t *out)
{
    (void)in;
    (void)out;
    for (unsigned i = 0; i < COUNT * COUNT; i++) {
        volatile double a = values[i / COUNT], b = values[i % COUNT];
        volatile float x = (float)a, y = (float)b;
        EQUAL(__hexagon_eqdf2(a, b) == 0, a == b);
        EQUAL(__hexagon_nedf2(a, b) != 0, a != b);
        EQUAL(__qdsp_ltdf2(a, b) < 0, a < b);
        EQUAL(__hexagon_ledf2(a, b) <= 0, a <= b);
        EQUAL(__hexagon_gtdf2(a, b) > 0, a > b);
        EQUAL(__qdsp_gedf2(a, b) >= 0, a >= b);
        EQUAL(__hexagon_unorddf2(a, b) != 0, isnan(a) || isnan(b));
        EQUAL(__hexagon_gtsf2(x, y) > 0, x > y);
        EQUAL(__qdsp_lesf2(x, y) <= 0, x <= y);
        CHECK(same(__hexagon_addsf3(x, y), x + y) && same(__qdsp_mulsf3(x, y), x * y));
    }
    return 0;
}

static int conversions(const int32_t *in, int32_t *out)
{
    (void)in;
    (void)out;
    for (unsigned i = 0; i < COUNT; i++) {
        volatile double a = values[i];
        volatile float x = (float)a;
        CHECK(same(__hexagon_truncdfsf2(a), x) && same(__qdsp_extendsfdf2(x), (double)x));
        if (!isnan(a)) {
            EQUAL(__hexagon_fixdfsi(a), to_int(a));
            EQUAL(__qdsp_fixdfdi(a), to_long(a));
            EQUAL(__hexagon_fixunsdfsi(a), to_unsigned(a));
        }
        if (fabs(a) < 1e18) {
            struct wide wide = __hexagon_fixdfti(a);
            EQUAL(wide.low, to_long(a));
            EQUAL(wide.high, to_long(a) < 0 ? -1 : 0);
            CHECK(same(__qdsp_floattidf(wide), (double)to_long(a)));
            CHECK(same(__hexagon_floatdidf(to_long(a)), (double)to_long(a)));
        }
    }
    struct wide large = __qdsp_fixdfti(-0x1.8p100), round = {3, 1ll << 53};
    CHECK(large.low == 0 && large.high == -(3ll << 35));
    CHECK(__hexagon_floattidf(large) == -0x1.8p100 && __hexagon_floattidf(round) == 0x1p117);
    round.low = 1ull << 63, round.high |= 1;
    CHECK(__hexagon_floattidf(round) == 0x1.00000000000008p117 + 0x1p65);
    EQUAL(__hexagon_fixunssfdi(0x1p63f), 0x8000000000000000ull);
    CHECK(__hexagon_floatundisf(~0ull) == 0x1p64f);
    EQUAL(__qdsp_udivmodsi4(100, 7), 2ull << 32 | 14);
    long long quotient = 1000000000007, rest = 1000;
    __asm__("{ r1:0 = %0; r3:2 = %1 }\n call __hexagon_udivmoddi4\n { %0 = r1:0; %1 = r3:2 }"
            : "+r"(quotient), "+r"(rest)
            :
            : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12",
              "r13", "r14", "r15", "r28", "r31", "p0", "p1", "p2", "p3", "memory");
    EQUAL(quotient, 1000000000);
    EQUAL(rest, 7);
    return 0;
}

/* ---- cycles ---- */

void hexagon_reg_init_timer(void), hexagon_reg_start_timer(void), hexagon_reg_end_timer(void);
void hexagon_reg_show_timer(void *);
unsigned long long q6reg_read_pcycles(void);
unsigned q6reg_read_rev(void);

static int cycles(const int32_t *in, int32_t *out)
{
    (void)in;
    hexagon_reg_init_timer();
    hexagon_reg_start_timer();
    unsigned long long before = q6reg_read_pcycles();
    while (q6reg_read_pcycles() < before + 100000) {
    }
    hexagon_reg_end_timer();
    hexagon_reg_show_timer(NULL);
    out[0] = (int32_t)q6reg_read_rev();
    return 0;
}

const struct named_case cases[] = {
    CASE(operations),
    CASE(conversions),
    CASE(cycles),
    {NULL, NULL},
};
