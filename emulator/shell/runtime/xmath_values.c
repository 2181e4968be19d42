/* xmath_values.c: constants of Dinkumware's libm and <float.h>, which skels read as data.
 *
 * Each is a union of 16 bytes with the value at its start. */
#include <float.h>

#include "xmath.h"

union real {
    uint16_t words[8];
    float single;
    double real;
};

#define REAL(value) {.real = (value)}
#define SINGLE(value) {.single = (value)}

/* The epsilons are 2^-(bits + 1) and 2^-(half of the bits + 1) (the library's xvalues.c). */
static const union real infinity = REAL(INFINITY), not_a_number = REAL((double)NAN),
                        subnormal = REAL(0x1p-1074), epsilon = REAL(0x1p-54),
                        root_epsilon = REAL(0x1p-27), zero = REAL(0), big = REAL(18),
                        signaling = {.words = {1, 0, 0, 0x7ff0}};
static const union real f_infinity = SINGLE(INFINITY), f_not_a_number = SINGLE(NAN),
                        f_subnormal = SINGLE(0x1p-149f), f_epsilon = SINGLE(0x1p-25f),
                        f_root_epsilon = SINGLE(0x1p-12f), f_zero = SINGLE(0), f_big = SINGLE(8),
                        f_signaling = {.words = {1, 0x7f80}};

/* erf(x) rounds to 1 from here on. */
static const union real erf_one = REAL(5.921587195794507);
static const union real f_erf_one = SINGLE(3.9192059f);

/* What the macros of <float.h> read. */
struct limits {
    int digits, mantissa_digits, max_10_exponent, max_exponent, min_10_exponent, min_exponent;
    union real epsilon, max, min;
};

static const struct limits limits = {DBL_DIG,           DBL_MANT_DIG,   DBL_MAX_10_EXP,
                                     DBL_MAX_EXP,       DBL_MIN_10_EXP, DBL_MIN_EXP,
                                     REAL(DBL_EPSILON), REAL(DBL_MAX),  REAL(DBL_MIN)};
static const struct limits f_limits = {
    FLT_DIG,     FLT_MANT_DIG,        FLT_MAX_10_EXP,  FLT_MAX_EXP,    FLT_MIN_10_EXP,
    FLT_MIN_EXP, SINGLE(FLT_EPSILON), SINGLE(FLT_MAX), SINGLE(FLT_MIN)};

#define EXPORT_VALUES(name, value)                               \
    {"_" name, (void *)&(value)}, {"_L" name, (void *)&(value)}, \
    {                                                            \
        "_F" name, (void *)&f_##value                            \
    }

const struct shell_symbol xmath_values_symbols[] = {
    EXPORT_VALUES("Inf", infinity),    EXPORT_VALUES("Nan", not_a_number),
    EXPORT_VALUES("Snan", signaling),  EXPORT_VALUES("Denorm", subnormal),
    EXPORT_VALUES("Eps", epsilon),     EXPORT_VALUES("Rteps", root_epsilon),
    EXPORT_VALUES("Xbig", big),        EXPORT_VALUES("Zero", zero),
    EXPORT_VALUES("Erf_one", erf_one), {"_Hugeval", (void *)&infinity},
    {"_Dbl", (void *)&limits},         {"_Ldbl", (void *)&limits},
    {"_Flt", (void *)&f_limits},       EXPORT_END,
};
