"""Text, numbers, wide characters and time of the DSP's C library, compared with glibc."""

from __future__ import annotations

import ctypes
import math
import time
from datetime import UTC, datetime, timedelta

import pytest

from tests.device.fastrpc.toolbox import Device

from .shown import Shown, results, show, single

LIBC = ctypes.CDLL("libc.so.6")
LIBC.strtod.restype = ctypes.c_double
LIBC.strtod.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
CASES = ("formats", "scans", "strings", "numbers", "tables", "wide", "times")
DECIMAL, HEX, INFINITE, NEGATIVE = 1, 2, 3, 8


@pytest.fixture(scope="module")
def shown(module_device: Device) -> Shown:
    return show(module_device, "clib_text", CASES)


def glibc(text: str, *values: object) -> list[int | str]:
    """What glibc's snprintf returns and writes."""
    out = ctypes.create_string_buffer(256)
    arguments = [ctypes.c_double(value) if isinstance(value, float) else value for value in values]
    length = LIBC.snprintf(out, 256, text.encode(), *arguments)
    return [length, out.value.decode()]


def long(value: int) -> ctypes.c_longlong:
    return ctypes.c_longlong(value)


def test_printed_text_is_that_of_glibc(shown: Shown) -> None:
    wanted = [
        glibc("%d %5.3d|%-6u|%+i %x %#o %X", -7, 42, 17, 5, 0xBEEF, 8, 0xCAFE),
        glibc("%d %lld %d %llu %hhd %hd", 1, long(-1234567890123), 2, long(2**64 - 1), 300, 70000),
        glibc("%s|%10s|%-10s|%.2s|%c%c", b"abc", b"right", b"left", b"cut", 120, 121),
        glibc("%f %.0f %10.3e %g %G %a", 3.14159, 2.5, 12345.678, 1e-7, 1e20, 0.5),
        glibc("%d %f %d %f %d %f", 1, 1.5, 2, 2.5, 3, 4.5),
        glibc("%*d|%-*d|%.*f|%%", 6, 42, 6, 42, 2, 3.14159),
        glibc("%d %d %d wide w", 5, -5, 6),
        glibc("%f %e %g", math.inf, -math.inf, 0.0),
    ]
    assert [found for _, found in shown["snprintf"]] == wanted
    assert results(shown, "vsnprintf") == glibc("%d %d %s %.3f", 1, 2, b"three", 4.0)
    assert results(shown, "swprintf") == [16, "5 six 7.00 eight"]


def test_scanned_text(shown: Shown) -> None:
    numbers = [7, 12, 31, "word", 3.25, -4.5, 9876543210, "abc", 37]
    assert results(shown, "sscanf") == numbers
    assert results(shown, "swscanf") == [3, 7, "eight", 9.5]
    assert results(shown, "l64a")[1] == 123456789
    assert results(shown, "ecvt") == ["1234.5"]


def number_and_length(text: str) -> tuple[float, int]:
    """What glibc's strtod reads, and how many characters."""
    data = ctypes.create_string_buffer(text.encode())
    end = ctypes.c_void_p()
    value = LIBC.strtod(data, ctypes.byref(end))
    return value, (end.value or 0) - ctypes.addressof(data)


def test_numbers_are_read_as_glibc_reads_them(shown: Shown) -> None:
    assert len(shown["_Stod"]) == 13
    for [text], (value, length, scaled, as_single, kind, error) in shown["_Stod"]:
        wanted, wanted_length = number_and_length(text)
        assert (value, length) == (wanted, wanted_length)
        number = text.strip()[:length].rstrip("xyz.")
        if "x" not in number and kind & 7 == DECIMAL and "e" not in number:
            assert scaled == float(f"{number}e-3")
            assert as_single == single(float(f"{number}e2"))
        hexadecimal = text.startswith("0x")
        wanted_kind = 0 if not length else HEX if hexadecimal else DECIMAL
        wanted_kind = INFINITE if text == "inf" else wanted_kind
        assert kind == wanted_kind | (NEGATIVE if text.startswith("-") else 0)
        assert error == (text in {"1e400", "1e-400"})


def test_digits_and_exponents_make_the_number(shown: Shown) -> None:
    for [text], (count, exponent, *parts, length) in shown["_Stoflt"]:
        if text in {"inf", "none"}:
            assert (count, length) == (0, 0)
            continue
        hexadecimal = text.startswith("0x")
        digits = 0
        for part in parts[:count]:
            digits = digits * (16**7 if hexadecimal else 10**9) + part
        wanted, wanted_length = number_and_length(text)
        assert length == wanted_length
        if hexadecimal:
            assert digits * 2.0**exponent == wanted
        else:
            assert float(f"{digits}e{exponent}") == abs(wanted)


def test_integers(shown: Shown) -> None:
    assert results(shown, "integers") == [2**32 - 1, -9000000000, 2**32 - 1, 1, 127, 0]
    assert results(shown, "wide") == [425.0, 7, 0o77]


def test_time(shown: Shown) -> None:
    assert len(shown["tm"]) == len(shown["strftime"]) == 7
    start = datetime(1970, 1, 1, tzinfo=UTC)
    for [seconds], found in shown["tm"]:
        moment = start + timedelta(seconds=seconds)
        fields = moment.timetuple()
        assert found == [
            *(fields.tm_sec, fields.tm_min, fields.tm_hour, fields.tm_mday, fields.tm_mon - 1),
            *(fields.tm_year - 1900, (fields.tm_wday + 1) % 7, fields.tm_yday - 1),
        ]
    for [seconds], (text, asctime, ctime, year) in shown["strftime"]:
        moment = start + timedelta(seconds=seconds)
        assert text == moment.strftime("%Y-%m-%d %H:%M:%S %a %b %j %U %p UTC")
        assert asctime == ctime == time.asctime(moment.timetuple())
        assert year == str(moment.year)
    for (year, month), [days] in shown["_Daysto"]:
        first = datetime(1900 + year, month + 1, 1, tzinfo=UTC)
        assert days == (first - datetime(1900, 1, 1, tzinfo=UTC)).days - 365 * year
    assert abs(results(shown, "time")[0] - time.time()) < 120
    assert results(shown, "times") == ["Monday:", "C"]
