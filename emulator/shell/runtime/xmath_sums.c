/* xmath_sums.c: numbers of extended precision, as sums of terms: _Xp_addh, _Xp_mulx and others. */
#include "xmath.h"

#define TERMS_MAX 16
#define SUM_MAX 64

#define REAL double
#define HALF_BITS 26
#define FN(name) d_##name
#define M(name) name
#include "xmath_sums_type.h"
#undef REAL
#undef HALF_BITS
#undef FN
#undef M
#define REAL float
#define HALF_BITS 12
#define FN(name) f_##name
#define M(name) name##f
#include "xmath_sums_type.h"

const struct shell_symbol xmath_sums_symbols[] = {
    EXPORT_REAL("Xp_getw", sum_get),   EXPORT_REAL("Xp_setw", sum_set),
    EXPORT_REAL("Xp_addh", sum_add),   EXPORT_REAL("Xp_mulh", sum_multiply),
    EXPORT_REAL("Xp_movx", sum_move),  EXPORT_REAL("Xp_addx", sum_plus),
    EXPORT_REAL("Xp_subx", sum_minus), EXPORT_REAL("Xp_ldexpx", sum_scale),
    EXPORT_REAL("Xp_mulx", sum_times), EXPORT_REAL("Xp_invx", sum_invert),
    EXPORT_REAL("Xp_sqrtx", sum_root), EXPORT_END,
};
