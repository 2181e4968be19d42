/* qdouble.c: the software floating point of the first Hexagon compilers, which shells still export.
 *
 * A qdouble has its mantissa in bits 63 to 16, a signed fraction of 1, and its exponent, signed, in
 * bits 15 to 0: its value is mantissa * 2**exponent. A qldouble has a mantissa of 64 bits and an
 * exponent of 32. The formats, and which function does what, are those of the fastmath headers of
 * the Hexagon tools; the last bits of reciprocals may differ from a device's, which iterates. */
#include <math.h>
#include <string.h>

#include "runtime.h"

typedef int64_t qdouble;

struct qldouble {
    int64_t mantissa;
    int32_t exponent;
};

#define EXPONENT 0xffffll
#define NEVER_LARGER 58 /* more redundant sign bits than this: the result is zero */
#define ZERO_EXPONENT (-0x7fff)
#define LONG_ZERO_EXPONENT (-0x7fffffff)
#define INFINITE ((qdouble)0x4000000000007ff0ll) /* the reciprocal of zero */

static int exponent_of(qdouble value)
{
    return (int16_t)(value & EXPONENT);
}

static int64_t mantissa_of(qdouble value)
{
    return value & ~EXPONENT;
}

static qdouble join(int64_t mantissa, int exponent)
{
    return mantissa_of(mantissa) | (exponent & EXPONENT);
}

/* Returns how far a mantissa can be shifted to the left without loss. */
static int redundant_signs(int64_t mantissa)
{
    uint64_t bits = (uint64_t)(mantissa < 0 ? ~mantissa : mantissa);
    return bits == 0 ? 63 : __builtin_clzll(bits) - 1;
}

static int64_t shifted_left(int64_t value, int count)
{
    return (int64_t)((uint64_t)value << count);
}

/* Makes the mantissa as large as it can be. */
static struct qldouble normal(int64_t mantissa, int exponent)
{
    int shift = redundant_signs(mantissa);
    if (shift > NEVER_LARGER) {
        return (struct qldouble){0, LONG_ZERO_EXPONENT};
    }
    return (struct qldouble){shifted_left(mantissa, shift), exponent - shift};
}

static qdouble shorten(struct qldouble value)
{
    bool zero = value.exponent == LONG_ZERO_EXPONENT;
    return join(value.mantissa, zero ? ZERO_EXPONENT : value.exponent);
}

static struct qldouble lengthen(qdouble value)
{
    return (struct qldouble){mantissa_of(value), exponent_of(value)};
}

/* ---- sums and products ---- */

static struct qldouble sum(struct qldouble a, struct qldouble b, int sign)
{
    int64_t difference = (int64_t)a.exponent - b.exponent;
    int64_t distance = difference < 0 ? -difference : difference;
    int far = distance > 62 ? 63 : (int)distance + 1;
    int64_t x = a.mantissa >> (difference > 0 ? 1 : far);
    int64_t y = b.mantissa >> (difference > 0 ? far : 1);
    return normal(sign < 0 ? x - y : x + y, (difference > 0 ? a.exponent : b.exponent) + 1);
}

/* `dropped` bits of the lower halves, the lowest ones, do not count. */
static struct qldouble product(struct qldouble a, struct qldouble b, int dropped)
{
    if (a.mantissa == INT64_MIN && b.mantissa == INT64_MIN) {
        return (struct qldouble){INT64_MAX, a.exponent + b.exponent};
    }
    int64_t high_a = a.mantissa >> 32, low_a = (int64_t)((uint32_t)a.mantissa >> dropped);
    int64_t high_b = b.mantissa >> 32, low_b = (int64_t)((uint32_t)b.mantissa >> dropped);
    int64_t mixed = high_a * low_b + high_b * low_a;
    return normal(2 * (high_a * high_b) + (mixed >> (31 - dropped)), a.exponent + b.exponent);
}

static struct qldouble ld_add(struct qldouble a, struct qldouble b)
{
    return sum(a, b, 1);
}

static struct qldouble ld_subtract(struct qldouble a, struct qldouble b)
{
    return sum(a, b, -1);
}

