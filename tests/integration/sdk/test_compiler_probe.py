"""Probes of compilers, with layouts other than those of Debian's cross packages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from buildtool.core.processes.process import Completed, capture
from buildtool.sdk.compiler_probe import compiler_headers, library_root, loaded_libraries
from buildtool.sdk.gnu_compilers import CROSS, find_gcc
from buildtool.sdk.tool_search import COMPILER_LAUNCHERS
from buildtool.toolchains.ubuntu_aarch64_gnu import ubuntu_aarch64_gcc
from tests.standins.zig import zig_program

from .conftest import script


@pytest.mark.parametrize(
    ("crt", "root"),
    [
        ("usr/lib/aarch64-linux-gnu/crt1.o", "usr"),  # an ARM64 Debian or Ubuntu
        ("usr/aarch64-linux-gnu/lib/crt1.o", "usr/aarch64-linux-gnu"),  # Debian's cross package
        ("usr/lib64/crt1.o", "usr"),
        ("toolchain/libc/usr/lib64/crt1.o", "toolchain/libc/usr"),
        ("toolchain/crt/crt1.o", "toolchain"),
    ],
)
def test_the_root_of_a_c_library(crt: str, root: str, tmp_path: Path) -> None:
    assert library_root(tmp_path / crt) == tmp_path / root


def test_headers_of_a_gcc_that_no_distribution_made(tmp_path: Path) -> None:
    """The limits.h of such a gcc is in include-fixed."""
    inner = tmp_path / "lib/gcc/aarch64-linux-gnu/15"
    folders = [
        tmp_path / "aarch64-linux-gnu/include/c++/15",
        inner / "include",
        inner / "include-fixed",
        tmp_path / "aarch64-linux-gnu/include",
    ]
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    (inner / "include" / "stddef.h").touch()
    lines = "\n".join(f" {folder}" for folder in folders)
    gxx = script(
        tmp_path / "g++", f"cat <<'E'\n#include <...> search starts here:\n{lines}\nEnd.\nE"
    )

    assert compiler_headers(gxx) == tuple(folders[:3])


def test_on_an_arm64_debian_the_machine_s_headers_are_all_named(
    gcc_copy: Path, programs: Path
) -> None:
    """The C library has them in two directories.  The cross gcc stands in for the native gcc."""
    usr = gcc_copy.parents[1]
    there = usr / "lib" / "aarch64-linux-gnu"
    (usr / "aarch64-linux-gnu" / "lib").rename(there)
    (usr / "aarch64-linux-gnu" / "lib").symlink_to(there)
    # The start files are copied as files, since links would lead out of the copy.
    crt = (there / "crt1.o").read_bytes()
    (there / "crt1.o").unlink()
    (there / "crt1.o").write_bytes(crt)
    (usr / "include" / "aarch64-linux-gnu").mkdir(parents=True)
    (usr / "include" / "stdio.h").touch()
    (programs / CROSS).symlink_to(gcc_copy)

    assert find_gcc().root == usr
    command = " ".join(ubuntu_aarch64_gcc().compiler.c)

    assert f"-isystem {usr}/include/aarch64-linux-gnu -isystem {usr}/include" in command
    assert "-nostdinc" in command


@pytest.mark.parametrize("launcher", COMPILER_LAUNCHERS)
def test_a_compiler_launcher_in_front_of_path_is_passed_over(
    launcher: str, gcc_copy: Path, programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (programs / CROSS).symlink_to(gcc_copy)
    real = find_gcc()
    masquerade = tmp_path / "masquerade"
    masquerade.mkdir()
    script(tmp_path / launcher, f"exec '{gcc_copy}' \"$@\"")
    (masquerade / CROSS).symlink_to(tmp_path / launcher)
    monkeypatch.setenv("PATH", f"{masquerade}:{programs}")

    assert find_gcc() == real


def test_a_static_program_is_not_started_where_the_user_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The loader lists the libraries of a dynamic program, but a static assembler writes a.out."""
    started: list[Path | None] = []

    def noted(*arguments: Any, cwd: Path | None = None, **rest: Any) -> Completed:
        started.append(cwd)
        return capture(*arguments, cwd=cwd, **rest)

    monkeypatch.setattr("buildtool.sdk.compiler_probe.capture", noted)
    monkeypatch.chdir(tmp_path)

    assert loaded_libraries(zig_program(), "lib") == {}
    assert not {None, tmp_path, Path()} & set(started)
