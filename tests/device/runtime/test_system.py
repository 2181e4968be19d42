"""FARF, parts of the C library, time, power votes, and unsupported functions."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.device.fastrpc.toolbox import Device, Toolbox

from .conftest import QURT, build_skel, install
from .test_threads import case

UNSUPPORTED_API = -3  # HAP_POWER_ERR_UNSUPPORTED_API
UNSUPPORTED = 0x80000414 - (1 << 32)
LEVELS = [
    "[dsp] MEDIUM system.c:N: no arguments",
    "[dsp] HIGH system.c:N: int -5 long long 1099511627776 string text char x",
    "[dsp] ERROR system.c:N: double 2.500 width     42|42    |000042",
    "[dsp] HIGH system.c:N: mixed 1 2 3 4.000000 five 6%",
    "[dsp] HIGH system.c:N: asked for 1",
    "[dsp] HIGH system.c:N: this file",
    "[dsp] FATAL system.c:N: ",
]


def without_line_numbers(log: str) -> list[str]:
    return [
        f"{line.split('.c:')[0]}.c:N:{line.split(':', 2)[2]}" if ".c:" in line else line
        for line in log.splitlines()
    ]


def test_farf_levels_reach_the_terminal(device: Device) -> None:
    code, _, log = case(device, "system", "levels")
    assert code == 0
    assert without_line_numbers(log) == LEVELS


@pytest.mark.parametrize(
    ("mask", "shown"), [("0x18", ("ERROR", "FATAL")), ("0", ()), ("4", ("HIGH",))]
)
def test_a_variable_silences_levels(device: Device, mask: str, shown: tuple[str, ...]) -> None:
    (device.root / f"usr/lib/rfsa/adsp/{device.client.name}.farf").write_text("0x1f")
    script = "open system; case system levels; close system"
    shows_all, result = device.run(script), device.run(script, BUILDTOOL_SIM_FARF=mask)

    assert result.out == shows_all.out
    lines = shows_all.err.splitlines()
    assert result.err.splitlines() == [line for line in lines if line.split()[1] in shown]


def test_what_is_no_mask_of_levels_is_named(device: Device) -> None:
    script = "open system; case system levels; close system"
    shown = device.run(script).err
    for wrong in ("high", "0x18,", "-1", "99999999999999999999"):
        first, _, rest = device.run(script, BUILDTOOL_SIM_FARF=wrong).err.partition("\n")
        assert f'is no mask of levels, so all messages are shown: "{wrong}"' in first
        assert rest == shown


def test_farf_is_the_same_in_skels_of_the_linux_convention(
    device: Device, toolbox: Toolbox
) -> None:
    """zig's Hexagon triple passes variadic arguments differently; the header handles both."""
    built = build_skel(toolbox, "system_linux", "-DLINUX", source="system")
    install(device, built, "system")
    _, _, log = case(device, "system", "levels")
    assert without_line_numbers(log) == LEVELS


def test_long_message_is_cut(device: Device) -> None:
    _, _, log = case(device, "system", "long_message")
    assert log.rstrip().endswith("a" * 255)
    assert "a" * 256 not in log


@pytest.mark.parametrize(
    "words",
    [
        "formatting",
        "formatting_by_list",
        "c_library",
        "mathematics",
        "half_floats",
        "arithmetic 7000",
    ],
)
def test_libraries(device: Device, words: str) -> None:
    code, _, log = case(device, "system", words)
    assert code == 0, log


def test_time_passes(device: Device) -> None:
    code, out, log = case(device, "system", "time_passes")
    assert code == 0, log
    assert out[0] >= 20000


def test_power_votes_are_kept(device: Device, make_device: Callable[..., Device]) -> None:
    code, out, log = case(device, "system", "power")
    assert code == 0, log
    assert out[:2] == [UNSUPPORTED_API, -2]
    assert "the QCS6490 has no HMX that can be powered up" in log
    code, out, log = case(make_device("other", hmx="1"), "system", "power")
    assert code == 0, log
    assert out[:2] == [0, -2]


def test_performance_monitor_and_tracing_are_refused(device: Device) -> None:
    code, out, log = case(device, "system", "monitor")
    assert code == 0
    assert out[:2] == [0, UNSUPPORTED]
    assert "qurt_pmu_get: the performance monitor is not emulated" in log
    assert "instruction tracing is not emulated" in log


def test_facts(device: Device) -> None:
    code, out, log = case(device, "system", "facts")
    assert code == 0, log
    assert out[0] == 0x68
    assert out[1] == 6
    assert out[2] > 1
    assert out[3] == 64


@pytest.mark.parametrize(("configured", "heap_mb"), [(None, 512), (str(64 << 20), 64)])
def test_size_of_the_heap(
    make_device: Callable[..., Device], configured: str | None, heap_mb: int
) -> None:
    code, out, log = case(make_device(heap_bytes=configured), "system", "heap_size")
    assert (code, out[0]) == (0, heap_mb), log


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("fail_assertion", "assertion failed: kernel.c:12 n > 0"),
        ("leave 3", "the skel called exit(3)"),
    ],
)
def test_ends_of_the_process(device: Device, words: str, text: str) -> None:
    code, _, log = case(device, "system", words)
    assert code == 0x8000040D
    assert text in log


def test_stack_protector(device: Device, toolbox: Toolbox) -> None:
    # zig requires a libc for -fstack-protector, but its compiler does not.
    guarded = ("-Xclang", "-stack-protector", "-Xclang", "3")
    built = build_skel(toolbox, "system_guarded", *QURT, *guarded, source="system")
    install(device, built, "system")
    code, _, log = case(device, "system", "smash_stack 16")
    assert code == 0, log
    code, _, log = case(device, "system", "smash_stack 40")
    assert code == 0x8000040D
    assert "wrote beyond an array on its stack" in log


def test_a_file_beside_the_skels_enables_runtime_levels(device: Device) -> None:
    folder = device.root / "usr/lib/rfsa/adsp"
    shown = "[dsp] HIGH system.c:N: not asked for"  # by the kernel

    (folder / f"{device.client.name}.farf").write_text("0x1f\n")
    code, _, log = case(device, "system", "levels")
    assert code == 0
    assert shown in without_line_numbers(log)

    (folder / f"{device.client.name}.farf").write_text("0x1f other.c,system.c")
    assert shown in without_line_numbers(case(device, "system", "levels")[2])

    for other in ("0x1f other.c", "0x1b", "", "levels", "0x" + "f" * 600):
        (folder / f"{device.client.name}.farf").write_text(other)
        assert without_line_numbers(case(device, "system", "levels")[2]) == LEVELS, other
