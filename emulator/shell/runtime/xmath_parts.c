/* xmath_parts.c: classes and parts of numbers: _Dtest, _Dint, _Dscale and others. */
#include <errno.h>

#include "xmath.h"

#define REAL double
#define BITS uint64_t
#define FRACTION_BITS 52
#define BIAS 1023
#define FN(name) d_##name
#define M(name) name
#include "xmath_parts_type.h"
#undef REAL
#undef BITS
#undef FRACTION_BITS
#undef BIAS
#undef FN
#undef M
#define REAL float
#define BITS uint32_t
#define FRACTION_BITS 23
#define BIAS 127
#define FN(name) f_##name
#define M(name) name##f
#include "xmath_parts_type.h"

const struct shell_symbol xmath_parts_symbols[] = {
    EXPORT_REAL("Dclass", class),      EXPORT_REAL("Dtest", test),
    EXPORT_REAL("Dsign", sign),        EXPORT_REAL("Fpcomp", compare),
    EXPORT_REAL("Dint", truncate),     EXPORT_REAL("Dscale", scale),
    EXPORT_REAL("Dunscale", unscale),  EXPORT_REAL("Dtentox", times_power),
    EXPORT_REAL("Poly", polynomial),   EXPORT_AS("_Dnorm", d_normalize),
    EXPORT_AS("_FDnorm", f_normalize), EXPORT_END,
};
