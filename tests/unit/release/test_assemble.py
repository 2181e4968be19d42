"""Making a release of the outputs of steps."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from buildtool.engine.result import BuildResult
from buildtool.inputs.file_states import FileStates
from buildtool.plan.plan import CMakeStep, Plan
from buildtool.release.assemble import make_release
from buildtool.release.slices import Release, ReleaseError
from buildtool.toolchains.cdsprpc import import_stub
from buildtool.toolchains.profile import Compiler, Profile
from tests.made_up import CMAKE, built

PROFILE = Profile(
    "p", "hexagon", "hexagon.cmake.in", {}, "", {}, Compiler("clang", "22", "", (), ())
)


def build(tmp_path: Path, files: dict[str, str], arch: str | None = None) -> BuildResult:
    """A finished step that ships `files`: path → content."""
    prefix = tmp_path / "prefix"
    shutil.rmtree(prefix, ignore_errors=True)
    for name, text in files.items():
        path = prefix / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755 if name.startswith("bin/") else 0o644)
    step = CMakeStep(
        name="s",
        component="s",
        arch=arch,
        profile=PROFILE,
        root=tmp_path,
        source=tmp_path,
        tree=tmp_path / "tree",
        output=prefix,
        cmake=CMAKE,
    )
    directory, state = tmp_path / "release" / "sim", tmp_path / "state"
    plan = Plan("sim", (step,), directory, state, archs=("v68",))
    return BuildResult(plan, (built(step),))


def released(result: BuildResult) -> Release:
    return make_release(result, FileStates())


def tree(directory: Path) -> list[str]:
    return sorted(str(p.relative_to(directory)) for p in directory.rglob("*") if p.is_file())


def test_the_arm64_side_keeps_its_layout_and_programs_stay_executable(tmp_path: Path) -> None:
    release = released(build(tmp_path, {"bin/app": "x", "lib/liba.so": "y", "share/d": "z"}))

    assert tree(release.directory) == ["bin/app", "lib/liba.so", "run.sh", "share/d"]
    assert os.access(release.directory / "bin/app", os.X_OK)
    assert os.access(release.directory / "run.sh", os.X_OK)


def test_skels_lie_side_by_side_below_their_arch(tmp_path: Path) -> None:
    release = released(build(tmp_path, {"lib/liba_skel.so": "x", "include/a.h": "y"}, "v73"))

    assert tree(release.directory) == ["dsp/v73/liba_skel.so", "run.sh"]
    assert release.archs == ("v73",)


def test_a_file_that_is_no_longer_shipped_is_deleted(tmp_path: Path) -> None:
    released(build(tmp_path, {"bin/old": "x"}))
    release = released(build(tmp_path, {"bin/new": "x"}))

    assert tree(release.directory) == ["bin/new", "run.sh"]


def test_nothing_is_touched_when_nothing_changed(tmp_path: Path) -> None:
    first = released(build(tmp_path, {"bin/app": "x"}))
    inode = first.directory.stat().st_ino
    second = released(build(tmp_path, {"bin/app": "x"}))

    assert (second.id, second.directory.stat().st_ino) == (first.id, inode)
    third = released(build(tmp_path, {"bin/app": "y"}))
    assert third.id != first.id
    assert (third.directory / "bin/app").read_text() == "y"


def test_a_libcdsprpc_is_never_shipped(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="libcdsprpc") as caught:
        released(build(tmp_path, {"lib/libcdsprpc.so.1": "x"}))

    assert "Buildtool::cdsprpc" in caught.value.remedy
    assert not (tmp_path / "release" / "sim").exists()


@pytest.mark.parametrize("arch", [None, "v68"])
def test_a_libcdsprpc_of_another_name_is_never_shipped(tmp_path: Path, arch: str | None) -> None:
    result = build(tmp_path, {"lib/libfastrpc_client.so": ""}, arch)
    file = tmp_path / "prefix/lib/libfastrpc_client.so"
    file.write_bytes(import_stub("libcdsprpc.so.1", ["remote_handle64_open"]))

    with pytest.raises(ReleaseError, match=r"libfastrpc_client.so, which is libcdsprpc.so.1"):
        released(result)


def test_a_link_to_a_libcdsprpc_is_never_shipped(tmp_path: Path) -> None:
    result = build(tmp_path, {"lib/liba.so": ""})
    (tmp_path / "libcdsprpc.so.1.0.0").write_text("x")
    (tmp_path / "prefix/lib/liba.so").unlink()
    (tmp_path / "prefix/lib/liba.so").symlink_to(tmp_path / "libcdsprpc.so.1.0.0")

    with pytest.raises(ReleaseError, match=r"which is libcdsprpc.so.1.0.0"):
        released(result)


def test_what_only_speaks_of_libcdsprpc_ships(tmp_path: Path) -> None:
    result = build(tmp_path, {"lib/liba.so": "", "share/notes": "libcdsprpc.so.1"})
    file = tmp_path / "prefix/lib/liba.so"
    file.write_bytes(import_stub("liba.so", ["libcdsprpc_version"]))

    assert tree(released(result).directory) == ["lib/liba.so", "run.sh", "share/notes"]


def test_two_different_files_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match=r"two files have the path dsp/v68/a\.so"):
        released(build(tmp_path, {"lib/a.so": "x", "other/a.so": "y"}, "v68"))


def test_a_damaged_stage_is_laid_out_again(tmp_path: Path) -> None:
    result = build(tmp_path, {"bin/app": "x"})
    for lost in ("bin/app", "run.sh"):
        (released(result).directory / lost).unlink()
        assert tree(released(result).directory) == ["bin/app", "run.sh"]


def test_deleted_debug_information_is_made_again(tmp_path: Path) -> None:
    result = build(tmp_path, {"bin/program": "x"})
    release = released(result)
    files = release.directory.resolve()
    release.debug.unlink()
    assert released(result).debug.is_dir()
    assert release.directory.resolve() == files  # programs may run from it


def test_targets_with_dots_in_their_names_are_kept_apart(tmp_path: Path) -> None:
    for name, text in (("r.1", "one"), ("r.2", "two"), ("r.1", "three")):
        result = build(tmp_path, {"bin/app": text})
        plan = result.plan._replace(target=name, release=tmp_path / "release" / name)
        release = released(result._replace(plan=plan))
        assert (release.directory / "bin/app").read_text() == text


@pytest.mark.parametrize(
    ("files", "place"),
    [
        ({"dsp/v68": "x", "dsp/v68/a_skel.so": "y"}, "dsp/v68"),
        ({"a/b": "x", "a/b-c": "y", "a/b/c/d": "z"}, "a/b"),
        ({"run.sh/a": "x"}, "run.sh"),
    ],
)
def test_a_file_in_the_place_of_a_directory_is_refused(
    tmp_path: Path, files: dict[str, str], place: str
) -> None:
    result = build(tmp_path, {f"{number}": text for number, text in enumerate(files.values())})
    (finished,) = result.steps
    assert finished.record
    paths = finished.files.values()
    shipped = dict(zip(files, map(str, paths), strict=True))
    record = finished.record._replace(outputs=(), runtime=shipped)
    steps = (finished._replace(record=record),)

    with pytest.raises(
        ReleaseError, match=f"{place} would be both a file and a directory"
    ) as caught:
        released(result._replace(steps=steps))

    assert set(caught.value.files) <= set(paths)
    assert caught.value.files


def test_permissions_are_the_same_whatever_the_umask_is(tmp_path: Path) -> None:
    result = build(tmp_path, {"bin/app": "x", "lib/deep/liba.so": "y"})
    (tmp_path / "prefix/lib/deep/liba.so").chmod(0o600)  # such as a file of a package
    (tmp_path / "prefix/bin/app").chmod(0o700)
    before = os.umask(0o077)
    try:
        directory = released(result).directory
    finally:
        os.umask(before)

    modes = {str(p.relative_to(directory)): p.stat().st_mode & 0o777 for p in directory.rglob("*")}
    assert modes == {
        **dict.fromkeys(["bin", "bin/app", "lib", "lib/deep", "run.sh"], 0o755),
        "lib/deep/liba.so": 0o644,
    }
    assert directory.stat().st_mode & 0o777 == 0o755
