/* reference.c: compares results of the DSP with those of this machine's C library and compiler.
 *
 *   reference N INPUTS OUTPUTS
 *
 * prints the number of results that were compared, the largest error in units in the last place, its
 * inputs in hex, the number of results that are wrong (another NaN, infinity, sign, or other bits
 * than an exact reference), and the inputs and the result of the first one of those. */
#define _GNU_SOURCE
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define REFERENCE
#include "calls.h"

typedef __int128 wide;
typedef unsigned __int128 uwide;

/* Set by a reference whose result the C standard leaves open. */
static bool open_result;

/* ---- what the C library of this machine does not have under these types ---- */

#define LEAVE_OPEN(condition)   \
    do {                        \
        if (condition) {        \
            open_result = true; \
            return 0;           \
        }                       \
    } while (0)

/* To integers: NaN and what is out of range are open. */
#define FITS(x, limit) ((x) >= -(limit) && (x) < (limit))
#define ROUNDED(name, type, real, limit, function) \
    static type name(real x)                       \
    {                                              \
        LEAVE_OPEN(!FITS(function(x), limit));     \
        return (type)function(x);                  \
    }
ROUNDED(to_long, int32_t, double, 0x1p31, rint)
ROUNDED(to_longf, int32_t, float, 0x1p31f, rintf)
ROUNDED(round_long, int32_t, double, 0x1p31, round)
ROUNDED(round_longf, int32_t, float, 0x1p31f, roundf)
ROUNDED(to_longlong, int64_t, double, 0x1p63, rint)
ROUNDED(to_longlongf, int64_t, float, 0x1p63f, rintf)
ROUNDED(round_longlong, int64_t, double, 0x1p63, round)
ROUNDED(round_longlongf, int64_t, float, 0x1p63f, roundf)

/* The conversions of compilers: what is out of range becomes the limit. */
#define CONVERSION(name, type, real, low, high, minimum, maximum)         \
    static type name(real x)                                              \
    {                                                                     \
        LEAVE_OPEN(isnan(x));                                             \
        return x < (low) ? (minimum) : x >= (high) ? (maximum) : (type)x; \
    }
CONVERSION(f_to_w, int32_t, float, -0x1p31f, 0x1p31f, INT32_MIN, INT32_MAX)
CONVERSION(d_to_w, int32_t, double, -0x1p31, 0x1p31, INT32_MIN, INT32_MAX)
CONVERSION(f_to_uw, uint32_t, float, 0, 0x1p32f, 0, UINT32_MAX)
CONVERSION(d_to_uw, uint32_t, double, 0, 0x1p32, 0, UINT32_MAX)
CONVERSION(f_to_l, int64_t, float, -0x1p63f, 0x1p63f, INT64_MIN, INT64_MAX)
CONVERSION(d_to_l, int64_t, double, -0x1p63, 0x1p63, INT64_MIN, INT64_MAX)
CONVERSION(f_to_ul, uint64_t, float, 0, 0x1p64f, 0, UINT64_MAX)
CONVERSION(d_to_ul, uint64_t, double, 0, 0x1p64, 0, UINT64_MAX)
#define MINIMUM ((wide)((uwide)1 << 127))
CONVERSION(d_to_int128, wide, double, -0x1p127, 0x1p127, MINIMUM, ~MINIMUM)
CONVERSION(d_to_uint128, uwide, double, 0, INFINITY, 0, ~(uwide)0)

static struct pair split(uwide value)
{
    return (struct pair){(uint64_t)value, (uint64_t)(value >> 64)};
}

static struct pair d_to_t(double x)
{
    return split((uwide)d_to_int128(x));
}

static struct pair d_to_ut(double x)
{
    return split(x >= 0x1p128 ? ~(uwide)0 : d_to_uint128(x));
}

static struct pair f_to_t(float x)
{
    return d_to_t(x);
}

static struct pair f_to_ut(float x)
{
    return d_to_ut(x);
}

static wide joined(struct pair parts)
{
    return (wide)((uwide)parts.high << 64 | parts.low);
}

#define FROM(name, type, real, value, conversion) \
    static real name(type value)                  \
    {                                             \
        return (real)(conversion);                \
    }
