"""Real compiler launchers with compilers of both sides: a second build hits, outputs are equal."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import cache
from pathlib import Path

import pytest

from buildtool.core.files import tree_digest
from buildtool.drivers.cmake.compiler_launcher import CompilerLauncher, find_compiler_launcher
from buildtool.plan.environment import build_environment
from buildtool.sdk.packaged_tools import find_cmake
from buildtool.toolchains.arm64 import ubuntu_aarch64
from buildtool.toolchains.hexagon import hexagon
from buildtool.toolchains.profile import Profile
from buildtool.toolchains.ubuntu_aarch64_gnu import ubuntu_aarch64_gcc
from tests.caches import share
from tests.integration.cache.remote_nginx import free_port
from tests.project import Project

PROFILES: dict[str, Callable[[], Profile]] = {
    "zig": ubuntu_aarch64,
    "gcc": ubuntu_aarch64_gcc,
    "hexagon": lambda: hexagon("v68"),
}
C_AND_CXX = 2  # sources that are compiled, one of each


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("launchers")


@pytest.fixture(scope="module")
def plain(place: Path) -> Callable[[str], tuple[bytes, str]]:
    """The library that is built for a side without a launcher, and the digest of its objects."""

    def of(side: str) -> tuple[bytes, str]:
        made, _ = build(project_in(place), PROFILES[side](), None)
        return made.read_bytes(), tree_digest([made.parent / "CMakeFiles" / "part.dir"])

    return cache(of)


@pytest.fixture
def project(place: Path) -> Path:
    return project_in(place)


def project_in(place: Path) -> Path:
    """The project in its first state."""
    root = place / "a project"
    root.mkdir(exist_ok=True)
    (root / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.22)\nproject(demo C CXX)\n"
        "add_library(part STATIC one.c two.cpp)\n"
    )
    (root / "one.c").write_text('#include "one.h"\nint one(void) { return ONE; }\n')
    (root / "two.cpp").write_text('#include "one.h"\nint two() { return ONE + ONE; }\n')
    (root / "one.h").write_text("#define ONE 1\n")
    return root


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user with separate caches and servers of compiler launchers."""
    for name in ("ccache", "sccache", "distcc"):
        folder = tmp_path / name
        folder.mkdir()
        monkeypatch.setenv(f"{name.upper()}_DIR", str(folder))
    monkeypatch.setenv("SCCACHE_SERVER_PORT", str(free_port()))
    monkeypatch.setenv("SCCACHE_IDLE_TIMEOUT", "60")
    monkeypatch.setenv("DISTCC_HOSTS", "localhost")


def build(
    project: Path, profile: Profile, launcher: CompilerLauncher | None, name: str = "tree"
) -> tuple[Path, str]:
    """Configure and build in a new tree, and build again; returns the library and the output."""
    cmake = find_cmake()
    tree = project.parent / f"{name} {profile.name}"
    if tree.exists():
        subprocess.run(["rm", "-r", tree], check=True)
    tree.mkdir()
    (tree / "toolchain.cmake").write_text(profile.cmake_toolchain())
    entries = launcher.cache_entries(profile, tree / "launcher") if launcher else {}
    environment = {**build_environment(), **(launcher.environment if launcher else {})}
    configure: list[str | Path] = [cmake.program, "-G", "Ninja", "-S", project, "-B", tree]
    configure += ["-DCMAKE_TOOLCHAIN_FILE=" + str(tree / "toolchain.cmake")]
    configure += [f"-DCMAKE_MAKE_PROGRAM={cmake.ninja}", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"]
    configure += ["-DCMAKE_BUILD_TYPE=Release"]  # as in builds, for zig's C++ library
    configure += [f"-D{key}={value}" for key, value in entries.items()]
    output = ""
    ninja: list[str | Path] = [cmake.ninja, "-C", tree, "-v"]
    for command in (configure, ninja):
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=300, check=False
        )
        output = done.stdout + done.stderr
        assert done.returncode == 0, output
    return tree / "libpart.a", output


def ccache_counts() -> dict[str, int]:
    """The counts of ccache since they were last reset, by the names that ccache uses."""
    output = subprocess.run(
        ["ccache", "--print-stats"], capture_output=True, text=True, check=True
    ).stdout
    return {name: int(count) for name, count in re.findall(r"^(\w+)\t(\d+)$", output, re.MULTILINE)}


