"""`buildtool explain` finds the cause of what fails on the emulated device, in its own words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.diagnose.logs import explain_bytes

from .toolbox import Device, Toolbox

UNSIGNED = "unsigned_pd 3 1;"
DSP = Path("usr/lib/dsp")


def not_there(device: Device, toolbox: Toolbox) -> str:
    return UNSIGNED + "open h nowhere"


def newer_arch(device: Device, toolbox: Toolbox) -> str:
    device.install(toolbox.skel("newer", arch="v73"))
    return UNSIGNED + "open h newer"


def undefined_symbol(device: Device, toolbox: Toolbox) -> str:
    device.install(toolbox.skel("undefined", "-DNEEDS_UNKNOWN"))
    return UNSIGNED + "open h undefined"


def no_entry(device: Device, toolbox: Toolbox) -> str:
    device.install(toolbox.skel("noentry", "-DENTRY=other_skel_handle_invoke"))
    return UNSIGNED + "open h noentry"


def for_programs(device: Device, toolbox: Toolbox) -> str:
    device.install(toolbox.skel("tls", "-DTLS", "-ftls-model=initial-exec", "-Wl,-z,undefs"))
    return UNSIGNED + "open h tls"


def empty_file(device: Device, toolbox: Toolbox) -> str:
    (device.root / DSP / "libbad_skel.so").write_bytes(b"")
    return UNSIGNED + "open h bad"


def of_the_arm_side(device: Device, toolbox: Toolbox) -> str:
    (device.root / DSP / "libarm_skel.so").write_bytes(toolbox.library().read_bytes())
    return UNSIGNED + "open h arm"


def signed_process(device: Device, toolbox: Toolbox) -> str:
    return "open h probe"


def requested_late(device: Device, toolbox: Toolbox) -> str:
    return "alloc b 4096; map b 2; unsigned_pd 3 1"


def no_domain(device: Device, toolbox: Toolbox) -> str:
    return UNSIGNED + "open_uri h file:///libprobe_skel.so?probe_skel_handle_invoke"


def other_dsp(device: Device, toolbox: Toolbox) -> str:
    return "unsigned_pd -1 1; open h probe &_dom=adsp"


def crash(device: Device, toolbox: Toolbox) -> str:
    return UNSIGNED + "open h probe; call h 4; call h 3"


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        (not_there, "skel-not-found-on-sim"),
        (newer_arch, "skel-newer-arch"),
        (undefined_symbol, "skel-undefined-symbol"),
        (no_entry, "entry-missing"),
        (for_programs, "skel-for-programs"),
        (empty_file, "skel-bad-elf"),
        (of_the_arm_side, "skel-bad-elf"),
        (signed_process, "unsigned-skel-in-signed-process"),
        (requested_late, "unsigned-requested-late"),
        (no_domain, "uri-without-domain"),
        (other_dsp, "dsp-missing-on-sim"),
        (crash, "dsp-process-died-on-sim"),
    ],
)
def test_the_cause(
    fault: Callable[[Device, Toolbox], str], cause: str, device: Device, toolbox: Toolbox
) -> None:
    result = device.run(fault(device, toolbox))

    assert [f.condition.name for f in explain_bytes(result.err.encode()).causes] == [cause]


def test_a_colon_between_directories(device: Device) -> None:
    result = device.run(UNSIGNED + "open h nowhere", ADSP_LIBRARY_PATH="/one:/two")

    said = explain_bytes(result.err.encode())
    assert [f.condition.name for f in said.causes] == ["library-path-colon"]


def test_a_device_without_unsigned_processes(
    make_device: Callable[..., Device], toolbox: Toolbox
) -> None:
    device = make_device(unsigned_pd="0")
    device.install(toolbox.skel("probe"))

    said = explain_bytes(device.run(UNSIGNED + "open h probe").err.encode())

    assert [f.condition.name for f in said.causes] == ["unsigned-process-not-allowed"]


def test_a_dsp_without_unsigned_processes(
    make_device: Callable[..., Device], toolbox: Toolbox
) -> None:
    device = make_device(domains="adsp,cdsp")
    device.install(toolbox.skel("probe"))

    said = explain_bytes(device.run("open h probe &_dom=adsp").err.encode())

    assert [f.condition.name for f in said.causes] == ["unsigned-process-not-allowed"]


def test_what_works_has_no_cause(device: Device) -> None:
    result = device.run(UNSIGNED + "open h probe; call h 3; close h")

    assert not explain_bytes(result.err.encode()).says_something
