/* libm.c: the mathematics that DSP shells give to skels: musl's.
 *
 * long double is double on both sides. */
#define _GNU_SOURCE
#include <complex.h>
#include <math.h>

#include "runtime.h"

/* The C library of the DSP's tools has log and log10 in one function. */
static double log_of_base(double x, int decimal)
{
    return decimal == 0 ? log(x) : decimal == 1 ? log10(x) : log2(x);
}

/* Functions there, macros in C. */
static int is_nan(double x)
{
    return isnan(x);
}

static int is_infinite(double x)
{
    return isinf(x);
}

const struct shell_symbol libm_symbols[] = {
    /* By double, float, long double. */
    OFFER(acos), OFFER(acosf), OFFER(acosl),
    OFFER(acosh), OFFER(acoshf), OFFER(acoshl),
    OFFER(asin), OFFER(asinf), OFFER(asinl),
    OFFER(asinh), OFFER(asinhf), OFFER(asinhl),
    OFFER(atan), OFFER(atanf), OFFER(atanl),
    OFFER(atan2), OFFER(atan2f), OFFER(atan2l),
    OFFER(atanh), OFFER(atanhf), OFFER(atanhl),
    OFFER(cbrt), OFFER(cbrtf), OFFER(cbrtl),
    OFFER(ceil), OFFER(ceilf), OFFER(ceill),
    OFFER(copysign), OFFER(copysignf), OFFER(copysignl),
    OFFER(cos), OFFER(cosf), OFFER(cosl),
    OFFER(cosh), OFFER(coshf), OFFER(coshl),
    OFFER(erf), OFFER(erff), OFFER(erfl),
    OFFER(erfc), OFFER(erfcf), OFFER(erfcl),
    OFFER(exp), OFFER(expf), OFFER(expl),
    OFFER(exp2), OFFER(exp2f), OFFER(exp2l),
    OFFER(expm1), OFFER(expm1f), OFFER(expm1l),
    OFFER(fabs), OFFER(fabsf), OFFER(fabsl),
    OFFER(fdim), OFFER(fdimf), OFFER(fdiml),
    OFFER(floor), OFFER(floorf), OFFER(floorl),
    OFFER(fma), OFFER(fmaf),
    OFFER(fmax), OFFER(fmaxf), OFFER(fmaxl),
    OFFER(fmin), OFFER(fminf), OFFER(fminl),
    OFFER(fmod), OFFER(fmodf), OFFER(fmodl),
    OFFER(frexp), OFFER(frexpf), OFFER(frexpl),
    OFFER(hypot), OFFER(hypotf), OFFER(hypotl),
    OFFER(ilogb), OFFER(ilogbf), OFFER(ilogbl),
    OFFER(ldexp), OFFER(ldexpf), OFFER(ldexpl),
    OFFER(lgamma), OFFER(lgammaf), OFFER(lgammal),
    OFFER(llrint), OFFER(llrintf), OFFER(llrintl),
    OFFER(llround), OFFER(llroundf), OFFER(llroundl),
    OFFER(log), OFFER(logf), OFFER(logl),
    OFFER(log10), OFFER(log10f), OFFER(log10l),
    OFFER(log1p), OFFER(log1pf), OFFER(log1pl),
    OFFER(log2), OFFER(log2f), OFFER(log2l),
    OFFER(logb), OFFER(logbf), OFFER(logbl),
    OFFER(lrint), OFFER(lrintf), OFFER(lrintl),
    OFFER(lround), OFFER(lroundf), OFFER(lroundl),
    OFFER(modf), OFFER(modff), OFFER(modfl),
    OFFER(nan), OFFER(nanf), OFFER(nanl),
    OFFER(nearbyint), OFFER(nearbyintf), OFFER(nearbyintl),
    OFFER(nextafter), OFFER(nextafterf), OFFER(nextafterl),
    OFFER(nexttoward), OFFER(nexttowardf), OFFER(nexttowardl),
    OFFER(pow), OFFER(powf), OFFER(powl),
    OFFER(remainder), OFFER(remainderf), OFFER(remainderl),
    OFFER(remquo), OFFER(remquof), OFFER(remquol),
    OFFER(rint), OFFER(rintf), OFFER(rintl),
    OFFER(round), OFFER(roundf), OFFER(roundl),
    OFFER(scalbln), OFFER(scalblnf), OFFER(scalblnl),
    OFFER(scalbn), OFFER(scalbnf), OFFER(scalbnl),
    OFFER(sin), OFFER(sinf), OFFER(sinl),
    OFFER(sinh), OFFER(sinhf), OFFER(sinhl),
    OFFER(sqrt), OFFER(sqrtf), OFFER(sqrtl),
    OFFER(tan), OFFER(tanf), OFFER(tanl),
    OFFER(tanh), OFFER(tanhf), OFFER(tanhl),
    OFFER(tgamma), OFFER(tgammaf), OFFER(tgammal),
    OFFER(trunc), OFFER(truncf), OFFER(truncl),
    OFFER(exp10f), OFFER(scalb),
    OFFER(j0), OFFER(j1), OFFER(jn), OFFER(y0), OFFER(y1), OFFER(yn),
    OFFER_AS("isnan", is_nan), OFFER_AS("isinf", is_infinite),
    OFFER_AS("_Log", log_of_base), OFFER_AS("__sqrtf", sqrtf),
    /* By complex double, float, long double. */
    OFFER(cabs), OFFER(cabsf), OFFER(cabsl),
    OFFER(cacos), OFFER(cacosf), OFFER(cacosl),
    OFFER(cacosh), OFFER(cacoshf), OFFER(cacoshl),
    OFFER(carg), OFFER(cargf), OFFER(cargl),
    OFFER(casin), OFFER(casinf), OFFER(casinl),
    OFFER(casinh), OFFER(casinhf), OFFER(casinhl),
    OFFER(catan), OFFER(catanf), OFFER(catanl),
    OFFER(catanh), OFFER(catanhf), OFFER(catanhl),
    OFFER(ccos), OFFER(ccosf), OFFER(ccosl),
    OFFER(ccosh), OFFER(ccoshf), OFFER(ccoshl),
    OFFER(cexp), OFFER(cexpf), OFFER(cexpl),
    OFFER(cimag), OFFER(cimagf), OFFER(cimagl),
    OFFER(clog), OFFER(clogf), OFFER(clogl),
    OFFER(conj), OFFER(conjf), OFFER(conjl),
    OFFER(cpow), OFFER(cpowf), OFFER(cpowl),
    OFFER(cproj), OFFER(cprojf), OFFER(cprojl),
    OFFER(creal), OFFER(crealf), OFFER(creall),
    OFFER(csin), OFFER(csinf), OFFER(csinl),
    OFFER(csinh), OFFER(csinhf), OFFER(csinhl),
    OFFER(csqrt), OFFER(csqrtf), OFFER(csqrtl),
    OFFER(ctan), OFFER(ctanf), OFFER(ctanl),
    OFFER(ctanh), OFFER(ctanhf), OFFER(ctanhl),
    OFFER_END,
};