FROM(w_to_f, int32_t, float, x, x)
FROM(l_to_f, int64_t, float, x, x)
FROM(uw_to_f, uint32_t, float, x, x)
FROM(ul_to_f, uint64_t, float, x, x)
FROM(w_to_d, int32_t, double, x, x)
FROM(l_to_d, int64_t, double, x, x)
FROM(uw_to_d, uint32_t, double, x, x)
FROM(ul_to_d, uint64_t, double, x, x)
FROM(t_to_f, struct pair, float, x, joined(x))
FROM(t_to_d, struct pair, double, x, joined(x))
FROM(extend, float, double, x, x)
FROM(truncate_, double, float, x, x)
FROM(negate, double, double, x, -x)
FROM(negatef, float, float, x, -x)
FROM(is_nan, double, int32_t, x, isnan(x) ? 1 : 0)
FROM(is_infinite, double, int32_t, x, isinf(x) ? 1 : 0)

static float half_to_float(int32_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    float value = exponent == 31  ? (fraction != 0 ? NAN : INFINITY)
                  : exponent == 0 ? ldexpf((float)fraction, -24)
                                  : ldexpf((float)(fraction + 1024), exponent - 25);
    return (bits & 0x8000) != 0 ? -value : value;
}

/* Scaled so that the last place of the half is 1, rint() rounds to the half. */
static int32_t double_to_half(double x)
{
    int sign = signbit(x) ? 0x8000 : 0, exponent;
    x = fabs(x);
    if (isnan(x) || x >= 65520) {
        return sign | (isnan(x) ? 0x7e00 : 0x7c00);
    }
    frexp(x, &exponent);
    exponent = x < 0x1p-14 ? -13 : exponent;
    /* A fraction that is rounded up to the next power of two carries into the exponent. */
    return sign + (int32_t)rint(ldexp(x, 11 - exponent)) + (exponent + 13) * 1024;
}

static int32_t float_to_half(float x)
{
    return double_to_half(x);
}

#define OPERATION(name, type, sign)  \
    static type name(type a, type b) \
    {                                \
        return a sign b;             \
    }
OPERATION(add, double, +)
OPERATION(subtract, double, -)
OPERATION(multiply, double, *)
OPERATION(divide, double, /)
OPERATION(addf, float, +)
OPERATION(subtractf, float, -)
OPERATION(multiplyf, float, *)
OPERATION(dividef, float, /)

/* Division by zero and of the smallest number by -1 are open. */
#define DIVISION(name, type, sign)                                                       \
    static type name(type a, type b)                                                     \
    {                                                                                    \
        LEAVE_OPEN(b == 0 || ((type) - 1 < 0 && b == (type) - 1 && a == (type)(0 - a))); \
        return a sign b;                                                                 \
    }
DIVISION(quotient, int32_t, /)
DIVISION(rest, int32_t, %)
DIVISION(uquotient, uint32_t, /)
DIVISION(urest, uint32_t, %)
DIVISION(quotient_64, int64_t, /)
DIVISION(rest_64, int64_t, %)
DIVISION(uquotient_64, uint64_t, /)
DIVISION(urest_64, uint64_t, %)

static uint64_t both(uint32_t a, uint32_t b)
{
    LEAVE_OPEN(b == 0);
    return (uint64_t)(a % b) << 32 | a / b;
}

#define RELATION(name, type, condition) \
    static int32_t name(type a, type b) \
    {                                   \
        return (condition) ? 1 : 0;     \
    }
RELATION(equal, double, a == b)
RELATION(less, double, a < b)
RELATION(up_to, double, a <= b)
RELATION(more, double, a > b)
RELATION(from, double, a >= b)
RELATION(unordered, double, isunordered(a, b))
RELATION(equalf, float, a == b)
RELATION(lessf, float, a < b)
RELATION(up_tof, float, a <= b)
RELATION(moref, float, a > b)
RELATION(fromf, float, a >= b)
RELATION(unorderedf, float, isunordered(a, b))

static int32_t order(double a, double b)
{
    LEAVE_OPEN(isunordered(a, b));
    return a < b ? -1 : a > b ? 1 : 0;
}

static int32_t orderf(float a, float b)
{
    return order(a, b);
}

/* Only the sign of the quotient and its last three bits are defined. */
static double quotient_bits(double a, double b, int32_t *quotient_of)
{
    int whole = 0;
    double result = remquo(a, b, &whole);
    *quotient_of = whole;
    return result;
}

