/* clib_math.c: the math internals of the DSP's C library, declared as its headers do. */
#include <complex.h>
#include <math.h>

#include "cases.h"
#include "show.h"

short _Dtest(double *), _FDtest(float *), _LDtest(double *);
int _Dclass(double), _FDclass(float), _Dsign(double), _FDsign(float);
int _Fpcomp(double, double), _FFpcomp(float, float);
short _Dint(double *, short), _FDint(float *, short);
short _Dscale(double *, long), _FDscale(float *, long);
short _Dunscale(short *, double *), _FDunscale(short *, float *);
short _Dnorm(double *), _FDnorm(float *);
double _Dtentox(double, long, int *), _Poly(double, const double *, int);
double _Atan(double, int), _Log(double, int), _Sin(double, unsigned), _Rint(double), _Erfc(double);
double _Sinh(double, double), _Cosh(double, double), _Hypot(double, double, int *);
double _Pow(double, double, short *), _Tgamma(double *, short *), _Logpoly(double);
short _Exp(double *, double, long), _FExp(float *, float, long);
unsigned _Quad(double *), _Quadph(double *, double);
float _FLog(float, int), _FSin(float, unsigned), _FSinh(float, float), h_sinf(float),
    h_exp10f(float);
double _LSin(double, unsigned), __ieee754_log(double), __ieee754_jn(int, double);
double *_Xp_setw(double *, int, double), _Xp_getw(const double *, int),
    *_Xp_addh(double *, int, double);
double *_Xp_mulh(double *, int, double), *_Xp_addx(double *, int, const double *, int);
double *_Xp_subx(double *, int, const double *, int), *_Xp_ldexpx(double *, int, int);
double *_Xp_mulx(double *, int, const double *, int, double *), *_Xp_invx(double *, int, double *);
double *_Xp_sqrtx(double *, int, double *), *_LXp_movx(double *, int, const double *);
float *_FXp_setw(float *, int, float), *_FXp_mulx(float *, int, const float *, int, float *);
double norm(double complex);
float normf(float complex);
double complex clog10(double complex), _Cbuild(double, double);
double complex _Cmulcc(double complex, double complex), _Cdivcr(double complex, double);
float complex _FCaddcc(float complex, float complex);
int _Feraise(int), _Fltrounds(void), fegetround(void), fesetround(int), fetestexcept(int);
int feclearexcept(int), feraiseexcept(int), *_Geterrno(void);
extern const double _Erf_one, _Inf, _Nan, _Hugeval, _Eps, _Rteps, _Xbig, _Denorm, _Zero, _LInf;
extern const float _FErf_one, _FInf, _FNan, _FEps, _FRteps, _FXbig, _FDenorm, _FZero;
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

