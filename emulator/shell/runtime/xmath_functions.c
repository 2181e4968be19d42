/* xmath_functions.c: functions behind those of <math.h>: _Exp, _Sin, _Hypot and others. */
#define _GNU_SOURCE
#include "xmath.h"

#define REAL double
#define FN(name) d_##name
#define M(name) name
#include "xmath_functions_type.h"
#undef REAL
#undef FN
#undef M
#define REAL float
#define FN(name) f_##name
#define M(name) name##f
#include "xmath_functions_type.h"

const struct shell_symbol xmath_functions_symbols[] = {
    EXPORT_REAL("Atan", angle),
    EXPORT_REAL("Exp", exp),
    EXPORT_REAL("Log", log),
    EXPORT_REAL("Sin", sin),
    EXPORT_REAL("Cosh", cosh),
    EXPORT_REAL("Sinh", sinh),
    EXPORT_REAL("Hypot", hypotenuse),
    EXPORT_REAL("Pow", power),
    EXPORT_REAL("Tgamma", gamma),
    EXPORT_REAL("Erfc", erfc),
    EXPORT_REAL("Rint", rint),
    EXPORT_REAL("Quad", quadrant),
    EXPORT_REAL("Quadph", quadrant_of_phase),
    EXPORT_REAL("Logpoly", log_polynomial),
    EXPORT_END,
};