@pytest.mark.usefixtures("user")
@pytest.mark.parametrize(
    "side",
    [
        "zig",
        pytest.param("gcc", marks=pytest.mark.long),
        pytest.param("hexagon", marks=pytest.mark.long),
    ],
)
def test_a_second_build_from_clean_hits_ccache_and_makes_the_same(
    side: str, project: Path, plain: Callable[[str], tuple[bytes, str]]
) -> None:
    profile, launcher = PROFILES[side](), find_compiler_launcher("ccache", project)
    wanted, _ = plain(side)

    first, _ = build(project, profile, launcher)
    assert first.read_bytes() == wanted
    assert ccache_counts()["cache_miss"] == C_AND_CXX
    subprocess.run(["ccache", "--zero-stats"], check=True, capture_output=True)

    second, _ = build(project, profile, launcher)
    counts = ccache_counts()
    assert second.read_bytes() == wanted
    assert counts["direct_cache_hit"] + counts["preprocessed_cache_hit"] == C_AND_CXX
    assert counts["cache_miss"] == 0

    (project / "one.h").write_text("#define ONE 3\n")
    third, _ = build(project, profile, launcher)
    assert third.read_bytes() != wanted
    assert ccache_counts()["cache_miss"] == C_AND_CXX


@pytest.mark.long
@pytest.mark.usefixtures("user")
def test_another_zig_is_another_compiler_for_ccache(project: Path) -> None:
    launcher = find_compiler_launcher("ccache", project)
    build(project, ubuntu_aarch64(), launcher)
    build(project, ubuntu_aarch64()._replace(identity="0" * 64), launcher)

    assert ccache_counts()["cache_miss"] == 2 * C_AND_CXX


@pytest.mark.long
@pytest.mark.usefixtures("user")
def test_a_file_in_the_build_tree_that_is_called_cc_is_no_source(project: Path) -> None:
    (project / "CMakeLists.txt").write_text(
        (project / "CMakeLists.txt").read_text() + "file(WRITE ${CMAKE_BINARY_DIR}/cc text)\n"
    )
    build(project, ubuntu_aarch64(), find_compiler_launcher("ccache", project))

    assert ccache_counts()["cache_miss"] == C_AND_CXX


@pytest.mark.long
@pytest.mark.usefixtures("user")
@pytest.mark.parametrize(
    ("name", "side"),
    [
        ("sccache", "zig"),
        pytest.param("sccache", "hexagon", marks=pytest.mark.long),
        pytest.param("distcc", "hexagon", marks=pytest.mark.long),
        pytest.param("icecc", "zig", marks=pytest.mark.long),
    ],
)
def test_other_launchers_build_the_same(
    name: str, side: str, project: Path, plain: Callable[[str], tuple[bytes, str]]
) -> None:
    profile, launcher = PROFILES[side](), find_compiler_launcher(name, project)
    _, wanted = plain(side)
    with sccache_server() if name == "sccache" else nullcontext():
        made, output = build(project, profile, launcher)

        assert tree_digest([made.parent / "CMakeFiles" / "part.dir"]) == wanted
        calls = [line for line in output.splitlines() if " -c " in line]
        assert len(calls) == C_AND_CXX
        assert all(f"/{name}" in call.partition(" -c ")[0] for call in calls)
        # sccache does not cache calls with -Xclang, which the open Hexagon profile needs.
        if name == "sccache" and side != "hexagon":
            build(project, profile, launcher)
            counts = subprocess.run(["sccache", "-s"], capture_output=True, text=True, check=True)
            assert re.search(rf"^Cache hits +{C_AND_CXX}$", counts.stdout, re.MULTILINE)


@contextmanager
def sccache_server() -> Iterator[None]:
    """A server of sccache for the block.

    One that a client starts may look for the client's socket before that is there, and end: then
    the client waits for ten seconds and fails (sccache 0.4).
    """
    foreground = {"SCCACHE_START_SERVER": "1", "SCCACHE_NO_DAEMON": "1"}
    address = ("127.0.0.1", int(os.environ["SCCACHE_SERVER_PORT"]))
    end = time.monotonic() + 60
    with subprocess.Popen(["sccache"], env={**os.environ, **foreground}) as server:
        try:
            while True:
                assert server.poll() is None
                assert time.monotonic() < end
                with suppress(ConnectionRefusedError), socket.create_connection(address):
                    break
                time.sleep(0.01)
            yield
        finally:
            server.terminate()


