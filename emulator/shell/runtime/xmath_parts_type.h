/* xmath_parts_type.h: a template, see xmath.h: classes and parts of a number. */

static short FN(class)(REAL x)
{
    int class = fpclassify(x);
    return class == FP_NAN         ? CLASS_NAN
           : class == FP_INFINITE  ? CLASS_INFINITE
           : class == FP_ZERO      ? CLASS_ZERO
           : class == FP_SUBNORMAL ? CLASS_SUBNORMAL
                                   : CLASS_FINITE;
}

static short FN(test)(const REAL *x)
{
    return FN(class)(*x);
}

static int FN(sign)(REAL x)
{
    return signbit(x) ? 0x8000 : 0;
}

static int FN(compare)(REAL left, REAL right)
{
    return isunordered(left, right) ? COMPARE_UNORDERED
           : left < right           ? COMPARE_LESS
           : left > right           ? COMPARE_GREATER
                                    : COMPARE_EQUAL;
}

/* Truncates *x to a multiple of 2^-exponent. Returns CLASS_FINITE if that changed it, else 0. */
static short FN(truncate)(REAL *x, short exponent)
{
    if (!isfinite(*x)) {
        return class_after((double)*x);
    }
    REAL kept = M(scalbn)(M(trunc)(M(scalbn)(*x, exponent)), -exponent);
    short changed = kept == *x ? CLASS_ZERO : CLASS_FINITE;
    *x = kept;
    return changed;
}

static short FN(scale)(REAL *x, long exponent)
{
    *x = M(scalbln)(*x, exponent);
    return class_after((double)*x);
}

static short FN(unscale)(short *exponent, REAL *x)
{
    int value = 0;
    if (isfinite(*x)) {
        *x = M(frexp)(*x, &value);
    }
    *exponent = (short)value;
    return class_after((double)*x);
}

/* Turns the fraction of a subnormal number into that of a normal one, with the exponent field 0.
 * Returns the exponent field that the number would have. */
static short FN(normalize)(REAL *x)
{
    int exponent;
    REAL fraction = M(frexp)(M(fabs)(*x), &exponent);
    if (fraction == 0) {
        return 1;
    }
    BITS bits, sign;
    memcpy(&sign, x, sizeof sign);
    memcpy(&bits, &fraction, sizeof bits);
    bits &= ((BITS)1 << FRACTION_BITS) - 1;
    bits |= sign & ((BITS)1 << (sizeof bits * 8 - 1));
    memcpy(x, &bits, sizeof bits);
    return (short)(exponent - 1 + BIAS);
}

/* x * 10^power. *error is ERANGE if the result is too large or too small. */
static REAL FN(times_power)(REAL x, long power, int *error)
{
    double scaled = (double)x;
    while (power != 0 && scaled != 0 && isfinite(scaled)) {
        long step = power > 300 ? 300 : power < -300 ? -300 : power;
        scaled = step > 0 ? scaled * pow(10, (double)step) : scaled / pow(10, (double)-step);
        power -= step;
    }
    REAL result = (REAL)scaled;
    if (x != 0 && isfinite(x) && (result == 0 || isinf(result))) {
        errno = ERANGE;
        if (error != NULL) {
            *error = ERANGE;
        }
    }
    return result;
}

static REAL FN(polynomial)(REAL x, const REAL *coefficients, int degree)
{
    REAL sum = *coefficients;
    while (degree-- > 0) {
        sum = sum * x + *++coefficients;
    }
    return sum;
}
