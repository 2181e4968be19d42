/* clib_math.c: mathematical functions of the DSP's C library, declared as its headers do. */
#include <math.h>

#include "cases.h"
#include "show.h"

double _Log(double, int), _Sin(double, unsigned), _LSin(double, unsigned);
float _FLog(float, int), _FSin(float, unsigned);
int _Feraise(int), _Fltrounds(void), fegetround(void), fesetround(int), fetestexcept(int);
int feclearexcept(int), feraiseexcept(int), *_Geterrno(void);
struct limits {
    int digits, mantissa, max_10, max, min_10, min;
    union {
        double real;
        float single;
        short words[8];
    } epsilon, largest, smallest;
};
extern const struct limits _Dbl, _Flt;

static const double numbers[] = {0.0,       -0.0,    1.0,      -1.0,      0.5,    2.75, -3.25,
                                 100.125,   1e-3,    1e-10,    1e10,      709.5,  -740, 1e300,
                                 5e-324,    -2e-310, 1e17 / 3, 12345.678, 1e22,   0.1,  INFINITY,
                                 -INFINITY, NAN,     2.5,      171.0,     2e-310, 1e-40};
#define EACH(x)                                                        \
    for (unsigned i_ = 0; i_ < sizeof numbers / sizeof *numbers; i_++) \
        for (double x = numbers[i_], once_ = 1; once_ != 0; once_ = 0)

static int functions(const int32_t *in, int32_t *out)
{
    (void)in;
    (void)out;
    EACH(x)
    {
        float f = (float)x;
        for (unsigned q = 0; q < 4; q++) {
            SHOW("_Sin " DOUBLE " %u = " DOUBLE " " DOUBLE "\n", D(x), q, D(_Sin(x, q)),
                 D(_LSin(x, q)));
            SHOW("_FSin " FLOAT " %u = " FLOAT "\n", F(f), q, F(_FSin(f, q)));
        }
        for (int decimal = -1; decimal < 2; decimal++) {
            SHOW("_Log " DOUBLE " %d = " DOUBLE "\n", D(x), decimal, D(_Log(x, decimal)));
            SHOW("_FLog " FLOAT " %d = " FLOAT "\n", F(f), decimal, F(_FLog(f, decimal)));
        }
        SHOW("log2 " DOUBLE " = " DOUBLE " " FLOAT "\n", D(x), D(log2(x)), F(log2f(f)));
    }
    return 0;
}

static int values(const int32_t *in, int32_t *out)
{
    (void)in;
    (void)out;
    SHOW("limits = %d %d %d %d " DOUBLE " " DOUBLE " " FLOAT " " FLOAT "\n", _Dbl.digits,
         _Dbl.mantissa, _Dbl.max_10, _Dbl.min, D(_Dbl.largest.real), D(_Dbl.epsilon.real),
         F(_Flt.largest.single), F(_Flt.smallest.single));
    volatile double one = 1.0, ten = 10.0;
    for (int mode = 0; mode < 4; mode++) {
        int code = fesetround(mode);
        double quotient = one / ten;
        SHOW("round %d = %d %d %d " DOUBLE "\n", mode, code, fegetround(), _Fltrounds(),
             D(quotient));
    }
    fesetround(0);
    feclearexcept(0x3e);
    int before = fetestexcept(0x3e);
    _Feraise(4);
    SHOW("raise = %d %d %d\n", before, fetestexcept(0x3e), *_Geterrno());
    return 0;
}

const struct named_case cases[] = {CASE(functions), CASE(values), {NULL, NULL}};