static struct qldouble ld_multiply(struct qldouble a, struct qldouble b)
{
    return product(a, b, 1);
}

static qdouble add(qdouble a, qdouble b)
{
    return shorten(sum(lengthen(a), lengthen(b), 1));
}

static qdouble subtract(qdouble a, qdouble b)
{
    return shorten(sum(lengthen(a), lengthen(b), -1));
}

static qdouble multiply(qdouble a, qdouble b)
{
    return shorten(product(lengthen(a), lengthen(b), 16));
}

/* ---- conversions ---- */

static struct qldouble from_double(double value)
{
    int exponent;
    double fraction = frexp(value, &exponent);
    if (fraction == 0 || !isfinite(value)) {
        return (struct qldouble){0, LONG_ZERO_EXPONENT};
    }
    return (struct qldouble){(int64_t)ldexp(fraction, 63), exponent};
}

static double to_double(struct qldouble value)
{
    return ldexp((double)value.mantissa, value.exponent - 63);
}

static qdouble q_from_double(double value)
{
    return value == 0 ? 0x8000 : shorten(from_double(value));
}

static double q_to_double(qdouble value)
{
    return exponent_of(value) < -1023 ? 0 : to_double(lengthen(value));
}

static int64_t q_to_bits(qdouble value)
{
    double number = q_to_double(value);
    int64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static qdouble q_from_bits(int64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return shorten(from_double(number));
}

static qdouble q_from_float(float value)
{
    return shorten(from_double((double)value));
}

static float q_to_float(qdouble value)
{
    return (float)to_double(lengthen(value));
}

/* ---- reciprocals ---- */

static struct qldouble ld_reciprocal(struct qldouble value)
{
    struct qldouble one = from_double(1 / ldexp((double)value.mantissa, -63));
    return (struct qldouble){one.mantissa, one.exponent - value.exponent};
}

static struct qldouble ld_reciprocal_root(struct qldouble value)
{
    int odd = value.exponent & 1;
    struct qldouble one = from_double(1 / sqrt(ldexp((double)value.mantissa, odd - 63)));
    return (struct qldouble){one.mantissa, one.exponent - (value.exponent - odd) / 2};
}

static qdouble reciprocal(qdouble value)
{
    return mantissa_of(value) == 0 ? INFINITE : shorten(ld_reciprocal(lengthen(value)));
}

static qdouble reciprocal_root(qdouble value)
{
    return mantissa_of(value) == 0 ? INFINITE : shorten(ld_reciprocal_root(lengthen(value)));
}

/* ---- the functions of the type ---- */

static qdouble divide(qdouble a, qdouble b)
{
    return multiply(a, reciprocal(b));
}

static qdouble root(qdouble value)
{
    return multiply(reciprocal_root(value), value);
}

static qdouble absolute(qdouble value)
{
    int64_t mantissa = mantissa_of(value);
    return join(mantissa < 0 ? -mantissa : mantissa, exponent_of(value));
}

static qdouble negative(qdouble value)
{
    int64_t mantissa = mantissa_of(value);
    return mantissa == 0 ? join(0, ZERO_EXPONENT) : join(-mantissa, exponent_of(value));
}

/* The results are those of the comparisons in libgcc: less than 0, and more than 0. */
static int less(qdouble a, qdouble b)
{
    return mantissa_of(subtract(b, a)) < 0 ? 0 : -1;
}

static int greater(qdouble a, qdouble b)
{
    return mantissa_of(subtract(a, b)) > 0;
}

static qdouble create_zero(void)
{
    return 0x8000;
}

static void set_exponent(qdouble *value, int exponent)
{
    *value = join(*value, exponent);
}

static void set_mantissa(qdouble *value, int64_t mantissa)
{
    *value = join(mantissa, exponent_of(*value));
}

/* The functions of a qdouble and a double convert the double to an integer, and use this as the
 * bits of a qdouble. The headers' own inline functions do this too. */
#define MIXED(type, name, function)            \
    static type name##_qd(qdouble a, double b) \
    {                                          \
        return function(a, (qdouble)b);        \
    }                                          \
    static type name##_dq(double a, qdouble b) \
    {                                          \
        return function((qdouble)a, b);        \
    }
MIXED(qdouble, add, add)
MIXED(qdouble, subtract, subtract)
MIXED(qdouble, multiply, multiply)
MIXED(qdouble, divide, divide)
MIXED(int, less, less)
MIXED(int, greater, greater)

static qdouble subtract_dd(double a, double b)
{
    return subtract((qdouble)a, (qdouble)b);
}

static qdouble divide_dd(double a, double b)
{
    return divide((qdouble)a, (qdouble)b);
}

#define EXPORT_QDOUBLE(prefix)                                                                  \
    EXPORT_AS(prefix "dadd", add), EXPORT_AS(prefix "dadd_asm", add),                           \
        EXPORT_AS(prefix "dsub", subtract), EXPORT_AS(prefix "dsub_asm", subtract),             \
        EXPORT_AS(prefix "dmpy", multiply), EXPORT_AS(prefix "dmpy_asm", multiply),             \
        EXPORT_AS(prefix "drecip", reciprocal), EXPORT_AS(prefix "drecipsqrt", reciprocal_root)
#define EXPORT_LONG(name, function)                                                   \
    EXPORT_AS("fast2_ld" name, function), EXPORT_AS("fast2_ld" name "_asm", function)
#define EXPORT_MIXED(name, function)                                             \
    EXPORT_AS("qd_" name, function), EXPORT_AS("qd_" name "_qd", function##_qd), \
        EXPORT_AS("qd_" name "_dq", function##_dq)

const struct shell_symbol qdouble_symbols[] = {
    EXPORT_QDOUBLE(""),
    EXPORT_QDOUBLE("fast2_"),
    EXPORT_LONG("add", ld_add),
    EXPORT_LONG("sub", ld_subtract),
    EXPORT_LONG("mpy", ld_multiply),
    EXPORT_AS("fast2_ldrecip", ld_reciprocal),
    EXPORT_AS("fast2_ldrecipsqrt", ld_reciprocal_root),
    EXPORT_AS("d2qd", q_from_bits),
    EXPORT_AS("qd2d", q_to_bits),
    EXPORT_AS("fast2_d2qd", q_from_double),
    EXPORT_AS("fast2_d2qld", from_double),
    EXPORT_AS("fast2_qld2d", to_double),
    EXPORT_AS("fast2_f2qd", q_from_float),
    EXPORT_AS("fast2_f2qd_asm", q_from_float),
    EXPORT_AS("fast2_qd2f", q_to_float),
    EXPORT_AS("fast2_qd2f_asm", q_to_float),
    EXPORT_AS("toqdouble", q_from_double),
    EXPORT_AS("todouble", q_to_double),
    EXPORT_AS("create_qdouble", create_zero),
    EXPORT_AS("create_qdouble_li", join),
    EXPORT_AS("set_exp_qd", set_exponent),
    EXPORT_AS("set_mant_qd", set_mantissa),
    EXPORT_AS("get_exp_qd", exponent_of),
    EXPORT_AS("get_mant_qd", mantissa_of),
    EXPORT_MIXED("add", add),
    EXPORT_AS("qd_sub_qd", subtract_qd),
    EXPORT_AS("qd_sub_dq", subtract_dq),
    EXPORT_MIXED("mul", multiply),
    EXPORT_MIXED("div", divide),
    EXPORT_MIXED("lt", less),
    EXPORT_MIXED("gt", greater),
    EXPORT_AS("qd_neg", negative),
    EXPORT_AS("qd_fabs", absolute),
    EXPORT_AS("qd_sqrt", root),
    EXPORT_AS("qd_self_increment", add),
    EXPORT_AS("qd_self_increment_qd", add_qd),
    EXPORT_AS("qd_self_sub", subtract),
    EXPORT_AS("qd_self_sub_dd", subtract_dd),
    EXPORT_AS("qd_self_mul", multiply),
    EXPORT_AS("qd_self_mul_qd", multiply_qd),
    EXPORT_AS("qd_self_div", divide),
    EXPORT_AS("qd_self_div_dd", divide_dd),
    EXPORT_END,
};
