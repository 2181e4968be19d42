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

/* ---- qdouble ---- */

typedef long long qdouble;
typedef struct {
    long long mantissa;
    int exponent;
} qldouble;
qdouble toqdouble(double), qd_add(qdouble, qdouble), dsub(qdouble, qdouble), dmpy(qdouble, qdouble);
qdouble qd_div(qdouble, qdouble), qd_sqrt(qdouble), qd_neg(qdouble), qd_fabs(qdouble);
qdouble create_qdouble_li(long long, int), create_qdouble(void), fast2_f2qd(float);
qdouble fast2_dadd(qdouble, qdouble), fast2_drecip(qdouble), drecipsqrt(qdouble);
float fast2_qd2f(qdouble);
double todouble(qdouble), fast2_qld2d(qldouble);
int qd_lt(qdouble, qdouble), qd_gt(qdouble, qdouble), get_exp_qd(qdouble);
void set_exp_qd(qdouble *, int);
qldouble fast2_d2qld(double), fast2_ldadd(qldouble, qldouble), fast2_ldmpy(qldouble, qldouble);
qldouble fast2_ldsub(qldouble, qldouble), fast2_ldrecip(qldouble), fast2_ldrecipsqrt(qldouble);
extern const unsigned char recipTable_qd[], recipsqrtTable_qd[];

/* A qdouble has 48 bits, one of them the sign; an operation loses up to two more. */
static bool near_to(double is, double wanted, double scale)
{
    return fabs(is - wanted) <= scale * 0x1p-44;
}

static int qdoubles(const int32_t *in, int32_t *out)
{
    (void)in;
    (void)out;
    EQUAL(toqdouble(1.0), 0x4000000000000001);
    EQUAL(toqdouble(-3.0), (long long)0xa000000000000002);
    EQUAL(create_qdouble(), 0x8000);
    EQUAL(create_qdouble_li(0x6000000000000000, -2), 0x600000000000fffe);
    EQUAL(fast2_f2qd(2.5f), 0x5000000000000002);
    CHECK(todouble(0x600000000000fffe) == 0.1875 && fast2_qd2f(0x5000000000000002) == 2.5f);
    for (unsigned i = 0; i < COUNT * COUNT; i++) {
        double a = values[i / COUNT], b = values[i % COUNT];
        if (!(fabs(a) < 1e100 && fabs(b) < 1e100) || a == 1e-300 || b == 1e-300) {
            continue;
        }
        qdouble p = toqdouble(a), q = toqdouble(b);
        qldouble s = fast2_d2qld(a), t = fast2_d2qld(b);
        double larger = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
        CHECK(near_to(todouble(p), a, fabs(a)) && fast2_qld2d(s) == a);
        CHECK(near_to(todouble(qd_add(p, q)), a + b, larger));
        CHECK(near_to(todouble(dsub(p, q)), a - b, larger));
        CHECK(near_to(todouble(dmpy(p, q)), a * b, fabs(a * b)));
        CHECK(near_to(fast2_qld2d(fast2_ldadd(s, t)), a + b, larger * 0x1p-8));
        CHECK(near_to(fast2_qld2d(fast2_ldsub(s, t)), a - b, larger * 0x1p-8));
        CHECK(near_to(fast2_qld2d(fast2_ldmpy(s, t)), a * b, fabs(a * b) * 0x1p-8));
        if (b != 0) {
            CHECK(near_to(todouble(qd_div(p, q)), a / b, fabs(a / b)));
            CHECK(near_to(fast2_qld2d(fast2_ldrecip(t)), 1 / b, fabs(1 / b) * 0x1p-8));
            CHECK(near_to(todouble(fast2_drecip(q)), 1 / b, fabs(1 / b)));
        }
        if (a > 0) {
            CHECK(near_to(todouble(qd_sqrt(p)), sqrt(a), sqrt(a)));
            CHECK(near_to(todouble(drecipsqrt(p)), 1 / sqrt(a), 1 / sqrt(a)));
            CHECK(near_to(fast2_qld2d(fast2_ldrecipsqrt(s)), 1 / sqrt(a), 0x1p-8 / sqrt(a)));
        }
        CHECK(near_to(todouble(qd_neg(p)), -a, fabs(a)));
        CHECK(near_to(todouble(qd_fabs(p)), fabs(a), fabs(a)));
        if (fabs(a - b) > larger * 0x1p-40) {
            EQUAL(qd_lt(p, q), a < b ? -1 : 0);
            EQUAL(qd_gt(p, q), a > b);
        }
    }
    qdouble eight = toqdouble(8.0);
    EQUAL(get_exp_qd(eight), 4);
    set_exp_qd(&eight, -1);
    CHECK(todouble(eight) == 0.25);
    EQUAL(dmpy(create_qdouble_li(1ll << 63, 0), create_qdouble_li(1ll << 63, 0)) >> 16,
          0x7fffffffffff);
    EQUAL(fast2_dadd(toqdouble(1.5), toqdouble(-1.5)), 0x8001);
    EQUAL(fast2_drecip(0x8000), 0x4000000000007ff0);
    EQUAL(recipTable_qd[0] > 250 && recipTable_qd[255] == 0, 1);
    EQUAL(recipsqrtTable_qd[0], (int)((0.5 / sqrt(0.5 + 0.5 / 512) - 0.5) * 512));
    return 0;
}

/* ---- circular and bit-reversed addresses ---- */

#define UPDATE(name) unsigned __builtinfunction_##name
UPDATE(circular_update4_for_load)(unsigned, int, int);
UPDATE(circular_update2I_for_store)(unsigned, int);
UPDATE(circular_update8I_for_load)(unsigned, int);
UPDATE(bitreverse)(unsigned);
UPDATE(bitrev_update4_for_load)(unsigned, int);
int __builtin_mr_assignment(int);
void hexagon_memcpy_forward_vp4cp4n2(volatile int *, const int *, unsigned);

static int addresses(const int32_t *in, int32_t *out)
{
    (void)in;
    const unsigned start = 0x10040;     /* a multiple of 2**(K + 2) */
    const int words = 4 << 24 | 10 * 4; /* K = 4: up to 64 bytes; 10 of 4 bytes */
    unsigned at = start;
    for (int i = 1; i <= 25; i++) {
        at = __builtinfunction_circular_update4_for_load(at, words, 12);
        EQUAL(at, start + (unsigned)(i * 3 % 10) * 4);
    }
    for (int i = 1; i <= 25; i++) {
        at = __builtinfunction_circular_update4_for_load(at, words, -12);
        EQUAL(at, start + (unsigned)((75 + 7 * i) % 10) * 4);
    }
    int halves = __builtin_mr_assignment((int)(3u << 24 | 12u * 2 | 5u << 17));
    int back = (int)(3u << 24 | 3u * 8 | 127u << 17 | 15u << 28);
    EQUAL(__builtinfunction_circular_update2I_for_store(start + 8 * 2, halves), start + 2);
    EQUAL(__builtinfunction_circular_update8I_for_load(start, back), start + 16);
    EQUAL(__builtinfunction_bitreverse(0x12340001), 0x12348000);
    unsigned reversed = __builtinfunction_bitreverse(start);
    EQUAL(__builtinfunction_bitrev_update4_for_load(reversed, 1 << 12), start + (1 << 12));
    static const int from[4] = {1, 2, 3, 4};
    hexagon_memcpy_forward_vp4cp4n2(out, from, 3);
    EQUAL(out[2], 3);
    EQUAL(out[3], 0);
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
    CASE(operations), CASE(conversions), CASE(qdoubles),
    CASE(addresses),  CASE(cycles),      {NULL, NULL},
};