static int parts(const int32_t *in, int32_t *out)
{
    (void)in;
    (void)out;
    EACH(x)
    {
        float f = (float)x;
        short exponent = 99, code;
        double value = x;
        SHOW("_Dtest " DOUBLE " = %d %d %d %d\n", D(x), _Dtest(&x), _LDtest(&x), _Dclass(x),
             _Dsign(x) != 0);
        SHOW("_FDtest " FLOAT " = %d %d %d\n", F(f), _FDtest(&f), _FDclass(f), _FDsign(f) != 0);
        for (int drop = -2; drop <= 2; drop += 2) {
            value = x;
            code = _Dint(&value, (short)drop);
            SHOW("_Dint " DOUBLE " %d = %d " DOUBLE "\n", D(x), drop, code, D(value));
            float single = f;
            code = _FDint(&single, (short)drop);
            SHOW("_FDint " FLOAT " %d = %d " FLOAT "\n", F(f), drop, code, F(single));
        }
        value = x;
        code = _Dunscale(&exponent, &value);
        SHOW("_Dunscale " DOUBLE " = %d %d " DOUBLE "\n", D(x), code, exponent, D(value));
        value = x;
        code = _Dscale(&value, 30);
        SHOW("_Dscale " DOUBLE " 30 = %d " DOUBLE "\n", D(x), code, D(value));
        SHOW("_Fpcomp " DOUBLE " = %d %d\n", D(x), _Fpcomp(x, 1.0), _FFpcomp(f, 1.0f));
        SHOW("_Rint " DOUBLE " = " DOUBLE "\n", D(x), D(_Rint(x)));
    }
    double tiny = -2e-310;
    short field = _Dnorm(&tiny);
    SHOW("_Dnorm = %d " DOUBLE "\n", field, D(tiny));
    int error = 0;
    SHOW("_Dtentox = " DOUBLE " %d", D(_Dtentox(1.5, 20, &error)), error);
    SHOW(" " DOUBLE " %d\n", D(_Dtentox(1.5, 400, &error)), error != 0);
    static const double coefficients[] = {3, -2, 0.5, 7};
    SHOW("_Poly = " DOUBLE "\n", D(_Poly(1.25, coefficients, 3)));
    return 0;
}

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
        for (int offset = -60; offset <= 0; offset += 60) {
            double value = x;
            float single = f;
            short code = _Exp(&value, 1.5, offset);
            SHOW("_Exp " DOUBLE " %d = %d " DOUBLE "\n", D(x), offset, code, D(value));
            code = _FExp(&single, 1.5f, offset);
            SHOW("_FExp " FLOAT " %d = %d " FLOAT "\n", F(f), offset, code, F(single));
        }
        SHOW("_Sinh " DOUBLE " = " DOUBLE " " DOUBLE "\n", D(x), D(_Sinh(x, 1e-2)),
             D(_Cosh(x, 1e-2)));
        SHOW("_FSinh " FLOAT " = " FLOAT "\n", F(f), F(_FSinh(f, 0.5f)));
        SHOW("_Erfc " DOUBLE " = " DOUBLE "\n", D(x), D(_Erfc(x)));
        SHOW("log2 " DOUBLE " = " DOUBLE " " FLOAT "\n", D(x), D(log2(x)), F(log2f(f)));
        SHOW("log " DOUBLE " = " DOUBLE "\n", D(x), D(__ieee754_log(x)));
        SHOW("h_sinf " FLOAT " = " FLOAT " " FLOAT "\n", F(f), F(h_sinf(f)), F(h_exp10f(f)));
        int exponent = 0;
        double length = _Hypot(x, 1e300, &exponent);
        SHOW("_Hypot " DOUBLE " = " DOUBLE " %d\n", D(x), D(length), exponent);
        short power = 0;
        double value = _Pow(x, 3.0, &power);
        SHOW("_Pow " DOUBLE " = " DOUBLE " %d " DOUBLE "\n", D(x), D(value), power,
             D(_Pow(x, 2.5, NULL)));
        if (isfinite(x)) {
            double rest = x, phase = x;
            unsigned quadrant = _Quad(&rest);
            SHOW("_Quad " DOUBLE " = %u " DOUBLE, D(x), quadrant, D(rest));
            quadrant = _Quadph(&phase, 1.75);
            SHOW(" %u " DOUBLE "\n", quadrant, D(phase));
        }
    }
    for (int octant = 0; octant < 16; octant += 2) {
        SHOW("_Atan %d = " DOUBLE "\n", octant, D(_Atan(0.25, octant)));
    }
    for (double x = 0.5; x < 174; x += 17.25) {
        double value = x;
        short exponent = 0;
        double more = _Tgamma(&value, &exponent);
        SHOW("_Tgamma " DOUBLE " = " DOUBLE " " DOUBLE " %d\n", D(x), D(more), D(value), exponent);
    }
    for (double z = 0.01; z < 0.18; z += 0.04) {
        SHOW("_Logpoly " DOUBLE " = " DOUBLE "\n", D(z), D(_Logpoly(z * z)));
    }
    SHOW("jn = " DOUBLE "\n", D(__ieee754_jn(3, 2.5)));
    return 0;
}

