"""Checks of what a step ships: permissions and symlinks."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from buildtool.cache.outputs import read_outputs, restore
from buildtool.drivers.cmake.products import (
    ArtifactError,
    check_installed,
    copy_artifacts,
    normalize_modes,
)
from buildtool.drivers.cmake.shipped_files import check_products
from buildtool.plan.plan import CMakeStep
from buildtool.toolchains.profile import Compiler, Profile
from tests.made_up import CMAKE

PROFILE = Profile(
    "p", "hexagon", "hexagon.cmake.in", {}, "", {}, Compiler("clang", "22", "", (), ())
)


@pytest.fixture
def step(tmp_path: Path) -> CMakeStep:
    return CMakeStep(
        name="s",
        component="s",
        arch=None,
        profile=PROFILE,
        root=tmp_path,
        source=tmp_path,
        tree=tmp_path / "tree",
        output=tmp_path / "out",
        cmake=CMAKE,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "installed").mkdir()
    return tmp_path / "installed"


def modes(directory: Path) -> dict[str, int]:
    return {
        str(path.relative_to(directory)): stat.S_IMODE(path.lstat().st_mode)
        for path in directory.rglob("*")
        if not path.is_symlink()
    }


def test_every_mode_is_refused_or_restored_as_it_was_built(
    tmp_path: Path, folder: Path, step: CMakeStep
) -> None:
    refused = {}
    kept = tmp_path / "kept"
    kept.mkdir()
    for mode in range(0o10000):
        (folder / "file").write_text("text")
        (folder / "file").chmod(mode)
        try:
            normalize_modes(step, folder)
        except ArtifactError as error:
            refused[mode] = error.message
            assert (folder / "file").lstat().st_mode & 0o7777 == mode
            (folder / "file").unlink()
        else:
            (folder / "file").rename(kept / f"{mode:04o}")
    assert [*refused] == [mode for mode in range(0o10000) if mode & 0o7000 or not mode & 0o004]
    assert refused[0o4700] == "s ships file with mode 4700, which is setuid"
    assert refused[0o0400] == "s ships file with mode 0400, which is not readable for all users"
    built = modes(kept)
    assert built == {
        f"{mode:04o}": 0o755 if mode & 0o100 else 0o644
        for mode in range(0o10000)
        if mode not in refused
    }

    def fetch(digest: str, into: Path) -> bool:
        into.write_text("text", encoding="utf-8")
        return True

    outputs = read_outputs(kept)
    for umask in (0o022, 0o002, 0o077, 0o037):
        before = os.umask(umask)
        try:
            assert restore(outputs, tmp_path / "restored", fetch)
        finally:
            os.umask(before)
        assert modes(tmp_path / "restored") == built
        assert read_outputs(tmp_path / "restored") == outputs


def test_directories_are_restored_as_they_were_built(
    tmp_path: Path, folder: Path, step: CMakeStep
) -> None:
    (folder / "a/b").mkdir(parents=True)
    (folder / "a/b/file").write_text("text")
    (folder / "a").chmod(0o2777)
    (folder / "a/b").chmod(0o1515)

    normalize_modes(step, folder)

    built = modes(folder)
    assert built == {"a": 0o755, "a/b": 0o755, "a/b/file": 0o644}
    before = os.umask(0o077)
    try:
        assert restore(
            read_outputs(folder), tmp_path / "out", lambda _, to: bool(to.write_text("text"))
        )
    finally:
        os.umask(before)
    assert modes(tmp_path / "out") == built


def test_what_lies_in_a_private_directory_does_not_become_readable(
    folder: Path, step: CMakeStep
) -> None:
    (folder / "keys").mkdir()
    (folder / "keys/key").write_text("secret")
    (folder / "keys").chmod(0o710)

    with pytest.raises(ArtifactError, match="ships keys with mode 0710, which is not readable"):
        normalize_modes(step, folder)

    assert modes(folder)["keys"] == 0o710


def test_links_keep_what_they_lead_to(folder: Path, step: CMakeStep, tmp_path: Path) -> None:
    (tmp_path / "private").write_text("secret")
    (tmp_path / "private").chmod(0o600)
    (folder / "link").symlink_to(tmp_path / "private")
    (folder / "loop").symlink_to("loop")

    normalize_modes(step, folder)

    assert (tmp_path / "private").stat().st_mode & 0o777 == 0o600


def test_a_link_to_a_directory_that_ships_is_shipped(folder: Path, step: CMakeStep) -> None:
    (folder / "share/v1").mkdir(parents=True)
    (folder / "share/v1/table").write_text("x")
    (folder / "share/current.so").symlink_to("v1")

    check_installed(step, folder)

    outputs = read_outputs(folder)
    assert [(o.path, o.target) for o in outputs] == [
        ("share/current.so", "v1"),
        ("share/v1/table", ""),
    ]
    files = {output.path: folder / output.path for output in outputs}
    assert check_products(step, files, pytest.fail) == {}
    with pytest.raises(ArtifactError, match="made no skel"):
        check_products(step._replace(arch="v68"), files, pytest.fail)


def test_a_link_to_a_directory_that_does_not_ship_is_refused(folder: Path, step: CMakeStep) -> None:
    (folder / "share").mkdir()
    (folder / "share/current").symlink_to("v1")

    with pytest.raises(ArtifactError, match="ships share/current, a link to nothing") as caught:
        check_installed(step, folder)

    assert "Ship the file that it points to" in caught.value.remedy


def test_artifacts_name_programs_for_the_dsp_without_their_suffix(
    folder: Path, step: CMakeStep
) -> None:
    (step.tree / "tests").mkdir(parents=True)
    for name in ("one.so", "two.so", "two"):
        (step.tree / "tests" / name).write_text(name)
    step = step._replace(programs=True, artifacts=("tests/one", "tests/two"))
    copy_artifacts(step, folder)
    assert {path.name for path in folder.iterdir()} == {"one.so", "two"}
    with pytest.raises(ArtifactError, match="made no 'tests/one'"):
        copy_artifacts(step._replace(programs=False), folder)
