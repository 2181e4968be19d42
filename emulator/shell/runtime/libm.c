/* libm.c: the mathematical functions that DSP shells export to skels, from musl.
 *
 * long double is the same as double in both C libraries. */
#define _GNU_SOURCE
#include <complex.h>
#include <float.h>
#include <math.h>

#include "runtime.h"

/* Functions in the DSP's C library, macros in standard C. */
static int is_nan(double x)
{
    return isnan(x);
}

static int is_infinite(double x)
{
    return isinf(x);
}

/* Logarithms that lose digits of subnormal numbers in the library that the shell is linked with. */
static double log2_of(double x)
{
    return x > 0 && x < 0x1p-1022 ? log2(x * 0x1p52) - 52 : log2(x);
}

static double log10_of(double x)
{
    return x > 0 && x < 0x1p-1022 ? log10(x * 0x1p52) - 52 * log10(2) : log10(x);
}

static float log2_of_single(float x)
{
    return (float)log2((double)x);
}

static float log10_of_single(float x)
{
    return (float)log10((double)x);
}

/* musl's returns a number for some arguments below 1. */
static double acosh_of(double x)
{
    return x < 1 ? (x - x) / (x - x) : acosh(x);
}

static float acosh_of_single(float x)
{
    return x < 1 ? (x - x) / (x - x) : acoshf(x);
}

/* musl's loses all digits of floats near its zeros below 0. */
static float lgamma_of_single(float x)
{
    return (float)lgamma((double)x);
}

/* musl's adds 0 to the product, which changes the sign of one that is rounded to -0. */
double fused_multiply_add(double x, double y, double z)
{
    return z == 0 && x != 0 && y != 0 ? x * y : fma(x, y, z);
}

/* ---- what the DSP's headers put into code instead of log10() and sin() ---- */

static double log_of(double x, int decimal)
{
    return decimal == 0 ? log(x) : decimal == 1 ? log10_of(x) : log2_of(x);
}

static float log_of_single(float x, int decimal)
{
    return decimal == 0 ? logf(x) : decimal == 1 ? log10_of_single(x) : log2_of_single(x);
}

/* The sine of x + quadrants * pi/2. */
static double sine(double x, unsigned int quadrants)
{
    double value = (quadrants & 1u) == 0 ? sin(x) : cos(x);
    return (quadrants & 2u) == 0 ? value : -value;
}

static float sine_single(float x, unsigned int quadrants)
{
    float value = (quadrants & 1u) == 0 ? sinf(x) : cosf(x);
    return (quadrants & 2u) == 0 ? value : -value;
}

/* What the macros of <float.h> read. Each number has 16 bytes, with the value at their start. */
union real {
    uint16_t words[8];
    float single;
    double real;
};
struct limits {
    int digits, mantissa_digits, max_10_exponent, max_exponent, min_10_exponent, min_exponent;
    union real epsilon, max, min;
};

static const struct limits limits = {
    DBL_DIG,     DBL_MANT_DIG,          DBL_MAX_10_EXP,    DBL_MAX_EXP,       DBL_MIN_10_EXP,
    DBL_MIN_EXP, {.real = DBL_EPSILON}, {.real = DBL_MAX}, {.real = DBL_MIN},
};
static const struct limits single_limits = {
    FLT_DIG,
    FLT_MANT_DIG,
    FLT_MAX_10_EXP,
    FLT_MAX_EXP,
    FLT_MIN_10_EXP,
    FLT_MIN_EXP,
    {.single = FLT_EPSILON},
    {.single = FLT_MAX},
    {.single = FLT_MIN},
};

