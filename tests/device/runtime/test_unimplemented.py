"""Functions of real shells that the emulated shell lacks."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from buildtool.toolchains.system_libraries import known_shells
from tests.device.fastrpc.toolbox import Device, Toolbox

from .conftest import QURT, build_skel, install
from .test_threads import case

MISSING = "qurt_exception_raise_nonfatal"


@pytest.fixture
def with_skel(device: Device, toolbox: Toolbox) -> Device:
    install(device, build_skel(toolbox, "unimplemented"), "unimplemented")
    return device


@pytest.mark.long
def test_a_function_that_only_real_shells_have_is_refused_when_it_is_called(
    with_skel: Device,
) -> None:
    code, out, log = case(with_skel, "unimplemented", "weak")
    assert (code, out[0]) == (0, 0), log  # the weak reference to a missing function is null
    code, _, log = case(with_skel, "unimplemented", "enter")
    assert code == 0x8000040D
    assert re.search(
        rf"FATAL: libunimplemented_skel.so calls {MISSING}, which real DSP shells export and"
        r" this emulated one does not implement \(the call returns to \+0x[0-9a-f]+\)",
        log,
    ), log


@pytest.mark.parametrize(
    ("define", "names"),
    [("VARIABLE", "2 names {}: AHB_User_Base, _Size_block"), ("UNKNOWN", "1 name {}: on_no_shell")],
)
def test_a_variable_or_an_unknown_name_is_refused_at_load(
    device: Device, toolbox: Toolbox, define: str, names: str
) -> None:
    built = build_skel(
        toolbox, f"unimplemented_{define}", *QURT, f"-D{define}", source="unimplemented"
    )
    install(device, built, "unimplemented")
    result = device.run("open unimplemented")
    assert result["open unimplemented"].startswith("80000406"), result.out
    assert names.format("that this DSP shell does not have") in result.err


@pytest.mark.long
def test_the_list_of_names_tells_what_is_not_implemented(toolbox: Toolbox) -> None:
    qemu = shutil.which("qemu-hexagon")
    assert qemu
    command = [qemu, "-cpu", "v67", str(toolbox.shell()), "--symbols"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    rows = [line.split() for line in done.stdout.splitlines()]
    unimplemented = {name for table, name in rows if table == "unimplemented"}
    implemented = {name for table, name in rows if table != "unimplemented"}
    assert MISSING in unimplemented
    assert not unimplemented & implemented
    assert known_shells().names.keys() == unimplemented | implemented
