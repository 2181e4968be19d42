"""The identity of a compiler depends only on the files that determine its output."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from buildtool.sdk.gnu_compilers import CROSS, find_clang, find_gcc
from buildtool.toolchains.ubuntu_aarch64_gnu import ubuntu_aarch64_gcc

from .conftest import replace

LIBC = "aarch64-linux-gnu/lib"


@pytest.mark.parametrize(
    "part",
    [
        f"bin/{CROSS}",
        "lib/gcc-cross/*/*/cc1",
        "lib/gcc-cross/*/*/cc1plus",
        pytest.param("lib/gcc-cross/*/*/collect2", marks=pytest.mark.long),
        pytest.param("lib/gcc-cross/*/*/libgcc.a", marks=pytest.mark.long),
        pytest.param("lib/gcc-cross/*/*/crtbeginS.o", marks=pytest.mark.long),
        pytest.param("lib/gcc-cross/*/*/libstdc++.so", marks=pytest.mark.long),
        pytest.param("aarch64-linux-gnu/bin/as", marks=pytest.mark.long),
        pytest.param("aarch64-linux-gnu/bin/ld", marks=pytest.mark.long),
        pytest.param(f"{LIBC}/Scrt1.o", marks=pytest.mark.long),
        f"{LIBC}/libc.so.6",
        pytest.param(f"{LIBC}/libc_nonshared.a", marks=pytest.mark.long),
    ],
)
def test_another_part_makes_another_gcc(
    gcc_copy: Path, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    monkeypatch.setenv("BUILDTOOL_GCC_AARCH64", str(gcc_copy))
    before, digest = find_gcc(), ubuntu_aarch64_gcc().digest
    (file,) = gcc_copy.parents[1].glob(part)

    replace(file, file.read_bytes() + b"\0")

    assert find_gcc().problems == before.problems == ()
    assert find_gcc().identity != before.identity
    assert ubuntu_aarch64_gcc().digest != digest


def test_touching_or_moving_changes_nothing(
    gcc_copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BUILDTOOL_GCC_AARCH64", str(gcc_copy))
    before, digest = find_gcc(), ubuntu_aarch64_gcc().digest

    os.utime(gcc_copy)
    assert find_gcc().identity == before.identity
    assert ubuntu_aarch64_gcc().digest == digest

    prefix = gcc_copy.parents[1].rename(tmp_path / "elsewhere")
    monkeypatch.setenv("BUILDTOOL_GCC_AARCH64", str(prefix / "bin" / CROSS))
    assert find_gcc().identity == before.identity
    assert ubuntu_aarch64_gcc().digest == digest


def test_the_real_compilers_stay_the_same_from_call_to_call() -> None:
    assert find_gcc() == find_gcc()
    assert find_clang() == find_clang()


def linked(program: str, name: str) -> Path:
    """The shared object of `program` whose name begins with `name`, as printed by ldd."""
    found = shutil.which(program)
    assert found
    done = subprocess.run(["ldd", found], capture_output=True, text=True, check=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    (path,) = [Path(line[2]) for line in lines if line[0].startswith(name)]
    return path


@pytest.mark.parametrize(
    ("find", "program", "name"),
    [
        (find_clang, "clang", "libclang-cpp"),
        (find_clang, "clang", "libLLVM"),
        (find_gcc, "aarch64-linux-gnu-ld", "libbfd"),
        (find_gcc, "aarch64-linux-gnu-as", "libopcodes"),
    ],
)
def test_the_shared_objects_behind_a_thin_program_count(
    find: Callable[[], object],
    program: str,
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Debian's clang is a small program; the compiler itself is in libraries."""
    before = find()
    real = linked(program, name)
    other = tmp_path / real.name
    other.write_bytes(real.read_bytes() + b"\0")
    # The loader finds another library in its place.
    monkeypatch.setattr(
        "buildtool.sdk.compiler_probe._environment",
        lambda: {"PATH": os.environ["PATH"], "LC_ALL": "C", "LD_LIBRARY_PATH": str(tmp_path)},
    )

    assert find() != before
