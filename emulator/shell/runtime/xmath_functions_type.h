/* xmath_functions_type.h: a template, see xmath.h: functions behind those of <math.h>. */

/* The angle of a point by the tangent of its octant: bits 1 and 2 of `octant` are 0 for atan(x), 1
 * for pi/2 - atan(x), 2 for pi/2 + atan(x) and 3 for pi - atan(x); bit 3 negates it. (Derived from
 * the library's atan2.) */
static REAL FN(angle)(REAL x, int octant)
{
    static const double start[] = {0, M_PI_2, M_PI_2, M_PI};
    int index = octant >> 1 & 3;
    double tangent = atan((double)x);
    double angle = (index & 1) != 0 ? start[index] - tangent : start[index] + tangent;
    return (REAL)((octant & 8) != 0 ? -angle : angle);
}

/* Splits e^x into a number near 1 and a power of 2. */
static double FN(exponential)(double x, long *exponent)
{
    static const double ln2_high = 0x1.62e42fefa39efp-1, ln2_low = 0x1.abc9e3b39803fp-56;
    double count = rint(x / M_LN2);
    *exponent = (long)count;
    return exp(fma(-count, ln2_low, fma(-count, ln2_high, x)));
}

/* *x = y * e^*x * 2^offset. */
static short FN(exp)(REAL *x, REAL y, long offset)
{
    long exponent = 0;
    if (y == 0 || !isfinite(*x)) {
        REAL limit = y == 0 || *x < 0 ? y * 0 : y * *x;
        *x = isnan(*x) ? *x : limit;
        return class_after((double)*x);
    }
    if (M(fabs)(*x) > 40000) { /* too large or too small for any y, and for a long */
        *x = *x > 0 ? M(copysign)(INFINITY, y) : M(copysign)(0, y);
        return class_after((double)*x);
    }
    double fraction = FN(exponential)((double)*x, &exponent);
    *x = (REAL)scalbln(fraction * (double)y, exponent + offset);
    return class_after((double)*x);
}

static REAL FN(log)(REAL x, int decimal)
{
    return decimal == 0   ? M(log)(x)
           : decimal == 1 ? (REAL)log10_of((double)x)
                          : (REAL)log2_of((double)x);
}

/* The sine of x + quadrants * pi/2. */
static REAL FN(sin)(REAL x, unsigned int quadrants)
{
    switch (quadrants & 3u) {
    case 0:
        return M(sin)(x);
    case 1:
        return M(cos)(x);
    case 2:
        return -M(sin)(x);
    default:
        return -M(cos)(x);
    }
}

/* y * cosh(x) and y * sinh(x), which may be finite where cosh(x) is not. */
static REAL FN(cosh)(REAL x, REAL y)
{
    REAL value = M(cosh)(x);
    if (isinf(value) && !isinf(x)) {
        REAL half = M(exp)(M(fabs)(x) / 2);
        return half / 2 * y * half;
    }
    return value * y;
}

static REAL FN(sinh)(REAL x, REAL y)
{
    REAL value = M(sinh)(x);
    if (isinf(value) && !isinf(x)) {
        REAL half = M(exp)(M(fabs)(x) / 2);
        return M(copysign)(half / 2, x) * y * half;
    }
    return value * y;
}

/* sqrt(x * x + y * y) is the result times 2^*exponent. */
static REAL FN(hypotenuse)(REAL x, REAL y, int *exponent)
{
    REAL value = M(hypot)(x, y);
    *exponent = 0;
    if (isinf(value) && !isinf(x) && !isinf(y)) {
        *exponent = 2;
        return M(hypot)(x / 4, y / 4);
    }
    return value;
}

/* x^y is the result times 2^*exponent; `exponent` may be NULL. */
static REAL FN(power)(REAL x, REAL y, short *exponent)
{
    REAL value = M(pow)(x, y);
    if (exponent == NULL) {
        return value;
    }
    *exponent = 0;
    if (x == 0 || !isfinite(x) || !isfinite(y) || (value != 0 && isfinite(value))) {
        return value;
    }
    double log = (double)y * log2_of(fabs((double)x)), whole = rint(log);
    whole = whole > INT16_MAX ? INT16_MAX : whole < INT16_MIN ? INT16_MIN : whole;
    *exponent = (short)whole;
    return M(copysign)((REAL)exp2(log - whole), value);
}

/* The gamma function is (1 + result) / *x / 2^*exponent. (Derived from the library's tgamma.) */
static REAL FN(gamma)(REAL *x, short *exponent)
{
    double fraction = 1, argument = (double)*x;
    int total = 0, part;
    while (argument > 170) {
        argument -= 1;
        fraction = frexp(fraction * argument, &part);
        total += part;
    }
    fraction = frexp(fraction * tgamma(argument), &part);
    total += isfinite(fraction) ? part : 0;
    *x = (REAL)(1 / fraction);
    *exponent = (short)-total;
    return 0;
}

static REAL FN(erfc)(REAL x)
{
    return M(erfc)(x);
}

static REAL FN(rint)(REAL x)
{
    return M(rint)(x);
}

/* Reduces *x to [-pi/4, pi/4]. Returns the number of quadrants that were taken away, modulo 4. */
static unsigned int FN(quadrant)(REAL *x)
{
    double sine = sin((double)*x), cosine = cos((double)*x);
    if (fabs(sine) <= fabs(cosine)) {
        *x = (REAL)atan(sine / cosine);
        return cosine > 0 ? 0 : 2;
    }
    *x = (REAL)-atan(cosine / sine);
    return sine > 0 ? 1 : 3;
}

/* The same for *x + phase * pi. */
static unsigned int FN(quadrant_of_phase)(REAL *x, REAL phase)
{
    unsigned int quadrants = FN(quadrant)(x);
    double halves = rint(2 * (double)phase);
    double rest = (double)*x + ((double)phase - halves / 2) * M_PI;
    if (rest > M_PI_4) {
        rest -= M_PI_2;
        quadrants++;
    } else if (rest < -M_PI_4) {
        rest += M_PI_2;
        quadrants--;
    }
    *x = (REAL)rest;
    return (quadrants + (unsigned int)(int)fmod(halves, 4)) & 3u;
}

/* 2/3 + 2/5 w + 2/7 w^2 + ..., of which a logarithm is made: ln((1 + z) / (1 - z)) is
 * 2 z + z w L(w) for w = z^2. (Derived from the library's pow.) */
static REAL FN(log_polynomial)(REAL w)
{
    double sum = 0;
    for (int i = 40; i >= 0; i--) {
        sum = sum * (double)w + 2.0 / (2 * i + 3);
    }
    return (REAL)sum;
}
