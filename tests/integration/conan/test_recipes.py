"""The recipes of this repository with plain Conan, without a buildtool.toml."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from buildtool.contract.build_checks import check_skel
from buildtool.core.elf.read import read_elf
from tests.command_line import REPOSITORY
from tests.standins.fixtures import MakeSdk

from .conftest import ConanProject

RECIPES = REPOSITORY / "recipes"
SKEL = """\
from conan import ConanFile
from conan.tools.cmake import CMake, cmake_layout

class Demo(ConanFile):
    name = "demo"
    version = "1.0"
    settings = "os", "arch", "compiler", "build_type"
    exports_sources = "*"
    generators = "CMakeToolchain"

    def layout(self):
        cmake_layout(self)

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
"""
CMAKE = """\
cmake_minimum_required(VERSION 3.22)
project(demo C)
add_library(helper STATIC helper.c)
add_library(demo_skel SHARED skel.c)
target_link_libraries(demo_skel PRIVATE helper)
install(TARGETS demo_skel helper)
file(WRITE "${CMAKE_BINARY_DIR}/seen.txt"
     "${HEXAGON_SDK_ROOT};$ENV{DEFAULT_TOOLS_VARIANT};${PREBUILT_LIB_DIR}")
"""


@dataclass(frozen=True)
class PlainConan:
    """Conan in a new home, with only the recipes of this repository."""

    root: Path

    def __call__(self, *arguments: str | Path, status: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "conans.conan", *arguments],
            cwd=self.root,
            env={**os.environ, "CONAN_HOME": str(self.root / "home"), "NO_COLOR": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == status, done.stdout
        return done.stdout

    def package(self, name: str) -> Path:
        """The latest package of the recipe `name`."""
        folders = list((self.root / "home" / "p" / "b").glob(f"{name}*/p"))
        return max(folders, key=lambda folder: folder.stat().st_mtime_ns)

    def packages(self, name: str) -> set[str]:
        """The existing package ids."""
        answer = self.root / "list.json"
        self("list", f"{name}/*:*", "--format=json", f"--out-file={answer}")
        ((_, recipe),) = json.loads(answer.read_text())["Local Cache"].items()
        return {id for revision in recipe["revisions"].values() for id in revision["packages"]}


@pytest.fixture(scope="session")
def plain_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Conan home with the configuration and the toolchain's recipe, which tests copy."""
    conan = PlainConan(tmp_path_factory.mktemp("plain"))
    conan("remote", "remove", "*")
    conan("config", "install", RECIPES / "config")
    conan("export", RECIPES / "hexagon-toolchain")
    return conan.root / "home"


@pytest.fixture
def conan(tmp_path: Path, plain_home: Path) -> PlainConan:
    root = tmp_path / "plain conan"
    (root / "skel").mkdir(parents=True)
    (root / "skel" / "conanfile.py").write_text(SKEL)
    (root / "skel" / "CMakeLists.txt").write_text(CMAKE)
    (root / "skel" / "helper.c").write_text("int helper(int x) { return x + 1; }")
    (root / "skel" / "skel.c").write_text(
        "int helper(int);\nint demo_skel_handle_invoke(int x) { return helper(x); }"
    )
    (root / "build-machine").write_text(
        f"[settings]\nos=Linux\narch={platform.machine().replace('aarch64', 'armv8')}\n"
    )
    shutil.copytree(plain_home, root / "home")
    return PlainConan(root)


@pytest.mark.long
def test_a_skel_is_built_for_each_arch(conan: PlainConan) -> None:
    create = ("create", "skel", "-pr:h=hexagon", "-pr:b=build-machine")

    conan(*create, "-s", "arch=hexagonv68")
    first = conan.package("demo")
    conan(*create, "-s", "arch=hexagonv73")
    second = conan.package("demo")

    check_skel(first / "lib" / "libdemo_skel.so", "v68")
    check_skel(second / "lib" / "libdemo_skel.so", "v73")
    assert (second / "lib" / "libhelper.a").is_file()
    assert len(conan.packages("demo")) == 2
    tools = [f for f in (conan.root / "home" / "p").rglob("hexag*/p/*") if f.is_file()]
    assert {f.name for f in tools} == {"conaninfo.txt", "conanmanifest.txt"}