static float quotient_bitsf(float a, float b, int32_t *quotient_of)
{
    int whole = 0;
    float result = remquof(a, b, &whole);
    *quotient_of = whole;
    return result;
}

static long double power_of(long double base, int exponent)
{
    return powl(base, exponent);
}

static double scalb_(double x, double power)
{
    if (isnan(x) || isnan(power)) {
        return x + power;
    }
    if (isinf(power)) {
        return power > 0 ? x * power : x == 0 ? x : x / -power;
    }
    return rint(power) != power ? NAN : ldexp(x, (int)fmax(fmin(power, 65000), -65000));
}

/* Zero has the sign of the dividend: some versions of glibc return another one. */
static double remainder_(double a, double b)
{
    double result = remainder(a, b);
    return result == 0 ? copysign(result, a) : result;
}

static float remainder_f(float a, float b)
{
    float result = remainderf(a, b);
    return result == 0 ? copysignf(result, a) : result;
}

static float toward(float x, double y)
{
    return isnan(x) || isnan(y) ? NAN
           : x == y             ? (float)y
                                : nextafterf(x, y > x ? INFINITY : -INFINITY);
}

/* ---- the rows ---- */

#define ROW(number, symbol, kind, reference, exact)   \
    {symbol, kind, (void (*)(void))reference, exact},
static const struct row {
    const char *symbol;
    enum kind kind;
    void (*function)(void);
    bool exact;
} rows[] = {
#include "rows.h"
};

static bool gives_single(enum kind kind)
{
    return kind == F_F || kind == F_FF || kind == F_FFF || kind == F_FW || kind == F_FPW ||
           kind == F_FPF || kind == F_FFPW || kind == F_FD || kind == F_D || kind == F_W ||
           kind == F_L || kind == F_T;
}

static bool gives_double(enum kind kind)
{
    return kind <= D_T;
}

static bool nan_of(const struct row *row, uint64_t word)
{
    if (row->function == (void (*)(void))double_to_half ||
        row->function == (void (*)(void))float_to_half) {
        return (word & 0x7fff) > 0x7c00;
    }
    return gives_double(row->kind) ? isnan(real(word))
                                   : gives_single(row->kind) && isnan(single(word));
}

/* ---- comparison ---- */

static long double approximation(const struct row *row, const uint64_t in[3])
{
    switch (row->kind) {
    case D_D:
        return ((long double (*)(long double))row->function)(real(in[0]));
    case F_F:
        return ((long double (*)(long double))row->function)(single(in[0]));
    case D_DD:
        return ((long double (*)(long double, long double))row->function)(real(in[0]), real(in[1]));
    case F_FF:
        return ((long double (*)(long double, long double))row->function)(single(in[0]),
                                                                          single(in[1]));
    case D_DW:
        return ((long double (*)(long double, int))row->function)(real(in[0]), (int32_t)in[1]);
    case F_FW:
        return ((long double (*)(long double, int))row->function)(single(in[0]), (int32_t)in[1]);
    default: /* D_WD */
        return ((long double (*)(int, long double))row->function)((int32_t)in[0], real(in[1]));
    }
}

/* The error in units in the last place of the result's type, which has `digits` bits and smallest
 * exponent `least`; below zero for a wrong NaN, infinity or sign. The last place is that of a result of
 * at least `size`. */
static long double error_of(long double wanted, long double got, int digits, int least,
                            long double largest, long double size)
{
    if (isnan(wanted) || isnan(got)) {
        return isnan(wanted) && isnan(got) ? 0 : -1;
    }
    if (isinf(wanted) || wanted == 0) {
        return wanted == got && signbit(wanted) == signbit(got) ? 0 : -1;
    }
    if (signbit(wanted) != signbit(got) && size == 0) {
        return -1;
    }
    int exponent;
    frexpl(fmaxl(fabsl(wanted), size), &exponent);
    long double place = ldexpl(1, (exponent < least ? least : exponent) - digits);
    long double overflow = largest + ldexpl(1, ilogbl(largest) - digits);
    if (isinf(got)) { /* the next number after the largest one */
        got = copysignl(overflow * 2 - largest, got);
    }
    if (fabsl(wanted) >= overflow && fabsl(got) > largest) {
        return 0;
    }
    return fabsl(got - wanted) / place;
}

/* For functions with zeros that are no numbers of the format, what their results are compared with:
 * the terms of which lgamma() of numbers below 0 is made, and the amplitude of Bessel functions. Below
 * zero: the result is left open. */
