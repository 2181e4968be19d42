"""Thread-local variables of skels, and libraries that skels open with dlopen."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.device.fastrpc.toolbox import Device, Result, Toolbox

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


def test_a_library_is_searched_for_on_the_path_of_skels(device: Device, toolbox: Toolbox) -> None:
    """In the order of the path, the domain's subdirectory of each directory first."""
    install(device, build_skel(toolbox, "modules"), "modules")
    device.install(companion(toolbox), directory="two")
    case, opened = "case modules open_library", "0 41 101 41 312"

    def opens(path: str) -> Result:
        return device.run(f"open modules; {case}", ADSP_LIBRARY_PATH=path)

    assert opens("one;two")[case] == opened
    damaged = device.root / "two" / "cdsp" / COMPANION
    damaged.parent.mkdir()
    damaged.write_text("not a library")
    assert f"{COMPANION} has 13 bytes" in opens("one;two").err
    device.install(companion(toolbox), directory="one")
    assert opens("one;two")[case] == opened
    missing = opens("three").err
    assert f"{COMPANION} is not found: it is in no directory of the library path" in missing
    assert f"three/cdsp/{COMPANION}" in missing  # libcdsprpc lists where it has searched


def test_a_thread_of_a_skel_opens_a_library(device: Device, toolbox: Toolbox) -> None:
    """During a call on the path of skels, and after it beside the skel."""
    install(device, build_skel(toolbox, "modules"), "modules")
    device.install(companion(toolbox), directory="one")
    case = "case modules open_in_other_thread"
    script = f"open modules; {case} 0; {case} 20000"
    result = device.run(script, ADSP_LIBRARY_PATH="one")
    assert result[f"{case} 0"] == result[f"{case} 20000"] == "0 41 0 0 0", result.err

    install(device, build_skel(toolbox, "modules"), "modules", "one")
    start, join = "case modules start_opener 100000", "case modules join_opener"
    result = device.run(f"open modules; {start}; sleep 500; {join}", ADSP_LIBRARY_PATH="one")
    assert result[join] == "0 41 0 0 0", result.err


def test_names_that_cannot_be_opened(device: Device, toolbox: Toolbox) -> None:
    install(device, build_skel(toolbox, "modules"), "modules")
    run(device, "bad_names", "refused")


def test_a_library_of_bytes_adds_no_directory_to_those_that_are_searched(
    with_companion: Device, toolbox: Toolbox
) -> None:
    """As /proc would be found if / was searched, the error would be that it is not a library."""
    install(with_companion, build_skel(toolbox, "modules"), "modules")
    start, join = "case modules start_opener_after_bytes 100000", "case modules join_opener"
    result = with_companion.run(f"open modules; {start}; sleep 500; {join}")
    assert (result[start][:1], result[join]) == ("0", "0 -1 0 0 0"), result.err
    assert "proc is not found: no call is running" in result.err


def test_more_libraries_with_thread_local_variables_than_the_shell_supports(
    with_companion: Device, toolbox: Toolbox
) -> None:
    """The skel has thread-local variables too, so 63 libraries are left."""
    install(with_companion, build_skel(toolbox, "modules"), "modules")
    result = with_companion.run("open modules; case modules open_many; close modules")
    assert result["case modules open_many"].split()[:2] == ["0", "63"], result.err
    assert "many.so has thread-local variables, as have 64 loaded modules" in result.err
