/* fenv.c: the floating-point environment.
 *
 * Both C libraries use the bits of the register USR: flags 1 (invalid) to 5 (inexact), and the
 * rounding mode 0 (nearest), 1 (zero), 2 (down) or 3 (up). (Hexagon V68 Programmer's Reference Manual,
 * "User status register".) */
#include <errno.h>
#include <fenv.h>

#include "runtime.h"

static const uint32_t default_environment[4];
static _Thread_local int traps;

static int raise_exceptions(int exceptions)
{
    if ((exceptions & (FE_INVALID | FE_DIVBYZERO)) != 0) {
        errno = EDOM;
    } else if ((exceptions & (FE_OVERFLOW | FE_UNDERFLOW)) != 0) {
        errno = ERANGE;
    }
    return feraiseexcept(exceptions);
}

static int get_traps(void)
{
    return traps;
}

/* QEMU does not trap. */
static int set_traps(int wanted)
{
    if ((wanted & FE_ALL_EXCEPT) != 0) {
        REFUSE_ONCE("the skel enabled traps of floating-point exceptions, which are not emulated");
    }
    traps = wanted & FE_ALL_EXCEPT;
    return 0;
}

/* FLT_ROUNDS: 0 to zero, 1 to nearest, 2 up, 3 down. */
static int rounding(void)
{
    switch (fegetround()) {
    case FE_TOWARDZERO:
        return 0;
    case FE_UPWARD:
        return 2;
    case FE_DOWNWARD:
        return 3;
    default:
        return 1;
    }
}

const struct shell_symbol fenv_symbols[] = {
    EXPORT(feclearexcept),
    EXPORT(fegetenv),
    EXPORT(fegetexceptflag),
    EXPORT(fegetround),
    EXPORT(feholdexcept),
    EXPORT(feraiseexcept),
    EXPORT(fesetenv),
    EXPORT(fesetexceptflag),
    EXPORT(fesetround),
    EXPORT(fetestexcept),
    EXPORT(feupdateenv),
    EXPORT_AS("fegettrapenable", get_traps),
    EXPORT_AS("fesettrapenable", set_traps),
    EXPORT_AS("_Feraise", raise_exceptions),
    EXPORT_AS("_Force_raise", feraiseexcept),
    EXPORT_AS("_Fltrounds", rounding),
    {"_Fenv0", (void *)default_environment},
    EXPORT_END,
};
