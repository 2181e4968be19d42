/* compiler_numbers.c: functions for conversions, comparisons and float arithmetic.
 *
 * v68 and newer have instructions for these. Skels that older compilers built call the functions,
 * whose names and results are those of libgcc, with the prefixes __hexagon_ and __qdsp_. */
#include <math.h>

#include "runtime.h"

/* A 128-bit integer is passed in memory, as a structure of this size is. */
struct wide {
    uint64_t low;
    int64_t high;
};

#define TWO_TO_64 18446744073709551616.0

/* ---- arithmetic ---- */

static float add(float a, float b)
{
    return a + b;
}

static float subtract(float a, float b)
{
    return a - b;
}

static float multiply(float a, float b)
{
    return a * b;
}

static float negative(float a)
{
    return -a;
}

static double negative_double(double a)
{
    return -a;
}

static double extend(float a)
{
    return a;
}

static float truncate(double a)
{
    return (float)a;
}

/* ---- comparisons: what a caller compares with zero; `unordered` is for operands that are NaN ---- */

#define COMPARISON(name, type, unordered)                                    \
    static int name(type a, type b)                                          \
    {                                                                        \
        return isunordered(a, b) ? (unordered) : a < b ? -1 : a > b ? 1 : 0; \
    }
COMPARISON(compare_upward, float, 1)    /* eq, ne, lt, le: NaN is not less */
COMPARISON(compare_downward, float, -1) /* gt, ge: NaN is not greater */
COMPARISON(compare_double_upward, double, 1)
COMPARISON(compare_double_downward, double, -1)

static int unordered(float a, float b)
{
    return isunordered(a, b);
}

static int unordered_double(double a, double b)
{
    return isunordered(a, b);
}

static int less_fast(double a, double b)
{
    return a < b ? -1 : 0;
}

static int greater_fast(double a, double b)
{
    return a > b ? 1 : 0;
}

/* ---- conversions: towards zero; what is out of range becomes the limit, as the instructions do ---- */

#define FROM(name, type, integer)   \
    static integer name(type value) \
    {                               \
        return (integer)value;      \
    }
FROM(float_to_int32, float, int32_t)
FROM(float_to_int64, float, int64_t)
FROM(float_to_uint32, float, uint32_t)
FROM(float_to_uint64, float, uint64_t)
FROM(double_to_int32, double, int32_t)
FROM(double_to_int64, double, int64_t)
FROM(double_to_uint32, double, uint32_t)
FROM(double_to_uint64, double, uint64_t)
FROM(int32_to_float, int32_t, float)
FROM(int64_to_float, int64_t, float)
FROM(uint32_to_float, uint32_t, float)
FROM(uint64_to_float, uint64_t, float)
FROM(int32_to_double, int32_t, double)
FROM(int64_to_double, int64_t, double)
FROM(uint32_to_double, uint32_t, double)
FROM(uint64_to_double, uint64_t, double)

static struct wide negated(struct wide value)
{
    uint64_t low = ~value.low + 1;
    return (struct wide){low, (int64_t)(~(uint64_t)value.high + (low == 0))};
}

/* For values below 2**128. */
static struct wide positive_to_wide(double value)
{
    double high = floor(value / TWO_TO_64);
    return (struct wide){(uint64_t)(value - high * TWO_TO_64), (int64_t)(uint64_t)high};
}

static struct wide double_to_uwide(double value)
{
    if (!(value > 0)) {
        return (struct wide){0, 0};
    }
    return value >= TWO_TO_64 * TWO_TO_64 ? (struct wide){UINT64_MAX, -1} : positive_to_wide(value);
}

static struct wide double_to_wide(double value)
{
    if (isnan(value)) {
        return (struct wide){0, 0};
    }
    if (fabs(value) >= TWO_TO_64 * TWO_TO_64 / 2) {
        return value < 0 ? (struct wide){0, INT64_MIN} : (struct wide){UINT64_MAX, INT64_MAX};
    }
    struct wide wide = positive_to_wide(fabs(value));
    return value < 0 ? negated(wide) : wide;
}

static struct wide float_to_wide(float value)
{
    return double_to_wide(value);
}

static struct wide float_to_uwide(float value)
{
    return double_to_uwide(value);
}

/* Rounds once, to nearest: what lies below the upper 64 bits becomes one sticky bit. */
static void upper_bits(struct wide value, bool *below_zero, uint64_t *upper, int *shift)
{
    *below_zero = value.high < 0;
    value = *below_zero ? negated(value) : value;
    uint64_t high = (uint64_t)value.high;
    if (high == 0) {
        *upper = value.low;
        *shift = 0;
        return;
    }
    *shift = 64 - __builtin_clzll(high);
    uint64_t rest = *shift == 64 ? value.low : value.low << (64 - *shift);
    *upper = (*shift == 64 ? high : high << (64 - *shift) | value.low >> *shift) | (rest != 0);
}

