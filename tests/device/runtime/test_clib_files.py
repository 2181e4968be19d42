"""Files and the process in the DSP's C library."""

from __future__ import annotations

import pytest

from tests.device.fastrpc.toolbox import Device

from .test_threads import case

CRASHED = 0x8000040D


def test_streams(module_device: Device) -> None:
    code, out, log = case(module_device, "clib_files", "streams")
    assert (code, out[0]) == (0, 1), log
    printed = ["absent: No such file or directory", "to stdout 1099511627776", "to stderr"]
    printed += ["wide 7", "descriptor 1"]
    assert log.splitlines() == [f"[dsp] HIGH: {line}" for line in printed]
    written = module_device.root / "clib-test.txt"
    assert written.read_text() == "42 lines 1.50\nsecond line\ntail"


@pytest.mark.parametrize(
    ("name", "wanted"), [("descriptors", 0), ("process", 24), ("full_table", 17)]
)
def test_system_calls(module_device: Device, name: str, wanted: int) -> None:
    code, out, log = case(module_device, "clib_files", name)
    assert (code, out[0], log) == (0, wanted, "")
    assert not (module_device.root / "clib-dir").exists()


def test_atexit_runs_when_the_skel_is_unloaded(module_device: Device) -> None:
    code, _, log = case(module_device, "clib_files", "at_unload")
    assert code == 0
    assert log == "[dsp] HIGH: registered\n[dsp] HIGH: at exit\n"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("leave 3", "[dsp] HIGH: at exit\n[dsp] FATAL: the skel called exit(3)"),
        ("unhandled", "the skel raised signal 11, for which it has no handler"),
        ("failed_assertion", "assertion failed: file.c:7 true == false"),
        ("close_twice", "as a FILE, which it is not"),
    ],
)
def test_the_end_of_the_process_is_explained(
    module_device: Device, words: str, reason: str
) -> None:
    code, _, log = case(module_device, "clib_files", words)
    assert code == CRASHED
    assert reason in log
