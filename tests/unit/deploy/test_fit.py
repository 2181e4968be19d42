"""A release is refused when the device cannot run it; --force passes what may be an error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from buildtool.deploy.fit import check_fits
from buildtool.device.errors import DeviceError
from buildtool.device.facts import Facts, SystemFile, of_domain
from buildtool.project.model import Target
from buildtool.release.slices import HOST, Release, ReleaseFile, Slice
from buildtool.toolchains.cdsprpc import PAGE, import_stub
from tests.unit.device.board_facts import BOARD

PHONE = BOARD._replace(platform="android", glibc="", api=31)
LINUX = Target(platform="ubuntu-aarch64", glibc="2.35")
ANDROID = Target(platform="android", api=31)


def release(*archs: str, directory: Path = Path("nowhere")) -> Release:
    slices = tuple(Slice(name, (), ()) for name in (HOST, *archs))
    return Release("board", directory, Path("nowhere"), slices)


@pytest.mark.parametrize(
    ("archs", "arch"),
    [(("v68",), "v68"), (("v68", "v73", "v75"), "v73"), (("v69", "v68"), "v69"), ((), "")],
)
def test_the_newest_arch_that_the_dsp_loads_is_sent(archs: tuple[str, ...], arch: str) -> None:
    notes: list[str] = []
    assert check_fits(BOARD, release(*archs), LINUX, note=notes.append) == arch
    assert check_fits(PHONE, release(*archs), ANDROID, force=True, note=notes.append) == arch
    assert notes == []


LEMANS = BOARD._replace(
    soc="SA8775P", domains={"cdsp": "v73", "adsp": "v66", "cdsp1": "v75", "gdsp0": ""}
)


def test_skels_have_the_arch_of_the_dsp_that_programs_use() -> None:
    both = release("v68", "v73", "v75")
    for domain, arch in ("cdsp", "v73"), ("cdsp1", "v75"):
        facts = of_domain(LEMANS, domain)
        assert check_fits(facts, both, LINUX, domain=domain) == arch
    assert of_domain(LEMANS, "cdsp") == LEMANS


@pytest.mark.parametrize(
    ("domain", "words"),
    [
        (
            "adsp",
            (
                "no skel that the adsp of SA8775P can load",
                "the adsp is v66 (the device has cdsp (v73), adsp (v66), cdsp1 (v75), ",
                "the skels are for v68, v73",
                "Choose another DSP (--domain), or another device",
            ),
        ),
        ("gdsp1", ("the gdsp1 of SA8775P is not known", "the device has cdsp (v73), ")),
        ("gdsp0", ("the gdsp0 of SA8775P is not known", "gdsp0 (unknown)")),
    ],
)
def test_a_dsp_that_loads_none_of_the_skels(domain: str, words: tuple[str, ...]) -> None:
    facts, built = of_domain(LEMANS, domain), release("v68", "v73")
    with pytest.raises(DeviceError) as raised:
        check_fits(facts, built, LINUX, domain=domain)
    for word in words:
        assert word in f"{raised.value} {raised.value.remedy}"
    notes: list[str] = []
    assert check_fits(facts, built, LINUX, domain=domain, force=True, note=notes.append) == "v68"
    assert len(notes) == 1


def test_which_dsps_a_device_has_can_be_unknown() -> None:
    with pytest.raises(DeviceError) as raised:
        check_fits(of_domain(BOARD, "cdsp1"), release("v68"), LINUX, domain="cdsp1")
    assert "which DSPs it has is unknown" in str(raised.value)


def test_a_target_without_skels_needs_no_dsp() -> None:
    rk3588 = BOARD._replace(soc="", arch="", arch_source="no DSP", cdsprpc=SystemFile())
    assert check_fits(rk3588, release(), LINUX) == ""


@pytest.mark.parametrize(
    ("facts", "target", "words"),
    [
        (PHONE, LINUX, ("for ubuntu-aarch64, the device runs android", "build.prop")),
        (BOARD, ANDROID, ("for android, the device runs ubuntu-aarch64",)),
        (BOARD._replace(machine="x86_64"), LINUX, ("not an ARM64 system", "'x86_64'")),
        (BOARD._replace(machine=""), LINUX, ("not an ARM64 system",)),
    ],
)
def test_what_is_certain_is_refused_even_with_force(
    facts: Facts, target: Target, words: tuple[str, ...]
) -> None:
    for force in (False, True):
        with pytest.raises(DeviceError) as raised:
            check_fits(facts, release("v68"), target, force=force)
        for word in words:
            assert word in str(raised.value)
        assert raised.value.remedy
        assert "--force" not in raised.value.remedy


@pytest.mark.parametrize(
    ("changes", "target", "archs", "words", "forced"),
    [
        (
            {"glibc": "2.31"},
            LINUX,
            ("v68",),
            ("needs glibc 2.35, the device has 2.31", 'glibc = "2.31" in [target.board]'),
            "v68",
        ),
        ({"glibc": ""}, LINUX, (), ("the device's is unknown",), ""),
        (
            {"platform": "android", "api": 29},
            ANDROID,
            ("v68",),
            ("needs Android API level 31, the device has 29", "api = 29"),
            "v68",
        ),
        (
            {"arch": "v68"},
            LINUX,
            ("v75", "v73"),
            ("no skel that the DSP of QCS6490 can load", "0x8d73", 'Add "v68"'),
            "v73",
        ),
        (
            {"arch": "", "arch_source": "the SoC is unknown"},
            LINUX,
            ("v73", "v68"),
            ("no DSP is known on the device", "the SoC is unknown"),
            "v68",
        ),
        ({"cdsprpc": SystemFile()}, LINUX, ("v68",), ("the device has no libcdsprpc",), "v68"),
    ],
)
def test_the_rest_passes_with_force(
    changes: dict[str, Any],
    target: Target,
    archs: tuple[str, ...],
    words: tuple[str, ...],
    forced: str,
) -> None:
    facts = BOARD._replace(**changes)
    with pytest.raises(DeviceError) as raised:
        check_fits(facts, release(*archs), target)
    for word in words:
        assert word in str(raised.value)
    assert "--force" in raised.value.remedy

    notes: list[str] = []
    assert check_fits(facts, release(*archs), target, force=True, note=notes.append) == forced
    assert len(notes) == 1
    assert words[0] in notes[0]
    assert "continuing because of --force" in notes[0]


def test_an_unknown_api_level_is_no_reason() -> None:
    assert check_fits(PHONE._replace(api=0), release("v68"), ANDROID) == "v68"


def test_segments_are_aligned_for_the_pages_of_the_device(tmp_path: Path) -> None:
    stub = import_stub("libx.so", ["x"])
    (tmp_path / "good.so").write_bytes(stub)
    small = stub.replace(PAGE.to_bytes(8, "little"), (4096).to_bytes(8, "little"), 1)
    (tmp_path / "small.so").write_bytes(small)
    (tmp_path / "text").write_text("text")
    files = [ReleaseFile(name, 0o644, 1, "") for name in ("good.so", "text", "small.so")]

    def host(*files: ReleaseFile) -> Release:
        return release(directory=tmp_path)._replace(slices=(Slice(HOST, files, ()),))

    wide = BOARD._replace(page_size=16384)
    assert check_fits(wide, host(*files[:2]), LINUX) == ""
    assert check_fits(BOARD, host(*files), LINUX) == ""
    with pytest.raises(DeviceError, match=r"small\.so of the target 'board' cannot be loaded"):
        check_fits(wide, host(*files), LINUX, force=True)