APP = {
    "buildtool.toml": '[project]\nname = "app"\nlauncher = "NAME"\n[host.app]\nsource = "app"\n'
    '[target.sim]\nplatform = "ubuntu-aarch64"\ntoolchain = "gcc"\n',
    "app/CMakeLists.txt": "cmake_minimum_required(VERSION 3.22)\nproject(app C)\n"
    "add_library(app SHARED app.c data.c)\ntarget_include_directories(app PRIVATE inc)\n"
    "install(TARGETS app LIBRARY DESTINATION lib)\n",
    "app/app.c": '#include "level.h"\nconst char *level = LEVEL;\n',
    "app/inc/level.h": '#define LEVEL "level-one"\n',
    "app/data.c": '__asm__(".section .rodata\\n.globl data\\ndata: .include \\"text.inc\\"\\n'
    'more: .incbin \\"more.bin\\"\\n.previous");\n',
    "app/inc/text.inc": '.ascii "text-one"\n',
    "app/inc/more.bin": "more-one",
}
CONFIGURATION = """
direct_mode = true
depend_mode = true
sloppiness = include_file_mtime, include_file_ctime, file_stat_matches, time_macros
ignore_options = -DLEVEL*
compiler_check = none
"""


@pytest.mark.usefixtures("user")
@pytest.mark.parametrize(
    ("name", "toolchain"),
    [
        ("ccache", "gcc"),
        ("ccache", "zig"),
        pytest.param("sccache", "gcc", marks=pytest.mark.long),
        pytest.param("sccache", "zig", marks=pytest.mark.long),
    ],
)
def test_a_launcher_does_not_answer_for_files_that_it_does_not_know(
    name: str, toolchain: str, tmp_path: Path
) -> None:
    (Path(os.environ["CCACHE_DIR"]) / "ccache.conf").write_text(CONFIGURATION)
    settings = APP["buildtool.toml"].replace("NAME", name).replace('"gcc"', f'"{toolchain}"')
    files = {**APP, "buildtool.toml": settings}
    project = Project(tmp_path / "here", share(tmp_path / "cache"))
    with sccache_server() if name == "sccache" else nullcontext():
        project.lay_out(files)
        for path, text, mark in (
            ("app/app.c", files["app/app.c"], b"level-one"),
            ("app/level.h", '#define LEVEL "level-two"\n', b"level-two"),
            ("app/inc/text.inc", '.ascii "text-two"\n', b"text-two"),
            ("app/inc/more.bin", "more-two", b"more-two"),
        ):
            project.write(path, text)
            assert project.build_here() == {"host/app": "built"}, path
            assert mark in project.release_files()["lib/libapp.so"], path
        wanted = project.release_files()["lib/libapp.so"]

        # A new tree, with the launcher's cache: of each file another content was compiled there.
        project.lay_out(files)
        shutil.rmtree(project.root / ".buildtool")
        shutil.rmtree(project.cache / "actions")
        assert project.build_here() == {"host/app": "built"}
        made = project.release_files()["lib/libapp.so"]
        assert all(mark in made for mark in (b"level-one", b"text-one", b"more-one"))
        assert made != wanted


def test_what_an_unknown_launcher_compiles_is_not_stored(tmp_path: Path) -> None:
    launcher = tmp_path / "remembers"
    launcher.write_text('#!/bin/sh\nexec "$@"\n')
    launcher.chmod(0o755)
    project = Project(tmp_path / "here", share(tmp_path / "cache"))
    project.lay_out({**APP, "buildtool.toml": APP["buildtool.toml"].replace("NAME", str(launcher))})
    assert project.build_here() == {"host/app": "built"}
    assert project.build_here() == {"host/app": "up-to-date"}
    shutil.rmtree(project.root / ".buildtool")
    assert project.build_here() == {"host/app": "built"}