@pytest.mark.long
def test_another_compiler_makes_another_package_with_a_stand_in_sdk(
    conan: PlainConan, stand_in_sdk: MakeSdk, monkeypatch: pytest.MonkeyPatch
) -> None:
    profiles = ("-pr:h=hexagon", "-pr:b=build-machine")
    create = ("create", "skel", *profiles, "--build=demo/*", "--build=missing")
    conan(*create)
    assert len(conan.packages("demo")) == 1

    monkeypatch.setenv("HEXAGON_SDK_ROOT", str(stand_in_sdk()))
    conan(*create)
    assert len(conan.packages("demo")) == 2
    tree = conan.package("demo").parent / "b" / "build" / "Release"
    assert "/bin/hexagon-clang" in (tree / "CMakeFiles" / "rules.ninja").read_text()
    # CMake sees no variables of SDKs except those of the selected one.
    assert (tree / "seen.txt").read_text() == f"{stand_in_sdk()};toolv19;toolv19_v68"
    buildenv = next(tree.rglob("conanbuildenv*.sh")).read_text()
    assert 'DEFAULT_TOOLS_VARIANT="toolv19"' in buildenv

    conan(*create, "-o:b", "hexagon-toolchain/*:toolchain=llvm")
    assert len(conan.packages("demo")) == 2
    monkeypatch.setenv("HEXAGON_SDK_ROOT", str(conan.root))
    output = conan(*create, status=6)
    assert f"HEXAGON_SDK_ROOT names {conan.root}" in output


@pytest.mark.long
def test_only_packages_for_the_dsp_get_it(conan: PlainConan) -> None:
    (conan.root / "arm64").write_text(
        "[settings]\nos=Linux\narch=armv8\ncompiler=clang\ncompiler.version=22\n"
        "build_type=Release\n[tool_requires]\nhexagon-toolchain/1.0\n"
    )

    output = conan("create", "skel", "-pr:h=arm64", "-pr:b=build-machine", status=6)

    assert "arch=hexagonv68 ... hexagonv81" in output


@pytest.mark.long
def test_the_printed_profile_and_home_serve_plain_conan(conan_project: ConanProject) -> None:
    """What `profile --conan` prints builds the same packages as `build` does."""
    conan_project.header("calc")
    conan_project.built()
    file = conan_project.root / "arm64.profile"
    done = conan_project.run("profile", "sim", "--conan", "-o", str(file))
    assert done.returncode == 0, done.stderr

    def install() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-P", "-m", "conans.conan", "install", "--requires=calc/1.0",
             f"--profile:host={file}", "--build=never"],
            cwd=conan_project.home, capture_output=True, text=True, check=False,
        )  # fmt: skip

    done = install()
    assert (done.returncode, "calc/1.0: Already installed!" in done.stderr) == (0, True)

    # The same settings with another compiler give another package.
    text = file.read_text()
    digest = text.partition("user.buildtool:profile=sha256:")[2][:64]
    file.write_text(text.replace(digest, "0" * 64))
    done = install()
    assert done.returncode != 0
    assert "Missing binary: calc/1.0" in done.stderr


def test_cdsprpc_packages_headers_and_nothing_else(conan: PlainConan) -> None:
    conan("create", RECIPES / "cdsprpc", "-pr:a=build-machine", "--build=missing")

    package = conan.package("cdspr")
    files = {f.relative_to(package).as_posix() for f in package.rglob("*") if f.is_file()}
    assert {"include/rpcmem.h", "include/fastrpc/remote.h"} < files
    assert {f.partition("/")[0] for f in files} == {"include", "conaninfo.txt", "conanmanifest.txt"}


def test_the_hexagon_side_of_a_target_as_a_profile(
    conan_project: ConanProject, conan: PlainConan
) -> None:
    """`profile --conan --arch` names the toolchain file itself; no tool requirement is needed."""
    conan_project.header("calc")
    text = (conan_project.root / "buildtool.toml").read_text()
    conan_project.write("buildtool.toml", text.replace('"zig"', '"zig"\narchs = ["v73"]'))
    file = conan_project.root / "v73.profile"
    done = conan_project.run(*("profile", "sim", "--conan", "--arch", "v73", "-o", str(file)))
    assert done.returncode == 0, done.stderr

    conan("create", "skel", f"-pr:h={file}", "-pr:b=build-machine")

    skel = conan.package("demo") / "lib" / "libdemo_skel.so"
    assert check_skel(skel, "v73").hexagon_arch == "v73"
    assert read_elf(skel).needed == ()