static long double size_near_zeros(const struct row *row, const uint64_t in[3])
{
    if (strncmp(row->symbol, "lgamma", 6) == 0) {
        long double number = row->kind == F_F ? single(in[0]) : real(in[0]);
        return number < 0 ? fmaxl(1, fabsl(lgammal(-number))) : 0;
    }
    if (row->symbol[0] != 'j' && row->symbol[0] != 'y') {
        return 0;
    }
    double x = real(row->kind == D_WD ? in[1] : in[0]);
    return isinf(x) ? -1 : x == 0 ? 0 : fminl(1, sqrtl(0.63661977L / fabsl(x)));
}

static bool is_normal(const struct row *row, long double value)
{
    return gives_single(row->kind) ? isnormal((float)value) : isnormal((double)value);
}

static bool same(const struct row *row, const uint64_t wanted[2], const uint64_t got[2])
{
    if (nan_of(row, wanted[0]) && nan_of(row, got[0])) {
        return true; /* second results are open then */
    }
    bool zeros = (gives_double(row->kind) && real(wanted[0]) == 0 && real(got[0]) == 0) ||
                 (gives_single(row->kind) && single(wanted[0]) == 0 && single(got[0]) == 0);
    if (wanted[0] != got[0] &&
        !(zeros &&
          (row->function == (void (*)(void))fmax || row->function == (void (*)(void))fmin ||
           row->function == (void (*)(void))fmaxf || row->function == (void (*)(void))fminf))) {
        return false;
    }
    if (row->kind == D_DDPW || row->kind == F_FFPW) {
        int32_t a = (int32_t)wanted[1], b = (int32_t)got[1];
        return (abs(a) & 7) == (abs(b) & 7) && (a == 0 || b == 0 || (a < 0) == (b < 0));
    }
    if ((row->kind == D_DPW && !isfinite(real(wanted[0]))) ||
        (row->kind == F_FPW && !isfinite(single(wanted[0])))) {
        return true; /* the exponent of an infinity is open */
    }
    return wanted[1] == got[1];
}

int main(int count, char **arguments)
{
    if (count != 4) {
        return 2;
    }
    const struct row *row = &rows[atoi(arguments[1])];
    FILE *inputs = fopen(arguments[2], "rb"), *outputs = fopen(arguments[3], "rb");
    if (inputs == NULL || outputs == NULL) {
        return 2;
    }
    uint64_t in[3], got[2], worst[3] = {0}, first[4] = {0};
    long compared = 0, wrong = 0;
    long double largest = 0;
    while (fread(in, sizeof in, 1, inputs) == 1 && fread(got, sizeof got, 1, outputs) == 1) {
        long double error;
        if (row->exact) {
            uint64_t wanted[2];
            open_result = false;
            call(row->kind, row->function, in, wanted);
            if (open_result) {
                continue;
            }
            error = same(row, wanted, got) ? 0 : -1;
        } else {
            long double wanted = approximation(row, in);
            long double size = size_near_zeros(row, in);
            int exponent = (int32_t)in[1], steps = 1;
            if (row->kind == D_DW || row->kind == F_FW) { /* each multiplication rounds */
                steps = exponent == 0 ? 1 : abs(exponent);
                size = steps > 64 || !is_normal(row, wanted) ? -1 : 0;
            }
            if (size < 0) {
                continue;
            }
            error = gives_single(row->kind)
                        ? error_of(wanted, single(got[0]), 24, -125, 0x1.fffffep127L, size)
                        : error_of(wanted, real(got[0]), 53, -1021, 0x1.fffffffffffffp1023L, size);
            error = error < 0 ? error : error / steps;
        }
        compared++;
        if (error < 0) {
            if (wrong++ == 0) {
                memcpy(first, in, sizeof in);
                first[3] = got[0];
            }
        } else if (error > largest) {
            largest = error;
            memcpy(worst, in, sizeof in);
        }
    }
    printf("%ld %.4Lf %llx,%llx,%llx %ld %llx,%llx,%llx %llx\n", compared, largest,
           (unsigned long long)worst[0], (unsigned long long)worst[1], (unsigned long long)worst[2],
           wrong, (unsigned long long)first[0], (unsigned long long)first[1],
           (unsigned long long)first[2], (unsigned long long)first[3]);
    return 0;
}
