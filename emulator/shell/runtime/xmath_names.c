/* xmath_names.c: functions of libm under other names, and complex numbers. */
#define _GNU_SOURCE
#include <complex.h>
#include <math.h>

#include "runtime.h"

/* The square of the absolute value, as in C++. */
static double norm(double complex z)
{
    return creal(z) * creal(z) + cimag(z) * cimag(z);
}

static float norm_single(float complex z)
{
    return crealf(z) * crealf(z) + cimagf(z) * cimagf(z);
}

static double complex log10_complex(double complex z)
{
    return clog(z) / M_LN10;
}

static float complex log10_complex_single(float complex z)
{
    return clogf(z) / (float)M_LN10;
}

/* Dinkumware's arithmetic of complex numbers, for compilers without it: the last letters say whether
 * the second operand is complex or real. */
#define ARITHMETIC(prefix, real, make)                                    \
    static real complex prefix##_build(real x, real y)                    \
    {                                                                     \
        return make(x, y);                                                \
    }                                                                     \
    static real complex prefix##_add(real complex x, real complex y)      \
    {                                                                     \
        return x + y;                                                     \
    }                                                                     \
    static real complex prefix##_add_real(real complex x, real y)         \
    {                                                                     \
        return x + y;                                                     \
    }                                                                     \
    static real complex prefix##_subtract(real complex x, real complex y) \
    {                                                                     \
        return x - y;                                                     \
    }                                                                     \
    static real complex prefix##_subtract_real(real complex x, real y)    \
    {                                                                     \
        return x - y;                                                     \
    }                                                                     \
    static real complex prefix##_multiply(real complex x, real complex y) \
    {                                                                     \
        return x * y;                                                     \
    }                                                                     \
    static real complex prefix##_multiply_real(real complex x, real y)    \
    {                                                                     \
        return x * y;                                                     \
    }                                                                     \
    static real complex prefix##_divide(real complex x, real complex y)   \
    {                                                                     \
        return x / y;                                                     \
    }                                                                     \
    static real complex prefix##_divide_real(real complex x, real y)      \
    {                                                                     \
        return x / y;                                                     \
    }

ARITHMETIC(d, double, CMPLX)
ARITHMETIC(f, float, CMPLXF)

#define EXPORT_FAMILY(prefix, family)                                                   \
    EXPORT_AS(prefix "build", family##_build), EXPORT_AS(prefix "addcc", family##_add), \
        EXPORT_AS(prefix "addcr", family##_add_real),                                   \
        EXPORT_AS(prefix "subcc", family##_subtract),                                   \
        EXPORT_AS(prefix "subcr", family##_subtract_real),                              \
        EXPORT_AS(prefix "mulcc", family##_multiply),                                   \
        EXPORT_AS(prefix "mulcr", family##_multiply_real),                              \
        EXPORT_AS(prefix "divcc", family##_divide),                                     \
        EXPORT_AS(prefix "divcr", family##_divide_real)

const struct shell_symbol xmath_names_symbols[] = {
    EXPORT(norm),
    EXPORT_AS("normf", norm_single),
    EXPORT_AS("norml", norm),
    EXPORT_AS("clog10", log10_complex),
    EXPORT_AS("clog10f", log10_complex_single),
    EXPORT_AS("clog10l", log10_complex),
    EXPORT_FAMILY("_C", d),
    EXPORT_FAMILY("_LC", d),
    EXPORT_FAMILY("_FC", f),
    /* Names of fdlibm's kernel functions. */
    EXPORT_AS("__ieee754_log", log),
    EXPORT_AS("__ieee754_scalb", scalb),
    EXPORT_AS("__ieee754_j0", j0),
    EXPORT_AS("__ieee754_j1", j1),
    EXPORT_AS("__ieee754_jn", jn),
    EXPORT_AS("__ieee754_y0", y0),
    EXPORT_AS("__ieee754_y1", y1),
    EXPORT_AS("__ieee754_yn", yn),
    /* The single-precision functions of Hexagon's own math library. */
    EXPORT_AS("h_acosf", acosf),
    EXPORT_AS("h_asinf", asinf),
    EXPORT_AS("h_atanf", atanf),
    EXPORT_AS("h_cosf", cosf),
    EXPORT_AS("h_sinf", sinf),
    EXPORT_AS("h_tanf", tanf),
    EXPORT_AS("h_expf", expf),
    EXPORT_AS("h_exp2f", exp2f),
    EXPORT_AS("h_exp10f", exp10f),
    EXPORT_AS("h_logf", logf),
    EXPORT_AS("h_log2f", log2f),
    EXPORT_AS("h_log10f", log10f),
    EXPORT_END,
};
