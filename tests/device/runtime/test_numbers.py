"""What compilers call for numbers, and the timers of old headers."""

from __future__ import annotations

import re

import pytest

from tests.device.fastrpc.toolbox import Device

from .test_threads import case


@pytest.mark.parametrize("words", ["operations", "conversions"])
def test_numbers(device: Device, words: str) -> None:
    code, _, log = case(device, "numbers", words)
    assert (code, log) == (0, "")


def test_timers_of_cycles_show_what_they_have_counted(device: Device) -> None:
    code, out, log = case(device, "numbers", "cycles")
    assert (code, out[0]) == (0, 0x68)
    shown = re.fullmatch(r"\[dsp\] HIGH: pcycles: (\d+)\n", log)
    assert shown
    assert 100_000 <= int(shown[1]) < 1_000_000_000
