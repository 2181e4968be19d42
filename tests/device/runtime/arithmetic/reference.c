/* reference.c: compares results of the DSP with those of this machine's C library and compiler.
 *
 *   reference N INPUTS OUTPUTS
 *
 * prints the number of results that were compared, the largest error in units in the last place, its
 * inputs in hex, the number of results that are wrong (another NaN, infinity, sign, or other bits
 * than an exact reference), and the inputs and the result of the first one of those. */
#define _GNU_SOURCE
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define REFERENCE
#include "stand_ins.h"

/* ---- the rows ---- */

#define ROW(number, symbol, kind, reference, exact)   \
    {symbol, kind, (void (*)(void))reference, exact},
static const struct row {
    const char *symbol;
    enum kind kind;
    void (*function)(void);
    bool exact;
} rows[] = {
#include "rows.h"
};

static bool gives_single(enum kind kind)
{
    return kind == F_F || kind == F_FF || kind == F_FFF || kind == F_FW || kind == F_FPW ||
           kind == F_FPF || kind == F_FFPW || kind == F_FD || kind == F_D || kind == F_W ||
           kind == F_L || kind == F_T;
}

static bool gives_double(enum kind kind)
{
    return kind <= D_T;
}

static bool nan_of(const struct row *row, uint64_t word)
{
    if (row->function == (void (*)(void))double_to_half ||
        row->function == (void (*)(void))float_to_half) {
        return (word & 0x7fff) > 0x7c00;
    }
    return gives_double(row->kind) ? isnan(real(word))
                                   : gives_single(row->kind) && isnan(single(word));
}

/* ---- comparison ---- */

static long double approximation(const struct row *row, const uint64_t in[3])
{
    switch (row->kind) {
    case D_D:
        return ((long double (*)(long double))row->function)(real(in[0]));
    case F_F:
        return ((long double (*)(long double))row->function)(single(in[0]));
    case D_DD:
        return ((long double (*)(long double, long double))row->function)(real(in[0]), real(in[1]));
    case F_FF:
        return ((long double (*)(long double, long double))row->function)(single(in[0]),
                                                                          single(in[1]));
    case D_DW:
        return ((long double (*)(long double, int))row->function)(real(in[0]), (int32_t)in[1]);
    case F_FW:
        return ((long double (*)(long double, int))row->function)(single(in[0]), (int32_t)in[1]);
    default: /* D_WD */
        return ((long double (*)(int, long double))row->function)((int32_t)in[0], real(in[1]));
    }
}

/* The error in units in the last place of the result's type, which has `digits` bits and smallest
 * exponent `least`; below zero for a wrong NaN, infinity or sign. The last place is that of a result of
 * at least `size`. */
static long double error_of(long double wanted, long double got, int digits, int least,
                            long double largest, long double size)
{
    if (isnan(wanted) || isnan(got)) {
        return isnan(wanted) && isnan(got) ? 0 : -1;
    }
    if (isinf(wanted) || wanted == 0) {
        return wanted == got && signbit(wanted) == signbit(got) ? 0 : -1;
    }
    if (signbit(wanted) != signbit(got) && size == 0) {
        return -1;
    }
    int exponent;
    frexpl(fmaxl(fabsl(wanted), size), &exponent);
    long double place = ldexpl(1, (exponent < least ? least : exponent) - digits);
    long double overflow = largest + ldexpl(1, ilogbl(largest) - digits);
    if (isinf(got)) { /* the next number after the largest one */
        got = copysignl(overflow * 2 - largest, got);
    }
    if (fabsl(wanted) >= overflow && fabsl(got) > largest) {
        return 0;
    }
    return fabsl(got - wanted) / place;
}

/* For functions with zeros that are no numbers of the format, what their results are compared with:
 * the terms of which lgamma() of numbers below 0 is made, and the amplitude of Bessel functions. Below
 * zero: the result is left open. */
