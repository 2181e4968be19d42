"""Where a skel is searched for, and the error when it is not found."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .toolbox import Device, Toolbox

UNSIGNED = "unsigned_pd 3 1;"
WHICH = UNSIGNED + "open h probe; number h 22"
UNABLE_TO_LOAD = "80000406"


@pytest.fixture
def bare(make_device: Callable[..., Device]) -> Device:
    """A device without any skel."""
    return make_device()


def put(device: Device, toolbox: Toolbox, directory: str, answer: int) -> None:
    """Install a probe whose method 22 returns `answer`, which identifies the directory."""
    skel = toolbox.skel(f"probe{answer}", f"-DANSWER={answer}")
    target = device.root / directory
    target.mkdir(parents=True, exist_ok=True)
    (target / "libprobe_skel.so").write_bytes(skel.read_bytes())


@pytest.mark.parametrize(
    "directory", ["usr/share/qcom/hexagon/v68", "usr/lib/rfsa/adsp", "usr/lib/dsp"]
)
def test_default_directories(bare: Device, toolbox: Toolbox, directory: str) -> None:
    put(bare, toolbox, directory, 1)
    assert bare.run(WHICH)["number h 22"].startswith("1 ")


def test_order(bare: Device, toolbox: Toolbox) -> None:
    """Directories are searched in order, the domain's subdirectory of each first, defaults last."""
    order = ["one/cdsp", "one", "two/cdsp", "two",
             "usr/share/qcom/hexagon/v68/cdsp", "usr/share/qcom/hexagon/v68",
             "usr/lib/rfsa/adsp/cdsp", "usr/lib/rfsa/adsp",
             "usr/lib/dsp/cdsp", "usr/lib/dsp"]  # fmt: skip
    for number, directory in enumerate(order, start=1):
        put(bare, toolbox, directory, number)
    for number, directory in enumerate(order, start=1):
        result = bare.run(WHICH, ADSP_LIBRARY_PATH="one;two")
        assert result["number h 22"].startswith(f"{number:x} "), directory
        (bare.root / directory / "libprobe_skel.so").unlink()
    assert bare.run(WHICH, ADSP_LIBRARY_PATH="one;two")["open h probe"] == UNABLE_TO_LOAD


def test_the_directory_of_the_system_is_that_of_the_arch_of_the_dsp(
    make_device: Callable[..., Device], toolbox: Toolbox
) -> None:
    device = make_device(arch="73", domains="cdsp,cdsp1:75")
    for number, arch in enumerate(("v68", "v73", "v75")):
        put(device, toolbox, f"usr/share/qcom/hexagon/{arch}", number + 1)
    opened = "open g probe &_dom=cdsp1"
    result = device.run(f"unsigned_pd -1 1; open h probe; {opened}; number h 22; number g 22")
    assert result["number h 22"].startswith("2 ")
    assert result["number g 22"].startswith("3 ")


def test_absolute_directory_of_the_build_machine(bare: Device, toolbox: Toolbox) -> None:
    skel = toolbox.skel("probe")
    result = bare.run(UNSIGNED + "open h probe", ADSP_LIBRARY_PATH=f"/nowhere;{skel.parent}")
    assert result["open h probe"] == "0"


def test_dsp_library_path_replaces_adsp_library_path(bare: Device, toolbox: Toolbox) -> None:
    put(bare, toolbox, "one", 1)
    put(bare, toolbox, "two", 2)
    result = bare.run(WHICH, DSP_LIBRARY_PATH="two", ADSP_LIBRARY_PATH="one")
    assert result["number h 22"].startswith("2 ")
    result = bare.run(WHICH, DSP_LIBRARY_PATH="nowhere", ADSP_LIBRARY_PATH="one")
    assert result["open h probe"] == UNABLE_TO_LOAD
    assert "ADSP_LIBRARY_PATH does not count" in result.err


