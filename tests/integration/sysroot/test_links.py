"""Programs are linked against the system's libcdsprpc, however a project requests the library."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from buildtool.core.elf.read import read_elf
from tests.command_line import REPOSITORY
from tests.standins.device import arm64_library, make_board
from tests.standins.fixtures import MakeNdk

from .conftest import Pull
from .linked import Linked

COMPILERS = ["zig", *(pytest.param(name, marks=pytest.mark.long) for name in ("gcc", "clang"))]


WAYS = {
    "by_name": "target_link_libraries(${main} cdsprpc)",
    "found": "find_library(found cdsprpc REQUIRED)\ntarget_link_libraries(${main} ${found})",
    "package": "find_package(Buildtool REQUIRED)\n"
    "target_link_libraries(${main} Buildtool::cdsprpc)",
}
MORE_WAYS = {
    "checked": 'include(CheckLibraryExists)\ncheck_library_exists(cdsprpc rpcmem_alloc "" have)\n'
    "if(have)\n  target_link_libraries(${main} -lcdsprpc)\nendif()",
    # GNU ld has to find the libraries that the library needs.
    "second_hand": "add_library(part SHARED ../library.c)\n"
    "target_link_libraries(part PRIVATE cdsprpc)\n"
    "target_link_libraries(${main} part cdsprpc)\ninstall(TARGETS part)",
    "flags": 'set(CMAKE_EXE_LINKER_FLAGS "")\ntarget_link_libraries(${main} cdsprpc)',
}
WEAK = {
    "weak": 'target_compile_definitions(${main} PRIVATE NEWER "WEAK=__attribute__((weak))")\n'
    "target_link_libraries(${main} cdsprpc)",
}
# GNU ld searches for the libraries that a library needs.
ONLY_LIBRARY = {
    "only_library": "target_compile_definitions(${main} PRIVATE ONLY_LIBRARY)\n"
    "add_library(only SHARED ../library.c)\ninstall(TARGETS only)\n"
    "target_link_libraries(only PRIVATE cdsprpc)\ntarget_link_libraries(${main} only)",
}


def check_ways(project: Linked, ways: Iterable[str], soname: str, other: str) -> None:
    """Check the programs of a built project, each of which is linked in another way."""
    for name in ways:
        program = read_elf(project.release() / "bin" / name)
        assert soname in program.needed, name
        assert other not in program.needed, name
        assert "rpcmem_alloc" in program.imports, name
        # At run time a program must not find the stub, whose functions do nothing.
        (built,) = (project.root / ".buildtool/build/linked").glob(f"*/{name}/{name}")
        assert b"buildtool-cdsprpc" not in built.read_bytes(), name


@pytest.mark.parametrize("toolchain", COMPILERS)
def test_the_system_s_is_linked(toolchain: str, project: Linked) -> None:
    """By each way to request it, by weak references, and if only a library needs it."""
    project.target(toolchain)
    project.programs({**WAYS, **MORE_WAYS, **WEAK, **ONLY_LIBRARY})

    project.build_here()

    check_ways(project, [*WAYS, *MORE_WAYS, *WEAK], "libcdsprpc.so.1", "libcdsprpc.so")
    weak = read_elf(project.release() / "bin/weak")
    assert "rpcmem_alloc2" in weak.weak_imports
    assert "rpcmem_alloc2" not in weak.imports
    only_library = read_elf(project.release() / "bin/only_library")
    assert "libcdsprpc.so.1" not in only_library.needed
    assert "libcdsprpc.so.1" in read_elf(project.release() / "lib/libonly.so").needed


@pytest.mark.parametrize(
    "release",
    [pytest.param("r25", marks=pytest.mark.long), pytest.param("r28", marks=pytest.mark.long)],
)
def test_android_s_is_linked_with_a_stand_in_ndk(
    release: str, project: Linked, stand_in_ndk: MakeNdk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANDROID_NDK_ROOT", str(stand_in_ndk(release)))
    project.programs(WAYS)
    file = project.root / "buildtool.toml"
    file.write_text(
        file.read_text().split("[target.sim]")[0] + '[target.sim]\nplatform = "android"\n'
    )

    project.build_here()

    check_ways(project, WAYS, "libcdsprpc.so", "libcdsprpc.so.1")


@pytest.mark.long
def test_a_stand_in_s_own_exports_are_what_is_linked(
    project: Linked, tmp_path: Path, pull_from: Pull
) -> None:
    project.lists(
        "target_compile_definitions(main PRIVATE NEWER)\ntarget_link_libraries(main cdsprpc)"
    )
    assert "Older devices have no rpcmem_alloc2" in project.refused()

    pull_from(make_board(tmp_path / "old"), "old")
    project.target("zig", 'sysroot = "old"\n')
    message = project.refused()
    assert "The libcdsprpc of the device 'old' has no rpcmem_alloc2" in message
    assert "__attribute__((weak))" in message

    pull_from(make_board(tmp_path / "new", newer=True), "new")
    project.target("zig", 'sysroot = "new"\n')
    assert "rpcmem_alloc2" in read_elf(project.program()).imports
    # The needs of the real library, which the build machine does not have, are not resolved.
    assert read_elf(project.program()).needed == ("libcdsprpc.so.1", "libc.so.6")


@pytest.mark.long
def test_a_library_may_not_need_what_the_stand_in_s_has_not(
    project: Linked, tmp_path: Path, pull_from: Pull
) -> None:
    """By default, linkers do not check whether a shared library is complete."""
    pull_from(make_board(tmp_path / "old"), "old")
    project.target("zig", 'sysroot = "old"\n')
    (project.root / "host/library.c").write_text(
        "int dspqueue_read(void);\nint library(void) { return dspqueue_read(); }\n"
    )
    project.lists(
        "add_library(part SHARED library.c)\ninstall(TARGETS part)\n"
        "target_link_libraries(part PRIVATE cdsprpc)\n"
        "target_link_libraries(main cdsprpc)\n"
    )
    message = project.refused()
    assert "libpart.so needs dspqueue_read" in message
    assert "the libcdsprpc of the device 'old' does not have" in message


MISFITS = [
    (
        'platform = "android"',
        "the sysroot 'old' is for ubuntu-aarch64, but the target is for android",
    ),
    ('glibc = "2.39"', 'Set glibc = "2.36" in the target'),
    ('archs = ["v73"]', 'Add "v68" to the archs of the target'),
    ('sysroot = "none"', "buildtool sysroot pull DEVICE --name none"),
    ('sysroot = "../old"', "is not a valid name for a sysroot"),
]


@pytest.mark.long
def test_a_stand_in_that_does_not_fit_the_target(
    project: Linked, tmp_path: Path, pull_from: Pull
) -> None:
    pull_from(make_board(tmp_path / "old"), "old")
    project.lists("")
    for more, message in MISFITS:
        keys = {"platform": '"ubuntu-aarch64"', "sysroot": '"old"', "glibc": '"2.36"'}
        key, _, value = more.partition(" = ")
        keys[key] = value
        table = "".join(f"{name} = {text}\n" for name, text in keys.items())
        (project.root / "buildtool.toml").write_text(
            f'[project]\nname = "x"\n[host.x]\nsource = "host"\n[target.sim]\n{table}'
        )
        done = project.run("build")
        assert done.returncode in (1, 2), more
        assert message in done.stderr, more


@pytest.mark.long
def test_a_toolchain_file_of_the_project(tmp_path: Path, project: Linked) -> None:
    """`Buildtool::cdsprpc` and the check work with such a toolchain file."""
    project.write(
        "host/own.cmake",
        "set(CMAKE_SYSTEM_NAME Linux)\nset(CMAKE_SYSTEM_PROCESSOR aarch64)\n"
        "set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)\n",
    )
    project.edit(
        "buildtool.toml",
        'source = "host"',
        'source = "host"\ntoolchain-file = "host/own.cmake"\n'
        f'defines.BUILDTOOL_PYTHON = "{sys.executable}"',
    )
    project.lists(
        f'find_package(Buildtool REQUIRED HINTS "{REPOSITORY}/cmake")\n'
        "target_link_libraries(main Buildtool::cdsprpc)"
    )
    assert "libcdsprpc.so.1" in read_elf(project.program()).needed

    project.lists(f'target_link_libraries(main "-L{tmp_path}" -lcdsprpc)')
    arm64_library(tmp_path / "libcdsprpc.so", "libcdsprpc.so.1", ["rpcmem_alloc"])
    assert "that is not the system's" in project.refused()
