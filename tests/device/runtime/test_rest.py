"""Functions of real shells that few skels use: QuRT's mailboxes and regions, HAP_pls and others."""

from __future__ import annotations

from tests.device.fastrpc.toolbox import Device, Toolbox

from .conftest import build_skel, install

CASES = (
    "mailboxes",
    "regions 5000",
    "local_storage",
    "old_objects",
    "contexts",
    "units",
    "counters",
    "absent",
    "whole_dsp",
    "timer_groups",
)
HMX_IS_ABSENT = 1  # QURT_EVAL
NOT_ALONE = 22  # QURT_ESTM
CDSP = 3
PMU_IS_ABSENT = 0x80000FFF - (1 << 32)  # HAP_USER_PMU_READ_NOT_SUPPORTED
RESOURCE_IS_UNKNOWN = 2  # NPA_QUERY_UNKNOWN_RESOURCE
UNSUPPORTED = 0x80000414 - (1 << 32)  # AEE_EUNSUPPORTED


def test_frames_of_old_compilers(device: Device, toolbox: Toolbox) -> None:
    install(device, build_skel(toolbox, "old_frames"), "old_frames")
    result = device.run("open old_frames; case old_frames old_frames; close old_frames")
    assert result.status == 0, result.err
    assert result["case old_frames old_frames"].split()[0] == "0", result.err


def test_rarely_used_functions(device: Device, toolbox: Toolbox) -> None:
    install(device, build_skel(toolbox, "rest"), "rest")
    steps = [f"case rest {case}" for case in CASES]
    result = device.run("; ".join(["pid", "open rest", *steps, "close rest"]))
    assert result.status == 0, result.err
    found = {case: result[f"case rest {case}"].split() for case in CASES}
    assert {case: code for case, (code, *_) in found.items()} == dict.fromkeys(CASES, "0"), (
        result.err
    )
    numbers = {case: [int(word) for word in words[1:]] for case, words in found.items()}
    assert numbers["regions 5000"][0] == 8192
    assert numbers["contexts"][0] == int(result["pid"].split()[1])
    microseconds, ticks = numbers["counters"][:2]
    assert microseconds >= 20000
    assert abs(ticks / 19.2 - microseconds) < 5000
    assert numbers["absent"] == [HMX_IS_ABSENT, PMU_IS_ABSENT, RESOURCE_IS_UNKNOWN, UNSUPPORTED]
    assert numbers["whole_dsp"][:3] == [NOT_ALONE, 0, CDSP]
    left, until = numbers["timer_groups"][:2]  # microseconds
    assert left >= 5000  # of 20,000; the group was disabled at once
    assert until >= 30000
    assert "qurt_hmx_lock: the QCS6490 has no HMX" in result.err
    assert "remote_handle_open: a call from the DSP to the ARM side is not emulated" in result.err
