"""RUNPATHs that work on a device, and the CMake scripts that correct others."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.contract.subject import directory_in_release
from buildtool.drivers.cmake.shipped_files import runpath_script
from buildtool.plan.plan import CMakeStep
from tests.made_up import CMAKE
from tests.unit.release.conftest import HOST, elf


@pytest.mark.parametrize(
    ("entry", "folder", "directory"),
    [
        ("$ORIGIN", "lib", "lib"),
        ("${ORIGIN}/../lib", "bin", "lib"),
        ("$ORIGIN/..", "bin", "."),
        ("$ORIGIN//usr", "bin", "bin/usr"),
        ("$ORIGIN/../..", "bin", None),
        ("$ORIGIN/..", "", None),
        ("$ORIGIN/../..hidden", "bin", "..hidden"),
        ("/lib", "bin", None),
        ("lib", "bin", None),
        ("", "bin", None),
        ("$ORIGINAL", "bin", None),
    ],
)
def test_what_an_entry_names(entry: str, folder: str, directory: str | None) -> None:
    assert directory_in_release(entry, folder) == directory


@pytest.fixture
def step(tmp_path: Path) -> CMakeStep:
    return CMakeStep(
        name="s",
        component="s",
        arch=None,
        profile=HOST,
        root=tmp_path,
        source=tmp_path,
        tree=tmp_path / "tree",
        output=tmp_path / "out",
        cmake=CMAKE,
    )


def script(step: CMakeStep, installed: str, copied: str) -> list[str]:
    """The lines of the script for a program that is installed, and for one that is copied."""
    for folder, runpath in (("installed", installed), ("copied", copied)):
        (step.root / folder / "bin").mkdir(parents=True)
        (step.root / folder / "bin/app").write_bytes(elf(runpath=runpath))
        (step.root / folder / "bin/link").symlink_to("app")
        (step.root / folder / "notes").write_text("no ELF file")
    return runpath_script(step, step.root / "installed", step.root / "copied").splitlines()


def test_what_a_device_may_have_stays(step: CMakeStep) -> None:
    assert script(step, "/opt/a:$ORIGIN/../lib", "$ORIGIN/../lib") == []


def test_of_what_is_installed_the_project_s_own_go(step: CMakeStep, tmp_path: Path) -> None:
    (line,) = script(step, f"/opt/a:{tmp_path}/tree/lib:$ORIGIN", "")

    assert f"[=[{tmp_path}/installed/bin/app]=]" in line
    assert line.endswith(
        f"OLD_RPATH [=[/opt/a:{tmp_path}/tree/lib:$ORIGIN]=] NEW_RPATH [=[/opt/a:$ORIGIN]=])"
    )


def test_of_what_is_copied_all_go_that_are_not_in_the_release(
    step: CMakeStep, tmp_path: Path
) -> None:
    assert script(step, "", "/opt/a:$ORIGIN/../..:") == [
        f"file(RPATH_REMOVE FILE [=[{tmp_path}/copied/bin/app]=])"
    ]


def test_no_runpath_can_end_its_argument(step: CMakeStep) -> None:
    (line,) = script(step, "", "/a]=]) message(FATAL_ERROR [=[:$ORIGIN/]==]")

    assert "OLD_RPATH [===[/a]=]) message(FATAL_ERROR [=[:$ORIGIN/]==]]===]" in line
