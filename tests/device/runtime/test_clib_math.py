"""The math internals of the DSP's C library, compared with Python's math and exact fractions."""

from __future__ import annotations

import cmath
import ctypes
import errno
import math
import struct
import sys
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest

from tests.device.fastrpc.toolbox import Device

from .shown import Shown, results, show, single

FINITE, ZERO, INFINITE, NOT_A_NUMBER, SUBNORMAL = -1, 0, 1, 2, -2
LIBM = ctypes.CDLL("libm.so.6")


def libm(name: str, *kinds: type) -> Callable[..., float]:
    function = getattr(LIBM, name)
    function.restype = ctypes.c_double
    function.argtypes = kinds or (ctypes.c_double,)
    return function  # type: ignore[no-any-return]


SIN, COS, LOG = libm("sin"), libm("cos"), {0: libm("log"), 1: libm("log10"), -1: libm("log2")}
SINH, COSH, ERFC, RINT, EXP = libm("sinh"), libm("cosh"), libm("erfc"), libm("rint"), libm("exp")
POW = libm("pow", ctypes.c_double, ctypes.c_double)


@pytest.fixture(scope="module")
def shown(module_device: Device) -> Shown:
    return show(module_device, "clib_math", ("parts", "functions", "sums", "values"))


def same(left: float, right: float, error: float = 4e-16) -> bool:
    """Whether two numbers are equal up to a relative error, with the sign of zeros."""
    if math.isnan(left) or math.isnan(right) or left == right == 0:
        return math.isnan(left) == math.isnan(right) and (
            math.isnan(left) or math.copysign(1, left) == math.copysign(1, right)
        )
    return left == right or abs(left - right) <= max(error * abs(right), 5e-324)


def class_of(x: float, smallest: float = sys.float_info.min) -> int:
    if math.isnan(x):
        return NOT_A_NUMBER
    if math.isinf(x):
        return INFINITE
    return ZERO if x == 0 else SUBNORMAL if abs(x) < smallest else FINITE


def after(x: float) -> int:
    return FINITE if class_of(x) == SUBNORMAL else class_of(x)


def sign(x: float) -> int:
    return int(math.copysign(1, x) < 0)


def test_classes(shown: Shown) -> None:
    assert len(shown["_Dtest"]) == len(shown["_FDtest"]) == 27
    for [x], found in shown["_Dtest"]:
        assert found == [class_of(x), class_of(x), class_of(x), sign(x)], x
    for [x], found in shown["_FDtest"]:
        assert found == [class_of(x, 2.0**-126), class_of(x, 2.0**-126), sign(x)], x
    for [x], found in shown["_Fpcomp"]:
        wanted = 0 if math.isnan(x) else 1 if x < 1 else 4 if x > 1 else 2
        assert found == [wanted, wanted], x


def test_parts(shown: Shown) -> None:
    for name in ("_Dint", "_FDint"):
        assert len(shown[name]) == 81
        for (x, drop), (code, kept) in shown[name]:
            if math.isfinite(x):
                unit = Fraction(2) ** -drop
                wanted = float(math.trunc(Fraction(x) / unit) * unit)
                assert code == (FINITE if wanted != x else ZERO)
                assert kept == wanted
            else:
                assert code == class_of(x)
    for [x], (code, exponent, fraction) in shown["_Dunscale"]:
        assert code == after(x)
        assert not math.isfinite(x) or math.frexp(x) == (fraction, exponent)
    for [x, _], (code, scaled) in shown["_Dscale"]:
        assert same(scaled, x * 2.0**30)
        assert code == after(scaled)
    for [x], [rounded] in shown["_Rint"]:
        assert same(rounded, RINT(x))
    field, fraction = results(shown, "_Dnorm")
    assert math.ldexp(fraction / sys.float_info.min - 1, field - 1023) == -2e-310
    assert struct.pack(">d", fraction)[:2] == b"\x80\x02"
    assert results(shown, "_Dtentox") == [1.5e20, 0, math.inf, 1]
    x = 1.25
    assert results(shown, "_Poly") == [3 * x**3 - 2 * x**2 + 0.5 * x + 7]