static void show_terms(const char *name, const double *terms, int count)
{
    SHOW("%s =", name);
    for (int i = 0; i < count; i++) {
        SHOW(" " DOUBLE, D(terms[i]));
    }
    SHOW("\n");
}

static int sums(const int32_t *in, int32_t *out)
{
    (void)in;
    (void)out;
    double a[4], b[4], c[4], spare[16];
    float f[4], g[4], float_spare[16];
    _Xp_setw(a, 4, M_PI);
    show_terms("pi", a, 4);
    _Xp_addh(a, 4, 1e-20);
    show_terms("pi+1e-20", a, 4);
    SHOW("get = " DOUBLE "\n", D(_Xp_getw(a, 4)));
    _Xp_setw(b, 4, 1.0 / 3);
    _LXp_movx(c, 4, a);
    show_terms("plus", _Xp_addx(c, 4, b, 4), 4);
    show_terms("minus", _Xp_subx(c, 4, a, 4), 4);
    _LXp_movx(c, 4, a);
    show_terms("times", _Xp_mulx(c, 4, b, 4, spare), 4);
    show_terms("half", _Xp_mulh(c, 4, 0.75), 4);
    show_terms("scaled", _Xp_ldexpx(c, 4, 10), 4);
    _LXp_movx(c, 4, a);
    show_terms("inverse", _Xp_invx(c, 4, spare), 4);
    _LXp_movx(c, 4, a);
    show_terms("root", _Xp_sqrtx(c, 4, spare), 4);
    show_terms("nothing", _Xp_subx(a, 4, a, 4), 4);
    _FXp_setw(f, 4, 3.14159265f);
    _FXp_setw(g, 4, 1.0f / 3);
    _FXp_mulx(f, 4, g, 4, float_spare);
    SHOW("float = " FLOAT " " FLOAT " " FLOAT " " FLOAT "\n", F(f[0]), F(f[1]), F(f[2]), F(f[3]));
    return 0;
}

static int values(const int32_t *in, int32_t *out)
{
    (void)in;
    (void)out;
    SHOW("double = " DOUBLE " " DOUBLE " " DOUBLE " " DOUBLE " " DOUBLE " " DOUBLE " " DOUBLE
         " %d\n",
         D(_Inf), D(_Hugeval), D(_LInf), D(_Eps), D(_Rteps), D(_Denorm), D(_Zero), isnan(_Nan));
    SHOW("singles = " FLOAT " " FLOAT " " FLOAT " " FLOAT " " FLOAT " %d\n", F(_FInf), F(_FEps),
         F(_FRteps), F(_FDenorm), F(_FZero), isnan(_FNan));
    SHOW("erf_one = " DOUBLE " " FLOAT "\n", D(_Erf_one), F(_FErf_one));
    SHOW("limits = %d %d %d %d " DOUBLE " " DOUBLE " " FLOAT " " FLOAT "\n", _Dbl.digits,
         _Dbl.mantissa, _Dbl.max_10, _Dbl.min, D(_Dbl.largest.real), D(_Dbl.epsilon.real),
         F(_Flt.largest.single), F(_Flt.smallest.single));
    double complex z = _Cbuild(3, -4);
    double complex product = _Cmulcc(z, _Cbuild(0.5, 2)), part = _Cdivcr(z, 2), log = clog10(z);
    float complex sum = _FCaddcc(1.5f + 2.0f * I, 0.25f - 1.0f * I);
    SHOW("complex = " DOUBLE " " DOUBLE " " DOUBLE " " DOUBLE " " DOUBLE " " DOUBLE " " DOUBLE
         " " FLOAT "\n",
         D(norm(z)), D(creal(product)), D(cimag(product)), D(creal(part)), D(cimag(part)),
         D(creal(log)), D(cimag(log)), F(normf(sum)));
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

const struct named_case cases[] = {
    CASE(parts), CASE(functions), CASE(sums), CASE(values), {NULL, NULL}};