/* clang-format off */
const struct shell_symbol libm_symbols[] = {
    /* For double, float and long double. */
    EXPORT(acos), EXPORT(acosf), EXPORT(acosl),
    EXPORT_AS("acosh", acosh_of), EXPORT_AS("acoshf", acosh_of_single), EXPORT_AS("acoshl", acosh_of),
    EXPORT(asin), EXPORT(asinf), EXPORT(asinl),
    EXPORT(asinh), EXPORT(asinhf), EXPORT(asinhl),
    EXPORT(atan), EXPORT(atanf), EXPORT(atanl),
    EXPORT(atan2), EXPORT(atan2f), EXPORT(atan2l),
    EXPORT(atanh), EXPORT(atanhf), EXPORT(atanhl),
    EXPORT(cbrt), EXPORT(cbrtf), EXPORT(cbrtl),
    EXPORT(ceil), EXPORT(ceilf), EXPORT(ceill),
    EXPORT(copysign), EXPORT(copysignf), EXPORT(copysignl),
    EXPORT(cos), EXPORT(cosf), EXPORT(cosl),
    EXPORT(cosh), EXPORT(coshf), EXPORT(coshl),
    EXPORT(erf), EXPORT(erff), EXPORT(erfl),
    EXPORT(erfc), EXPORT(erfcf), EXPORT(erfcl),
    EXPORT(exp), EXPORT(expf), EXPORT(expl),
    EXPORT(exp2), EXPORT(exp2f), EXPORT(exp2l),
    EXPORT(expm1), EXPORT(expm1f), EXPORT(expm1l),
    EXPORT(fabs), EXPORT(fabsf), EXPORT(fabsl),
    EXPORT(fdim), EXPORT(fdimf), EXPORT(fdiml),
    EXPORT(floor), EXPORT(floorf), EXPORT(floorl),
    EXPORT_AS("fma", fused_multiply_add), EXPORT(fmaf),
    EXPORT(fmax), EXPORT(fmaxf), EXPORT(fmaxl),
    EXPORT(fmin), EXPORT(fminf), EXPORT(fminl),
    EXPORT(fmod), EXPORT(fmodf), EXPORT(fmodl),
    EXPORT(frexp), EXPORT(frexpf), EXPORT(frexpl),
    EXPORT(hypot), EXPORT(hypotf), EXPORT(hypotl),
    EXPORT(ilogb), EXPORT(ilogbf), EXPORT(ilogbl),
    EXPORT(ldexp), EXPORT(ldexpf), EXPORT(ldexpl),
    EXPORT(lgamma), EXPORT_AS("lgammaf", lgamma_of_single), EXPORT(lgammal),
    EXPORT(llrint), EXPORT(llrintf), EXPORT(llrintl),
    EXPORT(llround), EXPORT(llroundf), EXPORT(llroundl),
    EXPORT(log), EXPORT(logf), EXPORT(logl),
    EXPORT_AS("log10", log10_of), EXPORT_AS("log10f", log10_of_single), EXPORT_AS("log10l", log10_of),
    EXPORT(log1p), EXPORT(log1pf), EXPORT(log1pl),
    EXPORT_AS("log2", log2_of), EXPORT_AS("log2f", log2_of_single), EXPORT_AS("log2l", log2_of),
    EXPORT(logb), EXPORT(logbf), EXPORT(logbl),
    EXPORT(lrint), EXPORT(lrintf), EXPORT(lrintl),
    EXPORT(lround), EXPORT(lroundf), EXPORT(lroundl),
    EXPORT(modf), EXPORT(modff), EXPORT(modfl),
    EXPORT(nan), EXPORT(nanf), EXPORT(nanl),
    EXPORT(nearbyint), EXPORT(nearbyintf), EXPORT(nearbyintl),
    EXPORT(nextafter), EXPORT(nextafterf), EXPORT(nextafterl),
    EXPORT(nexttoward), EXPORT(nexttowardf), EXPORT(nexttowardl),
    EXPORT(pow), EXPORT(powf), EXPORT(powl),
    EXPORT(remainder), EXPORT(remainderf), EXPORT(remainderl),
    EXPORT(remquo), EXPORT(remquof), EXPORT(remquol),
    EXPORT(rint), EXPORT(rintf), EXPORT(rintl),
    EXPORT(round), EXPORT(roundf), EXPORT(roundl),
    EXPORT(scalbln), EXPORT(scalblnf), EXPORT(scalblnl),
    EXPORT(scalbn), EXPORT(scalbnf), EXPORT(scalbnl),
    EXPORT(sin), EXPORT(sinf), EXPORT(sinl),
    EXPORT(sinh), EXPORT(sinhf), EXPORT(sinhl),
    EXPORT(sqrt), EXPORT(sqrtf), EXPORT(sqrtl),
    EXPORT(tan), EXPORT(tanf), EXPORT(tanl),
    EXPORT(tanh), EXPORT(tanhf), EXPORT(tanhl),
    EXPORT(tgamma), EXPORT(tgammaf), EXPORT(tgammal),
    EXPORT(trunc), EXPORT(truncf), EXPORT(truncl),
    EXPORT(exp10f), EXPORT(scalb),
    EXPORT(j0), EXPORT(j1), EXPORT(jn), EXPORT(y0), EXPORT(y1), EXPORT(yn),
    EXPORT_AS("isnan", is_nan), EXPORT_AS("isinf", is_infinite),
    EXPORT_AS("__sqrtf", sqrtf),
    /* For complex double, float and long double. */
    EXPORT(cabs), EXPORT(cabsf), EXPORT(cabsl),
    EXPORT(cacos), EXPORT(cacosf), EXPORT(cacosl),
    EXPORT(cacosh), EXPORT(cacoshf), EXPORT(cacoshl),
    EXPORT(carg), EXPORT(cargf), EXPORT(cargl),
    EXPORT(casin), EXPORT(casinf), EXPORT(casinl),
    EXPORT(casinh), EXPORT(casinhf), EXPORT(casinhl),
    EXPORT(catan), EXPORT(catanf), EXPORT(catanl),
    EXPORT(catanh), EXPORT(catanhf), EXPORT(catanhl),
    EXPORT(ccos), EXPORT(ccosf), EXPORT(ccosl),
    EXPORT(ccosh), EXPORT(ccoshf), EXPORT(ccoshl),
    EXPORT(cexp), EXPORT(cexpf), EXPORT(cexpl),
    EXPORT(cimag), EXPORT(cimagf), EXPORT(cimagl),
    EXPORT(clog), EXPORT(clogf), EXPORT(clogl),
    EXPORT(conj), EXPORT(conjf), EXPORT(conjl),
    EXPORT(cpow), EXPORT(cpowf), EXPORT(cpowl),
    EXPORT(cproj), EXPORT(cprojf), EXPORT(cprojl),
    EXPORT(creal), EXPORT(crealf), EXPORT(creall),
    EXPORT(csin), EXPORT(csinf), EXPORT(csinl),
    EXPORT(csinh), EXPORT(csinhf), EXPORT(csinhl),
    EXPORT(csqrt), EXPORT(csqrtf), EXPORT(csqrtl),
    EXPORT(ctan), EXPORT(ctanf), EXPORT(ctanl),
    EXPORT(ctanh), EXPORT(ctanhf), EXPORT(ctanhl),
    EXPORT_AS("_Log", log_of), EXPORT_AS("_LLog", log_of), EXPORT_AS("_FLog", log_of_single),
    EXPORT_AS("_Sin", sine), EXPORT_AS("_LSin", sine), EXPORT_AS("_FSin", sine_single),
    {"_Dbl", (void *)&limits}, {"_Ldbl", (void *)&limits}, {"_Flt", (void *)&single_limits},
    EXPORT_END,
};
/* clang-format on */