def test_functions_with_a_second_argument(shown: Shown) -> None:
    def quadrant(x: float, count: int) -> float:
        return (SIN(x), COS(x), -SIN(x), -COS(x))[count]

    for (x, count), found in shown["_Sin"]:
        wanted = quadrant(x, count)
        assert same(found[0], wanted)
        assert same(found[1], wanted)
    for (x, count), [got] in shown["_FSin"]:
        assert same(got, quadrant(x, count), 2e-7)
    for (x, base), [got] in shown["_Log"]:
        assert same(got, LOG[base](x), 5e-16)
    for (x, base), [got] in shown["_FLog"]:
        assert same(got, LOG[base](x), 2e-7)
    for [x], (sinh, cosh) in shown["_Sinh"]:
        if abs(x) < 700 or not math.isfinite(x) or abs(x) > 1e3:
            assert same(sinh, SINH(x) * 1e-2, 8e-16)
            assert same(cosh, COSH(x) * 1e-2, 8e-16)
    for [x], [got] in shown["_FSinh"]:
        assert same(got, single(SINH(x) * 0.5), 4e-7)
    for octant, wanted in enumerate(
        (
            math.atan(0.25),
            math.pi / 2 - math.atan(0.25),
            math.pi / 2 + math.atan(0.25),
            math.pi - math.atan(0.25),
        )
    ):
        positive, negative = shown["_Atan"][octant], shown["_Atan"][octant + 4]
        assert same(positive[1][0], wanted)
        assert same(negative[1][0], -wanted)