def test_empty_element_is_the_working_directory(bare: Device, toolbox: Toolbox) -> None:
    put(bare, toolbox, ".", 3)
    assert bare.run(WHICH, ADSP_LIBRARY_PATH="nowhere;")["number h 22"].startswith("3 ")
    assert bare.run(WHICH, ADSP_LIBRARY_PATH="nowhere")["open h probe"] == UNABLE_TO_LOAD


def test_colon_does_not_separate(bare: Device, toolbox: Toolbox) -> None:
    put(bare, toolbox, "one", 1)
    result = bare.run(WHICH, ADSP_LIBRARY_PATH="one:two")
    assert result["open h probe"] == UNABLE_TO_LOAD
    assert "':' does not separate directories" in result.err
    assert "one:two/libprobe_skel.so" in result.err


def test_colon_in_a_directory_that_exists(bare: Device, toolbox: Toolbox) -> None:
    put(bare, toolbox, "one:two", 1)
    assert bare.run(WHICH, ADSP_LIBRARY_PATH="one:two")["number h 22"].startswith("1 ")


def test_a_missing_skel_is_reported_with_searched_paths_and_starts_no_process(bare: Device) -> None:
    result = bare.run(UNSIGNED + "open h probe; children", CDSP_LIBRARY_PATH="one")
    assert result["open h probe"] == UNABLE_TO_LOAD
    assert "ADSP_LIBRARY_PATH is not set" in result.err
    for path in ("/usr/lib/rfsa/adsp/cdsp/libprobe_skel.so", "/usr/lib/dsp/libprobe_skel.so"):
        assert path in result.err
    assert "one/" not in result.err


@pytest.mark.parametrize(
    ("arch", "there", "searched", "reason"),
    [
        ("68", "v68", "v75", "the skels for v75 were left out of what was sent, because the DSP is"
         " v68 and loads none for a newer one; looked for"),
        ("75", "v73", "v68", "the skels for v68 were left out of what was sent, because only the"
         " newest ones that the DSP (v75) loads are sent; looked for"),
        ("68", "", "v75", "nor in the default ones; looked for"),
    ],
)  # fmt: skip
def test_a_directory_of_a_release_for_another_arch_that_was_not_sent(
    make_device: Callable[..., Device], arch: str, there: str, searched: str, reason: str
) -> None:
    device = make_device(arch=arch)
    if there:
        (device.root / "opt/dsp" / there).mkdir(parents=True)
    result = device.run(UNSIGNED + "open h probe", ADSP_LIBRARY_PATH=f"/opt/dsp/{searched}")
    assert result["open h probe"] == UNABLE_TO_LOAD
    assert reason in result.err


def test_directory_of_that_name_is_passed_over(bare: Device, toolbox: Toolbox) -> None:
    (bare.root / "one/libprobe_skel.so").mkdir(parents=True)
    put(bare, toolbox, "two", 2)
    assert bare.run(WHICH, ADSP_LIBRARY_PATH="one;two")["number h 22"].startswith("2 ")
    result = bare.run(WHICH, ADSP_LIBRARY_PATH="one")
    assert "(not a file)" in result.err


def test_needed_library_is_searched_on_the_same_path(bare: Device, toolbox: Toolbox) -> None:
    helper = toolbox.library_for_skels("libhelper.so.1", "helper.c")
    skel = toolbox.skel("needy", "-DNEEDS_HELPER", helper)
    bare.install(skel, directory="one")
    script = UNSIGNED + "open h needy; number h 22; close h"
    missing = bare.run(script, ADSP_LIBRARY_PATH="one")
    assert missing["open h needy"] == UNABLE_TO_LOAD
    assert "libneedy_skel.so needs the library libhelper.so.1" in missing.err
    assert "one/cdsp/libhelper.so.1" in missing.err
    bare.install(helper, directory="two")
    found = bare.run(script, ADSP_LIBRARY_PATH="one;two")
    assert found["number h 22"].startswith(f"{4242:x} ")
    assert found["close h"] == "0"
