"""Thread-local variables of skels, and libraries that skels open with dlopen."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.device.fastrpc.toolbox import Device, Toolbox

from .conftest import HERE, QURT, build_skel, install

COMPANION = "libcompanion.so"


def companion(toolbox: Toolbox) -> Path:
    return toolbox.library_for_skels(COMPANION, str(HERE / "skel" / "companion.c"))


@pytest.fixture
def with_companion(device: Device, toolbox: Toolbox) -> Device:
    device.install(companion(toolbox))
    return device


def run(device: Device, *cases: str) -> dict[str, list[str]]:
    """The code and the results of cases of the skel `modules`, which is opened once."""
    steps = [f"case modules {case}" for case in cases]
    result = device.run("; ".join(["open modules", *steps, "close modules"]))
    assert result.status == 0, result.err
    assert result["close modules"] == "0", result.err
    found = {case: result[f"case modules {case}"].split() for case in cases}
    assert all(code == "0" for code, *_ in found.values()), result.err
    return found


def test_each_thread_has_its_own_thread_local_variables(
    with_companion: Device, toolbox: Toolbox
) -> None:
    install(with_companion, build_skel(toolbox, "modules"), "modules")
    found = run(with_companion, "thread_local 1", "thread_local 2", "many_threads 40")
    assert found["thread_local 1"][1] == "20"  # destructors of four threads, 5 each
    assert found["thread_local 2"][1] == "40"


def test_thread_local_variables_of_a_needed_library(
    with_companion: Device, toolbox: Toolbox
) -> None:
    flags = (*QURT, "-DNEEDS_COMPANION", str(companion(toolbox)))
    install(
        with_companion, build_skel(toolbox, "modules_needy", *flags, source="modules"), "modules"
    )
    found = run(with_companion, "thread_local 1")
    assert found["thread_local 1"] == ["0", "20", "101", "41", "0"]


def test_a_library_is_opened_and_closed(with_companion: Device, toolbox: Toolbox) -> None:
    install(with_companion, build_skel(toolbox, "modules"), "modules")
    found = run(with_companion, "open_library 1", "open_library 2", "refused 1")
    # What atexit (3) and __cxa_atexit (1) have registered, then the table of destructors (2).
    assert found["open_library 1"] == ["0", "41", "101", "41", "312"]
    assert found["open_library 2"] == found["open_library 1"]