static double wide_to_double(struct wide value)
{
    bool below_zero;
    uint64_t upper;
    int shift;
    upper_bits(value, &below_zero, &upper, &shift);
    double result = ldexp((double)upper, shift);
    return below_zero ? -result : result;
}

static float wide_to_float(struct wide value)
{
    bool below_zero;
    uint64_t upper;
    int shift;
    upper_bits(value, &below_zero, &upper, &shift);
    float result = ldexpf((float)upper, shift);
    return below_zero ? -result : result;
}

/* ---- quotient and remainder in one call ---- */

/* The pair is returned in registers as one value of 64 bits, the remainder in the upper half. */
static uint64_t divide_both(uint32_t a, uint32_t b)
{
    return (uint64_t)(a % b) << 32 | a / b;
}

/* The quotient is returned in r1:0 and the remainder in r3:2, which C cannot say. */
void divide_both_64(void);
uint64_t compiler_quotient(uint64_t a, uint64_t b)
{
    return a / b;
}
uint64_t compiler_remainder(uint64_t a, uint64_t b)
{
    return a % b;
}
__asm__(".text\n.p2align 4\n.globl divide_both_64\n.type divide_both_64, @function\n"
        "divide_both_64:\n"
        "{ allocframe(#32) }\n"
        "{ memd(r29+#0) = r1:0\n memd(r29+#8) = r3:2 }\n"
        "{ call compiler_quotient }\n"
        "{ memd(r29+#16) = r1:0 }\n"
        "{ r1:0 = memd(r29+#0)\n r3:2 = memd(r29+#8) }\n"
        "{ call compiler_remainder }\n"
        "{ r3:2 = combine(r1, r0)\n r1:0 = memd(r29+#16) }\n"
        "{ dealloc_return }\n");

/* clang-format off */
#define EXPORT_BOTH(name, function) \
    EXPORT_AS("__hexagon_" name, function), EXPORT_AS("__qdsp_" name, function)
#define EXPORT_COMPARISONS(suffix, upward, downward, unordered)                       \
    EXPORT_BOTH("eq" suffix, upward), EXPORT_BOTH("ne" suffix, upward),               \
    EXPORT_BOTH("lt" suffix, upward), EXPORT_BOTH("le" suffix, upward),               \
    EXPORT_BOTH("cmp" suffix, upward), EXPORT_BOTH("gt" suffix, downward),            \
    EXPORT_BOTH("ge" suffix, downward), EXPORT_BOTH("unord" suffix, unordered)

const struct shell_symbol compiler_numbers_symbols[] = {
    EXPORT_BOTH("addsf3", add),
    EXPORT_BOTH("subsf3", subtract),
    EXPORT_BOTH("mulsf3", multiply),
    EXPORT_BOTH("negsf2", negative),
    EXPORT_BOTH("negdf2", negative_double),
    EXPORT_BOTH("fast_negdf2", negative_double),
    EXPORT_BOTH("extendsfdf2", extend),
    EXPORT_BOTH("truncdfsf2", truncate),
    EXPORT_COMPARISONS("sf2", compare_upward, compare_downward, unordered),
    EXPORT_COMPARISONS("df2", compare_double_upward, compare_double_downward, unordered_double),
    EXPORT_BOTH("fast_ltdf2", less_fast),
    EXPORT_BOTH("fast_gtdf2", greater_fast),
    EXPORT_BOTH("fixsfsi", float_to_int32),
    EXPORT_BOTH("fixsfdi", float_to_int64),
    EXPORT_BOTH("fixsfti", float_to_wide),
    EXPORT_BOTH("fixunssfsi", float_to_uint32),
    EXPORT_BOTH("fixunssfdi", float_to_uint64),
    EXPORT_BOTH("fixunssfti", float_to_uwide),
    EXPORT_BOTH("fixdfsi", double_to_int32),
    EXPORT_BOTH("fixdfdi", double_to_int64),
    EXPORT_BOTH("fixdfti", double_to_wide),
    EXPORT_BOTH("fixunsdfsi", double_to_uint32),
    EXPORT_BOTH("fixunsdfdi", double_to_uint64),
    EXPORT_BOTH("fixunsdfti", double_to_uwide),
    EXPORT_BOTH("floatsisf", int32_to_float),
    EXPORT_BOTH("floatdisf", int64_to_float),
    EXPORT_BOTH("floattisf", wide_to_float),
    EXPORT_BOTH("floatunsisf", uint32_to_float),
    EXPORT_BOTH("floatundisf", uint64_to_float),
    EXPORT_BOTH("floatsidf", int32_to_double),
    EXPORT_BOTH("floatdidf", int64_to_double),
    EXPORT_BOTH("floattidf", wide_to_double),
    EXPORT_BOTH("floatunsidf", uint32_to_double),
    EXPORT_BOTH("floatundidf", uint64_to_double),
    EXPORT_BOTH("udivmodsi4", divide_both),
    EXPORT_BOTH("udivmoddi4", divide_both_64),
    EXPORT_AS("__qdsp_fmadf5", fused_multiply_add),
    EXPORT_END,
};
/* clang-format on */
