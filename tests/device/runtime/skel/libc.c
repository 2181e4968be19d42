/* libc.c: the C library as skels use it: sorting, numbers, text, jumps and output. */
#include <complex.h>
#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"

static int by_value(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static int sort_and_print(const int32_t *in, int32_t *out)
{
    memcpy(out, in, 4 * sizeof *in);
    qsort(out, 4, sizeof *out, by_value);
    CHECK(bsearch(&out[2], out, 4, sizeof *out, by_value) == &out[2]);
    printf("sorted %d %d %d %d of %lld, %.2f%s", out[0], out[1], out[2], out[3], 1ll << 40, 2.5,
           "\nand a second line\n");
    return 0;
}

static int print_list(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vprintf(format, list);
    va_end(list);
    return length;
}

static int print_pieces(const int32_t *in, int32_t *out)
{
    (void)in;
    (void)out;
    EQUAL(printf("one %s", "line"), 8);
    EQUAL(putchar(','), ',');
    CHECK(puts(" ended by puts") >= 0);
    CHECK(puts("") >= 0);
    EQUAL(print_list("%d%c\n", 42, '!'), 4);
    for (int i = 0; i < 1500; i++) {
        putchar('x');
    }
    putchar('\n');
    printf("no newline at the end of the call");
    return 0;
}

static int print_to(char **to, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vasprintf(to, format, list);
    va_end(list);
    return length;
}

static int text(const int32_t *in, int32_t *out)
{
    char buffer[64], *end = NULL, *copy = strdup("copied");
    void *block = NULL;
    (void)in;
    (void)out;
    CHECK(copy != NULL && strcmp(copy, "copied") == 0);
    free(copy);
    EQUAL(sprintf(buffer, "%d %lld %.1f %s", 1, 2ll, 3.0, "four"), 12);
    CHECK(strcmp(buffer, "1 2 3.0 four") == 0);
    EQUAL(print_to(&copy, "%s has %d", "it", 9), 8);
    CHECK(strcmp(copy, "it has 9") == 0);
    free(copy);
    EQUAL(posix_memalign(&block, 256, 100), 0);
    CHECK(block != NULL && (uintptr_t)block % 256 == 0);
    free(block);
    CHECK(posix_memalign(&block, 3, 100) != 0);
    EQUAL(strtol("-0x10rest", &end, 0), -16);
    CHECK(strcmp(end, "rest") == 0);
    EQUAL(strtoll("9000000000", NULL, 10), 9000000000ll);
    CHECK(strtod("2.5e3", NULL) == 2500.0 && strtof("0.5", NULL) == 0.5f && atof("-1") == -1.0);
    CHECK(strcasecmp("Hexagon", "hEXAGON") == 0 && memchr("abc", 'c', 3) != NULL);
    CHECK(strspn("aab", "a") == 2 && strcspn("aab", "b") == 2 && strrchr("a/b/c", '/')[1] == 'c');
    strcpy(buffer, "a");
    CHECK(strcmp(strcat(buffer, "b"), "ab") == 0 && strcmp(strncat(buffer, "cd", 1), "abc") == 0);
    CHECK(isalpha('x') && !isdigit('x') && toupper('x') == 'X' && tolower('X') == 'x');
    return 0;
}

static int numbers(const int32_t *in, int32_t *out)
{
    int exponent, quotient;
    double whole;
    (void)out;
    srand((unsigned)in[0]);
    int first = rand();
    srand((unsigned)in[0]);
    EQUAL(rand(), first);
    CHECK(div(7, 2).rem == 1 && lldiv(-7, 2).quot == -3 && labs(-3) == 3);
    CHECK(fma(2.0, 3.0, 4.0) == 10.0 && fmaf(2.0f, 3.0f, 4.0f) == 10.0f);
    CHECK(fmod(7.5, 2.0) == 1.5 && hypot(3.0, 4.0) == 5.0 && cbrt(27.0) == 3.0);
    CHECK(log2(8.0) == 3.0 && log2f(8.0f) == 3.0f && exp2(3.0) == 8.0 && sqrtl(4.0L) == 2.0L);
    CHECK(frexp(8.0, &exponent) == 0.5 && exponent == 4 && modf(2.5, &whole) == 0.5);
    CHECK(remquo(7.0, 2.0, &quotient) == -1.0 && (quotient & 7) == 4 && round(-2.5) == -3.0);
    CHECK(copysign(1.0, -0.0) == -1.0 && fmax(1.0, NAN) == 1.0 && fminf(1.0f, 2.0f) == 1.0f);
    CHECK(erf(0.0) == 0.0 && tgamma(5.0) == 24.0 && lround(2.5) == 3);
    double complex z = 3.0 + 4.0 * I;
    CHECK(cabs(z) == 5.0 && creal(conj(z)) == 3.0 && cimag(conj(z)) == -4.0);
    CHECK(crealf(csqrtf(-4.0f)) == 0.0f && cimagf(csqrtf(-4.0f)) == 2.0f);
    return 0;
}

static jmp_buf back;

__attribute__((noinline)) static void leave(int how)
{
    longjmp(back, how);
}

static int jumps(const int32_t *in, int32_t *out)
{
    volatile int calls = 0;
    int how = setjmp(back);
    calls++;
    if (how == 0) {
        leave(in[0]);
    }
    out[0] = how;
    EQUAL(calls, 2);
    return 0;
}

/* ---- helper routines of functions that are compiled for size ---- */

/* Two functions that let the shell save registers, change these, and return in both ways. */
#define RANGE(range, change)                                                            \
    __asm__("frame_" #range ": allocframe(#48)\n call __save_" #range "\n" change       \
            "jump __restore_" #range "_and_deallocframe\n"                              \
            "tail_" #range ": allocframe(#48)\n call __save_" #range "\n" change        \
            "call __restore_" #range "_and_deallocframe_before_tailcall\n jumpr r31\n")
#define CHANGE(pair) "r" pair " = combine(#0, #0)\n"
#define TO_17 CHANGE("17:16")
#define TO_19 TO_17 CHANGE("19:18")
#define TO_21 TO_19 CHANGE("21:20")
#define TO_23 TO_21 CHANGE("23:22")
#define TO_25 TO_23 CHANGE("25:24")
RANGE(r16_through_r17, TO_17);
RANGE(r16_through_r19, TO_19);
RANGE(r16_through_r21, TO_21);
RANGE(r16_through_r23, TO_23);
RANGE(r16_through_r25, TO_25);
RANGE(r16_through_r27, TO_25 CHANGE("27:26"));
RANGE(r24_through_r25, CHANGE("25:24"));
RANGE(r24_through_r27, CHANGE("25:24") CHANGE("27:26"));

/* Calls the function with 16 to 27 in the registers r16 to r27, and reads them afterwards. */
#define CALL(function)                                                                         \
    do {                                                                                       \
        static int64_t kept_[6];                                                               \
        register int64_t *to_ __asm__("r0") = kept_;                                           \
        __asm__ volatile(                                                                      \
            "r17:16 = combine(#17, #16)\n r19:18 = combine(#19, #18)\n"                        \
            "r21:20 = combine(#21, #20)\n r23:22 = combine(#23, #22)\n"                        \
            "r25:24 = combine(#25, #24)\n r27:26 = combine(#27, #26)\n call " function "\n"    \
            "memd(r0+#0) = r17:16\n memd(r0+#8) = r19:18\n memd(r0+#16) = r21:20\n"            \
            "memd(r0+#24) = r23:22\n memd(r0+#32) = r25:24\n memd(r0+#40) = r27:26\n"          \
            : "+r"(to_)::"r14", "r15", "r16", "r17", "r18", "r19", "r20", "r21", "r22", "r23", \
              "r24", "r25", "r26", "r27", "r28", "r31", "memory");                             \
        for (int i_ = 0; i_ < 6; i_++) {                                                       \
            EQUAL(kept_[i_], (long long)(17 + 2 * i_) << 32 | (16 + 2 * i_));                  \
        }                                                                                      \
    } while (0)
#define CALL_RANGE(range)  \
    CALL("frame_" #range); \
    CALL("tail_" #range)

static int saved_registers(const int32_t *in, int32_t *out)
{
    (void)in;
    (void)out;
    CALL_RANGE(r16_through_r17);
    CALL_RANGE(r16_through_r19);
    CALL_RANGE(r16_through_r21);
    CALL_RANGE(r16_through_r23);
    CALL_RANGE(r16_through_r25);
    CALL_RANGE(r16_through_r27);
    CALL_RANGE(r24_through_r25);
    CALL_RANGE(r24_through_r27);
    return 0;
}

/* The functions that compilers call with -ffast-math, and their older names. */
double __hexagon_fast_divdf3(double, double), __hexagon_fast2_sqrtdf2(double);
double __qdsp_muldf3(double, double), __hexagon_fmadf4(double, double, double);
double __hexagon_maxdf3(double, double);
float __hexagon_fast2_sqrtf(float), __hexagon_fast_divsf3(float, float);
long long __qdsp_moddi3(long long, long long);

static int helpers(const int32_t *in, int32_t *out)
{
    (void)in;
    (void)out;
    CHECK(__hexagon_fast_divdf3(1.0, 4.0) == 0.25 && __hexagon_fast2_sqrtdf2(6.25) == 2.5);
    CHECK(__qdsp_muldf3(1.5, 4.0) == 6.0 && __hexagon_fmadf4(2.0, 3.0, 4.0) == 10.0);
    CHECK(__hexagon_maxdf3(1.0, 2.0) == 2.0 && __hexagon_fast2_sqrtf(4.0f) == 2.0f);
    CHECK(__hexagon_fast_divsf3(1.0f, 4.0f) == 0.25f);
    EQUAL(__qdsp_moddi3(-7, 4), -3);
    return 0;
}

const struct named_case cases[] = {
    CASE(sort_and_print), CASE(print_pieces),    CASE(text),    CASE(numbers),
    CASE(jumps),          CASE(saved_registers), CASE(helpers), {NULL, NULL},
};
