"""Mathematical functions of the DSP's C library, compared with those of this machine."""

from __future__ import annotations

import ctypes
import errno
import math
import sys
from collections.abc import Callable
from fractions import Fraction

import pytest

from tests.device.fastrpc.toolbox import Device

from .shown import Shown, results, show, single

LIBM = ctypes.CDLL("libm.so.6")


def libm(name: str) -> Callable[[float], float]:
    function = getattr(LIBM, name)
    function.restype = ctypes.c_double
    function.argtypes = (ctypes.c_double,)
    return function  # type: ignore[no-any-return]


SIN, COS = libm("sin"), libm("cos")
LOG = {0: libm("log"), 1: libm("log10"), -1: libm("log2")}


@pytest.fixture(scope="module")
def shown(module_device: Device) -> Shown:
    return show(module_device, "clib_math", ("functions", "values"))


def same(left: float, right: float, error: float = 4e-16) -> bool:
    """Whether two numbers are equal up to a relative error, with the sign of zeros."""
    if math.isnan(left) or math.isnan(right) or left == right == 0:
        return math.isnan(left) == math.isnan(right) and (
            math.isnan(left) or math.copysign(1, left) == math.copysign(1, right)
        )
    return left == right or abs(left - right) <= max(error * abs(right), 5e-324)


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
    for [x], (double, float_) in shown["log2"]:
        assert same(double, LOG[-1](x), 5e-16)
        assert same(float_, LOG[-1](single(x)), 2e-7)


def test_constants(shown: Shown) -> None:
    limits = results(shown, "limits")
    assert limits[:4] == [15, 53, 308, -1021]
    assert limits[4:] == [
        sys.float_info.max,
        sys.float_info.epsilon,
        single(3.4028235e38),
        2.0**-126,
    ]


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
