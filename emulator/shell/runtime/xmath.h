/* xmath.h: the internal functions of Dinkumware's libm, whose names its headers and compiled code
 * use.
 *
 * Names have three families: _Name for double, _FName for float and _LName for long double, which is
 * double on Hexagon. Their meaning is that of P. J. Plauger, "The Standard C Library", 1992,
 * <math.h>, and of the published headers of that library, unless a comment says more. Each template
 * (xmath_*_type.h) is included for double and for float: REAL is the type, FN(name) the name of a
 * function for it, M(name) the function of <math.h>. */
#ifndef BUILDTOOL_RUNTIME_XMATH_H
#define BUILDTOOL_RUNTIME_XMATH_H

#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "runtime.h"

/* The classes of a number, which are also the values of fpclassify() in the DSP's <math.h>. */
enum { CLASS_SUBNORMAL = -2, CLASS_FINITE = -1, CLASS_ZERO = 0, CLASS_INFINITE = 1, CLASS_NAN = 2 };

/* The results of a comparison. */
enum { COMPARE_UNORDERED = 0, COMPARE_LESS = 1, COMPARE_EQUAL = 2, COMPARE_GREATER = 4 };

static inline short class_after(double value)
{
    return isnan(value) ? CLASS_NAN : isinf(value) ? CLASS_INFINITE : value != 0 ? -1 : 0;
}

/* Logarithms that lose digits of subnormal numbers in the library that the shell is linked with. */
static inline double log2_of(double x)
{
    return x > 0 && x < 0x1p-1022 ? log2(x * 0x1p52) - 52 : log2(x);
}

static inline double log10_of(double x)
{
    return x > 0 && x < 0x1p-1022 ? log10(x * 0x1p52) - 52 * log10(2) : log10(x);
}

static inline float log2_of_single(float x)
{
    return (float)log2((double)x);
}

static inline float log10_of_single(float x)
{
    return (float)log10((double)x);
}

/* Exports a function of the double family for long double too. */
#define EXPORT_REAL(name, function)                                        \
    EXPORT_AS("_" name, d_##function), EXPORT_AS("_L" name, d_##function), \
        EXPORT_AS("_F" name, f_##function)

#endif
