/* stand_ins.h: functions that the C library of this machine does not have under these types. */
#ifndef STAND_INS_H
#define STAND_INS_H

#include <math.h>
#include <stdbool.h>

#include "calls.h"

typedef __int128 wide;
typedef unsigned __int128 uwide;

/* Set by a reference whose result the C standard leaves open. */
static bool open_result;

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

#endif