@pytest.mark.parametrize(("name", "error"), [("_Exp", 1e-15), ("_FExp", 3e-7)])
def test_exponentials_scale_before_they_overflow(shown: Shown, name: str, error: float) -> None:
    in_range = 0
    for (x, offset), (code, got) in shown[name]:
        if math.isnan(x):
            assert code == NOT_A_NUMBER
            continue
        whole = math.floor(min(max(x, -4e4), 4e4))
        with localcontext(prec=60):  # as a fraction it has millions of digits
            power = Fraction(Decimal(math.e) ** whole)
        exact = Fraction(EXP(min(max(x, -4e4), 4e4) - whole)) * power
        wanted = exact * Fraction(3, 2) * Fraction(2) ** offset
        largest = Fraction(sys.float_info.max if name == "_Exp" else 3.4028234663852886e38)
        smallest = Fraction(2) ** (-1022 if name == "_Exp" else -126)
        if wanted > largest:
            assert (code, got) == (INFINITE, math.inf)
        elif wanted > smallest:
            in_range += 1
            assert code == FINITE
            assert abs(Fraction(got) / wanted - 1) < Fraction(error) * max(1, abs(whole) // 4)
    assert in_range > 20


def test_values_with_an_exponent(shown: Shown) -> None:
    for [x], (length, exponent) in shown["_Hypot"]:
        if math.isfinite(x):
            value = Fraction(length) * Fraction(2) ** exponent
            wanted = Fraction(x) ** 2 + Fraction(1e300) ** 2
            assert abs(value**2 / wanted - 1) < Fraction(1, 10**15)
    for [x], (power, exponent, plain) in shown["_Pow"]:
        assert same(plain, POW(x, 2.5), 1e-15)
        if math.isfinite(x) and x != 0:
            value = Fraction(power) * Fraction(2) ** exponent
            assert abs(value / Fraction(x) ** 3 - 1) < Fraction(1, 10**12)
    for [x], (more, denominator, exponent) in shown["_Tgamma"]:
        value = (1 + more) / denominator
        logarithm = math.log(value) - exponent * math.log(2)
        assert same(logarithm, math.lgamma(x), 1e-12)
    assert len(shown["_Tgamma"]) == 11


def test_reduced_angles(shown: Shown) -> None:
    assert len(shown["_Quad"]) == 24
    for [x], (count, rest, phase_count, phase_rest) in shown["_Quad"]:
        assert abs(rest) <= math.pi / 4 + 1e-15
        assert abs(phase_rest) <= math.pi / 4 + 1e-15
        turned = rest + count * math.pi / 2
        assert abs(math.sin(turned) - SIN(x)) < 1e-15
        assert abs(math.cos(turned) - COS(x)) < 1e-15
        turned = phase_rest + phase_count * math.pi / 2
        eighth = math.sqrt(0.5)  # x + 1.75 pi
        assert abs(math.sin(turned) - eighth * (SIN(x) - COS(x))) < 2e-15


def test_other_functions(shown: Shown) -> None:
    for [x], [got] in shown["_Erfc"]:
        assert same(got, ERFC(x), 1e-15)
    for [x], [got] in shown["log"]:
        assert same(got, LOG[0](x), 5e-16)
    for [x], (double, float_) in shown["log2"]:
        assert same(double, LOG[-1](x), 5e-16)
        assert same(float_, LOG[-1](single(x)), 2e-7)
    for [x], (sine, power) in shown["h_sinf"]:
        assert same(sine, SIN(x), 2e-7)
        assert same(power, single(POW(10.0, x)), 1e-6)
    for [z], [got] in shown["_Logpoly"]:
        logarithm = 2 * z + z * z * z * got
        assert same(logarithm, math.log1p(2 * z / (1 - z)), 1e-15)
    bessel = libm("jn", ctypes.c_int, ctypes.c_double)
    assert same(results(shown, "jn")[0], bessel(3, 2.5), 1e-14)


def terms(shown: Shown, name: str) -> Fraction:
    """The sum of extended precision with this name, after checks of its terms."""
    numbers = results(shown, name)
    sizes = [abs(number) for number in numbers if number]
    assert sizes == sorted(sizes, reverse=True)
    for number in numbers:
        mantissa = int(math.ldexp(math.frexp(number)[0], 53))
        assert mantissa % 2**27 == 0, f"{number.hex()} has more than 26 bits"
    return sum(map(Fraction, numbers), Fraction(0))


def test_sums_of_extended_precision(shown: Shown) -> None:
    pi, third = Fraction(math.pi), Fraction(1.0 / 3)
    small = Fraction(2) ** -100
    assert terms(shown, "pi") == pi
    more = pi + Fraction(1e-20)
    assert abs(terms(shown, "pi+1e-20") - more) < small
    assert results(shown, "get") == [float(more)]
    more = terms(shown, "pi+1e-20")
    assert abs(terms(shown, "plus") - (more + third)) < small
    assert abs(terms(shown, "minus") - third) < small
    product = terms(shown, "times")
    assert abs(product - more * third) < small
    assert abs(terms(shown, "half") - product * Fraction(3, 4)) < small
    assert terms(shown, "scaled") == terms(shown, "half") * 1024
    assert abs(terms(shown, "inverse") * more - 1) < small
    assert abs(terms(shown, "root") ** 2 - more) < small
    assert terms(shown, "nothing") == 0
    product = sum(map(Fraction, results(shown, "float")), Fraction(0))
    exact = Fraction(single(3.14159265)) * Fraction(single(1 / 3))
    assert abs(product - exact) < Fraction(2) ** -45


def test_constants(shown: Shown) -> None:
    inf = math.inf
    assert results(shown, "double") == [inf, inf, inf, 2.0**-54, 2.0**-27, 5e-324, 0.0, 1]
    first, first_single = results(shown, "erf_one")
    assert math.erf(math.nextafter(first, 0)) < 1 == math.erf(first)
    assert single(math.erf(first_single * 0.97)) < 1 == single(math.erf(first_single))
    limits = results(shown, "limits")
    assert limits[:4] == [15, 53, 308, -1021]
    assert limits[4:] == [
        sys.float_info.max,
        sys.float_info.epsilon,
        single(3.4028235e38),
        2.0**-126,
    ]
    assert results(shown, "singles") == [inf, 2.0**-25, 2.0**-12, 2.0**-149, 0.0, 1]


def test_complex_numbers(shown: Shown) -> None:
    z = complex(3, -4)
    product, log = z * complex(0.5, 2), cmath.log10(z)
    wanted = [25.0, product.real, product.imag, 1.5, -2.0, log.real, log.imag, 1.75**2 + 1.0]
    assert all(map(same, results(shown, "complex"), wanted))


def test_rounding_and_flags(shown: Shown) -> None:
    exact = Fraction(1, 10)
    near = 1.0 / 10.0
    down = near if Fraction(near) < exact else math.nextafter(near, 0)
    up = math.nextafter(down, 1)
    wanted = {0: (near, 1), 1: (down, 0), 2: (down, 3), 3: (up, 2)}
    for [mode], (code, now, rounds, quotient) in shown["round"]:
        assert (code, now) == (0, mode)
        assert (quotient, rounds) == wanted[mode]
    assert results(shown, "raise") == [0, 4, errno.EDOM]
