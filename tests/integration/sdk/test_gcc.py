"""The cross gcc: where it is searched for, and the errors for a broken one."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from buildtool.project.model import Tool
from buildtool.sdk import compiler_probe
from buildtool.sdk.gnu_compilers import CROSS, find_gcc
from buildtool.sdk.qemu import CROSS_LIBRARIES
from buildtool.sdk.tool_search import ToolMissingError, ToolUnfitError
from buildtool.toolchains.profile import ProfileError
from buildtool.toolchains.ubuntu_aarch64_gnu import ubuntu_aarch64_gcc, ubuntu_aarch64_native

from .conftest import script

INSTALL = "apt-get install g++-aarch64-linux-gnu"
# A script that answers like gcc, with only the answers that matter here.
ANSWER = """\
case "$1" in
-v) echo 'Target: {target}' >&2; echo 'gcc version {version} (made for a test)' >&2 ;;
-print-search-dirs) echo 'programs: =/nowhere/'; echo 'libraries: =/nowhere/' ;;
esac"""


def test_debian_s_is_complete() -> None:
    gcc = find_gcc()

    assert gcc.where.name == CROSS
    assert gcc.version.count(".") == 2
    assert gcc.problems == ()
    assert gcc.root == CROSS_LIBRARIES.parent
    assert (gcc.binutils / "strip").is_file()


def test_a_missing_gcc_is_reported_with_searched_paths_and_packages(programs: Path) -> None:
    with pytest.raises(ToolMissingError, match="gcc for ARM64 Linux was not found") as caught:
        find_gcc()
    assert "$BUILDTOOL_GCC_AARCH64 (not set)" in caught.value.why
    assert INSTALL in caught.value.remedy


def test_the_variable_decides_then_the_project_file_then_path(
    gcc_copy: Path, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (programs / CROSS).symlink_to(gcc_copy)
    other = script(programs / "other-gcc", ANSWER.format(target="x", version="1.2.3"))
    assert find_gcc().where == programs / CROSS
    assert find_gcc(Tool(path=str(other))).version == "1.2.3"

    monkeypatch.setenv("BUILDTOOL_GCC_AARCH64", str(gcc_copy))
    assert find_gcc(Tool(path=str(other))).where == gcc_copy

    monkeypatch.setenv("BUILDTOOL_GCC_AARCH64", str(programs / "nothing"))
    with pytest.raises(ToolMissingError, match="BUILDTOOL_GCC_AARCH64 names "):
        find_gcc()


def test_cc_of_the_environment_means_nothing(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", str(shutil.which("aarch64-linux-gnu-gcc", path="/usr/bin")))
    with pytest.raises(ToolMissingError):
        find_gcc()


def test_the_newest_sound_one_is_taken_or_the_one_that_is_asked_for(
    gcc_copy: Path, programs: Path
) -> None:
    (programs / CROSS).symlink_to(gcc_copy)
    newer = ANSWER.format(target="aarch64-linux-gnu", version="99.1.0")
    script(programs / f"{CROSS}-15", newer)  # a gcc without parts

    assert find_gcc().where == programs / CROSS
    assert find_gcc(Tool(version=">=20")).where == programs / f"{CROSS}-15"
    with pytest.raises(ToolUnfitError, match="requires gcc for ARM64 Linux '98'"):
        find_gcc(Tool(version="98"))


@pytest.mark.parametrize(
    ("part", "package"),
    [
        ("lib/gcc-cross/*/*/cc1", "gcc-aarch64-linux-gnu"),
        ("lib/gcc-cross/*/*/cc1plus", "g++-aarch64-linux-gnu"),
        ("bin/*g++", "g++-aarch64-linux-gnu"),
        ("lib/gcc-cross/*/*/libstdc++.so", "g++-aarch64-linux-gnu"),
        ("aarch64-linux-gnu/lib/crt1.o", "libc6-dev-arm64-cross"),
        ("aarch64-linux-gnu/lib/libc.so", "libc6-dev-arm64-cross"),
        ("aarch64-linux-gnu/bin/as", "binutils-aarch64-linux-gnu"),
        ("aarch64-linux-gnu/bin/ld", "binutils-aarch64-linux-gnu"),
        ("aarch64-linux-gnu/bin/ar", "binutils-aarch64-linux-gnu"),
    ],
)
def test_a_missing_part_is_named_with_its_package(
    gcc_copy: Path, monkeypatch: pytest.MonkeyPatch, part: str, package: str
) -> None:
    monkeypatch.setenv("BUILDTOOL_GCC_AARCH64", str(gcc_copy))
    assert find_gcc().problems == ()
    (file,) = gcc_copy.parents[1].glob(part)
    file.unlink()

    (problem,) = find_gcc().problems

    name = "c++ driver" if file.name.endswith("g++") else file.name
    assert f"({name})" in problem.text
    assert problem.remedy == f"Install it: apt-get install {package}"
    with pytest.raises(ToolUnfitError, match="cannot be used: it lacks") as caught:
        ubuntu_aarch64_gcc()
    assert caught.value.remedy == problem.remedy


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("echo junk", "it is not a gcc"),
        ("echo broken; exit 1", "exit status 1, broken"),
        ("exit 0", "exit status 0, nothing"),
        ("kill -SEGV $$", "exit status -11"),
        ("yes", "prints more than"),
        ("sleep 60", "did not finish in"),
        (ANSWER.format(target="x86_64-linux-gnu", version="12.2.0"), "for x86_64-linux-gnu, not"),
        (ANSWER.format(target="aarch64-none-elf", version="12.2.0"), "for aarch64-none-elf, not"),
    ],
)
def test_another_program_with_that_name_is_not_a_gcc(
    programs: Path, text: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiler_probe, "TIMEOUT", 1.0)
    (programs / "sleep").symlink_to("/bin/sleep")
    (programs / "yes").symlink_to("/usr/bin/yes")
    script(programs / CROSS, text)
    started = time.monotonic()

    (problem, *_) = find_gcc().problems

    assert expected in problem.text
    assert time.monotonic() - started < 20
    with pytest.raises(ToolUnfitError, match=f"{CROSS} cannot be used: ") as caught:
        ubuntu_aarch64_gcc()
    assert caught.value.remedy


def test_a_file_that_is_no_program(programs: Path) -> None:
    file = programs / CROSS
    file.write_bytes(b"\x7fELF nonsense")
    file.chmod(0o755)

    with pytest.raises(ToolUnfitError, match="could not be started"):
        ubuntu_aarch64_gcc()


def test_native_is_for_arm64_machines() -> None:
    with pytest.raises(ProfileError, match="works on ARM64 machines only") as caught:
        ubuntu_aarch64_native(machine="x86_64")
    assert caught.value.why == "this machine is x86_64"
    assert 'toolchain = "zig"' in caught.value.remedy


def test_native_looks_for_gcc_and_searches_the_machine(gcc_copy: Path, programs: Path) -> None:
    """On an ARM64 machine gcc has no prefix; here the cross gcc stands in for it."""
    (programs / "g++").symlink_to(gcc_copy.with_name(CROSS.replace("gcc", "g++")))
    (programs / "gcc").symlink_to(gcc_copy)
    with pytest.raises(ToolMissingError):
        find_gcc(machine="x86_64")

    profile = ubuntu_aarch64_native(machine="aarch64")

    text = profile.cmake_toolchain()
    assert f'set(CMAKE_C_COMPILER "{programs}/gcc" )' in text
    assert "set(BUILDTOOL_NATIVE ON)" in text
    assert profile.name == "ubuntu-aarch64-native"
    assert profile.compiler.c == (f"{programs}/gcc",)


def test_native_without_any_compiler_names_the_package(programs: Path) -> None:
    with pytest.raises(ToolMissingError) as caught:
        ubuntu_aarch64_native(machine="aarch64")
    assert caught.value.remedy == "Install it: apt-get install g++"
