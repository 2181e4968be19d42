"""Host libraries and skels with traits of those that the SDK builds, on two SoCs."""

from __future__ import annotations

import dataclasses
import re
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from .toolbox import ARM, HEADERS, Device, Toolbox

SOURCES = Path(__file__).parent / "sdk_style"
CYCLES = 25
SOCS = {
    "QCS6490": {},
    "SM8550": {"soc": "SM8550", "arch": "73", "vtcm_bytes": str(8 << 20)},
}
NOT_MAPPED = 0x80000600 - (1 << 32)
NO_SUCH_MAPPING = 0x80000448 - (1 << 32)
UNSUPPORTED_API = -3  # HAP_POWER_ERR_UNSUPPORTED_API


@pytest.fixture
def sdk_device(make_device: Callable[..., Device], toolbox: Toolbox) -> Callable[[str], Device]:
    """A function that lays out a device with a SoC, which runs the SDK-style program."""
    library = toolbox._once(
        toolbox.base / "sdk_style" / "libsdkstyle.so",
        [*ARM, *HEADERS, "-shared", "-fPIC", SOURCES / "library.c", toolbox.library()],
    )
    program = toolbox._once(toolbox.base / "sdk_style" / "program", [*ARM, SOURCES / "program.c"])
    skel = toolbox.skel("sdkstyle", source=str(SOURCES / "skel.c"))

    def make(soc: str) -> Device:
        device = make_device(**SOCS[soc])
        device.install(library, directory="lib")
        shutil.copy(library, device.root / "lib" / "libsdkother.so")
        device.install(skel)
        return dataclasses.replace(device, client=program)

    return make


def numbers(line: str) -> list[int]:
    return [int(word) for word in re.findall(r"-?\d+", line.split(":", 1)[1])]


@pytest.mark.parametrize("soc", list(SOCS))
def test_traits(sdk_device: Callable[[str], Device], soc: str) -> None:
    result = sdk_device(soc).run("once 6")
    assert result.lines[-1] == "code = 0", result.err
    init, counters, mappings, stack, hmx, host = result.lines[:6]
    assert numbers(init)[0] == 123  # DT_INIT, then DT_INIT_ARRAY in order
    assert numbers(counters)[:2] == [1, 1]
    assert numbers(mappings)[:10] == [
        *(NOT_MAPPED, 0, 0, 1, 30),
        *(0, NO_SUCH_MAPPING, 0, NOT_MAPPED, NOT_MAPPED),
    ]
    entry, deeper = numbers(stack)[:2]
    assert 15000 < entry <= 16384
    assert 8000 <= entry - deeper < 8600
    assert numbers(hmx)[0] == UNSUPPORTED_API
    assert host == "buffer = 31, HMX = 0, ups = 1"


@pytest.mark.parametrize("keep", ["", " -"], ids=["unloaded too", "kept"])
def test_library_with_a_notifier_is_loaded_and_unloaded(
    sdk_device: Callable[[str], Device], keep: str
) -> None:
    """Nothing of the library is left, and nothing of libcdsprpc, if it is unloaded with it."""
    result = sdk_device("SM8550").run(f"cycles {CYCLES}{keep}")
    assert result.status == 0, result.err
    assert result.out.count("method 2 = 0: 123") == CYCLES
    early, late, loaded = (line for line in result.lines if not line.startswith("method"))
    assert numbers(late)[:2] == numbers(early)[:2], (early, late)  # files, threads
    assert abs(numbers(late)[2] - numbers(early)[2]) < 10, (early, late)  # mappings
    assert loaded == f"loaded = {bool(keep):d}, forked = 7"
    assert result.err == ""


def test_notifier_of_an_unloaded_library_is_not_called(
    sdk_device: Callable[[str], Device],
) -> None:
    result = sdk_device("QCS6490").run("stale")
    assert result.status == 0, result.err
    assert result.lines[-1] == "code = 0"
    assert result.err.count("libsdkstyle.so registered a notifier and was unloaded") == 1


def test_endless_call_is_named(sdk_device: Callable[[str], Device]) -> None:
    """A line names it after 10 s, and another at the end of the client if it has not been named."""
    device = sdk_device("QCS6490")
    for method, seconds, begin in ((8, 2, "the client has ended; method"), (7, 12, "method")):
        client = device.start(f"once {method}")
        time.sleep(seconds)
        client.send_signal(signal.SIGINT)
        out, err = client.communicate(timeout=20)
        assert out == "", "the report has changed registers of the call"
        line = f"HIGH: {begin} {method} of libsdkstyle_skel.so has been running for "
        assert err.count(line) == 1, err
        assert re.search(r"for \d+ s, code at libsdkstyle_skel.so\+0x[0-9a-f]+\n", err), err


def test_both_names_are_one_library(sdk_device: Callable[[str], Device]) -> None:
    assert sdk_device("QCS6490").run("names").out == "one library\n"
