"""The names and archives of compilers on other machines."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from buildtool.toolchains.distribute.launcher_scripts import (
    RemoteCompiler,
    archive,
    remote_compiler,
)
from buildtool.toolchains.profile import Compiler, Profile

ONE = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"


def zig_compiler(folder: Path, content: str) -> RemoteCompiler:
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "zig"
    program.write_text(content)
    compiler = Compiler("clang", "1", "", (str(program), "cc"), (str(program), "c++"))
    places = {"ZIG": str(program)}
    return remote_compiler(Profile("x", "ubuntu-aarch64", "", {}, "1d", places, compiler))


def test_another_compiler_has_another_name_and_another_place_does_not(tmp_path: Path) -> None:
    one = zig_compiler(tmp_path / "a", "one")

    assert zig_compiler(tmp_path / "b c", "one") == one._replace(
        files=dict.fromkeys(one.files, tmp_path / "b c" / "zig")
    )
    assert zig_compiler(tmp_path / "a", "another").name != one.name


def test_a_script_for_distcc_checks_the_compiler_and_names_no_path_of_this_machine(
    tmp_path: Path,
) -> None:
    compiler = zig_compiler(tmp_path, "one")

    scripts = compiler.scripts["distcc"]
    assert [*scripts] == [f"usr/bin/{compiler.name}-gcc", f"usr/bin/{compiler.name}-g++"]
    for text in scripts.values():
        assert f"{ONE}  /opt/" in text
        assert str(tmp_path) not in text


def test_an_archive_for_distcc_has_the_same_bytes_for_the_same_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    for name in ("a", "b"):
        monkeypatch.setenv("BUILDTOOL_CACHE", str(tmp_path / "cache" / name))
        made.append(archive(zig_compiler(tmp_path / name, "one"), "distcc"))

    assert made[0].name == made[1].name
    assert made[0].read_bytes() == made[1].read_bytes()
    with tarfile.open(made[0]) as packed:
        names = packed.getnames()
        place = f"opt/buildtool/{made[0].name.partition('.')[0]}"
        zig = packed.extractfile(f"{place}/zig")
        assert zig
        assert zig.read() == b"one"
    assert f"{place}/lib/std/std.zig" in names  # by which zig finds its library
    assert len([name for name in names if name.startswith("usr/lib/distcc/buildtool-zig-")]) == 2
