/* libm.c: the mathematics that DSP shells give to skels: musl's. */
#include <math.h>

#include "runtime.h"

/* The C library of the DSP's tools has log and log10 in one function. */
static double log_of_base(double x, int decimal)
{
    return decimal == 0 ? log(x) : decimal == 1 ? log10(x) : log2(x);
}

const struct shell_symbol libm_symbols[] = {
    OFFER(acos),
    OFFER(acosf),
    OFFER(acosh),
    OFFER(acoshf),
    OFFER(asin),
    OFFER(asinf),
    OFFER(asinh),
    OFFER(asinhf),
    OFFER(atan),
    OFFER(atan2),
    OFFER(atan2f),
    OFFER(atanf),
    OFFER(atanh),
    OFFER(atanhf),
    OFFER(ceil),
    OFFER(ceilf),
    OFFER(cos),
    OFFER(cosf),
    OFFER(cosh),
    OFFER(coshf),
    OFFER(exp),
    OFFER(exp2f),
    OFFER(expf),
    OFFER(floor),
    OFFER(floorf),
    OFFER(ldexp),
    OFFER(ldexpf),
    OFFER(log),
    OFFER(logf),
    OFFER(lround),
    OFFER(lroundf),
    OFFER(nearbyint),
    OFFER(nearbyintf),
    OFFER(pow),
    OFFER(powf),
    OFFER(rintf),
    OFFER(sin),
    OFFER(sinf),
    OFFER(sinh),
    OFFER(sinhf),
    OFFER(sqrt),
    OFFER(sqrtf),
    OFFER(tan),
    OFFER(tanf),
    OFFER(tanh),
    OFFER(tanhf),
    OFFER(trunc),
    OFFER(truncf),
    OFFER_AS("_Log", log_of_base),
    OFFER_END,
};