static long double size_near_zeros(const struct row *row, const uint64_t in[3])
{
    if (strncmp(row->symbol, "lgamma", 6) == 0) {
        long double number = row->kind == F_F ? single(in[0]) : real(in[0]);
        return number < 0 ? fmaxl(1, fabsl(lgammal(-number))) : 0;
    }
    if (row->symbol[0] != 'j' && row->symbol[0] != 'y') {
        return 0;
    }
    double x = real(row->kind == D_WD ? in[1] : in[0]);
    return isinf(x) ? -1 : x == 0 ? 0 : fminl(1, sqrtl(0.63661977L / fabsl(x)));
}

static bool is_normal(const struct row *row, long double value)
{
    return gives_single(row->kind) ? isnormal((float)value) : isnormal((double)value);
}

static bool same(const struct row *row, const uint64_t wanted[2], const uint64_t got[2])
{
    if (nan_of(row, wanted[0]) && nan_of(row, got[0])) {
        return true; /* second results are open then */
    }
    bool zeros = (gives_double(row->kind) && real(wanted[0]) == 0 && real(got[0]) == 0) ||
                 (gives_single(row->kind) && single(wanted[0]) == 0 && single(got[0]) == 0);
    if (wanted[0] != got[0] &&
        !(zeros &&
          (row->function == (void (*)(void))fmax || row->function == (void (*)(void))fmin ||
           row->function == (void (*)(void))fmaxf || row->function == (void (*)(void))fminf))) {
        return false;
    }
    if (row->kind == D_DDPW || row->kind == F_FFPW) {
        int32_t a = (int32_t)wanted[1], b = (int32_t)got[1];
        return (abs(a) & 7) == (abs(b) & 7) && (a == 0 || b == 0 || (a < 0) == (b < 0));
    }
    if ((row->kind == D_DPW && !isfinite(real(wanted[0]))) ||
        (row->kind == F_FPW && !isfinite(single(wanted[0])))) {
        return true; /* the exponent of an infinity is open */
    }
    return wanted[1] == got[1];
}

int main(int count, char **arguments)
{
    if (count != 4) {
        return 2;
    }
    const struct row *row = &rows[atoi(arguments[1])];
    FILE *inputs = fopen(arguments[2], "rb"), *outputs = fopen(arguments[3], "rb");
    if (inputs == NULL || outputs == NULL) {
        return 2;
    }
    uint64_t in[3], got[2], worst[3] = {0}, first[4] = {0};
    long compared = 0, wrong = 0;
    long double largest = 0;
    while (fread(in, sizeof in, 1, inputs) == 1 && fread(got, sizeof got, 1, outputs) == 1) {
        long double error;
        if (row->exact) {
            uint64_t wanted[2];
            open_result = false;
            call(row->kind, row->function, in, wanted);
            if (open_result) {
                continue;
            }
            error = same(row, wanted, got) ? 0 : -1;
        } else {
            long double wanted = approximation(row, in);
            long double size = size_near_zeros(row, in);
            int exponent = (int32_t)in[1], steps = 1;
            if (row->kind == D_DW || row->kind == F_FW) { /* each multiplication rounds */
                steps = exponent == 0 ? 1 : abs(exponent);
                size = steps > 64 || !is_normal(row, wanted) ? -1 : 0;
            }
            if (size < 0) {
                continue;
            }
            error = gives_single(row->kind)
                        ? error_of(wanted, single(got[0]), 24, -125, 0x1.fffffep127L, size)
                        : error_of(wanted, real(got[0]), 53, -1021, 0x1.fffffffffffffp1023L, size);
            error = error < 0 ? error : error / steps;
        }
        compared++;
        if (error < 0) {
            if (wrong++ == 0) {
                memcpy(first, in, sizeof in);
                first[3] = got[0];
            }
        } else if (error > largest) {
            largest = error;
            memcpy(worst, in, sizeof in);
        }
    }
    printf("%ld %.4Lf %llx,%llx,%llx %ld %llx,%llx,%llx %llx\n", compared, largest,
           (unsigned long long)worst[0], (unsigned long long)worst[1], (unsigned long long)worst[2],
           wrong, (unsigned long long)first[0], (unsigned long long)first[1],
           (unsigned long long)first[2], (unsigned long long)first[3]);
    return 0;
}
