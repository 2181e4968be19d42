"""Projects with local recipes: no test contacts a server.

The user has a Conan of his own, which must have no effect and is left alone.
"""

from __future__ import annotations

import shutil
import subprocess
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from buildtool.core.errors import BuildtoolError
from buildtool.drivers.conan.home import ConanHome
from buildtool.sdk.qemu import CROSS_LIBRARIES
from tests.project import Project

RECIPE = """\
from conan import ConanFile
from conan.tools.cmake import CMake, cmake_layout

class Recipe(ConanFile):
    name = "{name}"
    version = "{version}"
    settings = "os", "arch", "compiler", "build_type"
    options = {{"shared": [True, False], "fPIC": [True, False]}}
    default_options = {{"shared": {shared}, "fPIC": True}}
    exports_sources = "*.c", "*.h", "CMakeLists.txt"
    generators = "CMakeDeps", "CMakeToolchain"

    def requirements(self):
        for name in {requires}:
            self.requires(name)

    def layout(self):
        cmake_layout(self)

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        self.cpp_info.libs = ["{name}"]
"""
HEADER = """\
from conan import ConanFile
from conan.tools.files import copy

class Recipe(ConanFile):
    name = "{name}"
    version = "{version}"
    settings = "os", "arch", "compiler", "build_type"
    exports_sources = "*.h"
    no_copy_source = True

    def package(self):
        copy(self, "*.h", self.source_folder, self.package_folder + "/include")

    def package_info(self):
        self.cpp_info.bindirs = self.cpp_info.libdirs = []
"""
LIBRARY = """\
cmake_minimum_required(VERSION 3.22)
project({name} C)
add_library({name} {name}.c)
set_target_properties({name} PROPERTIES PUBLIC_HEADER {name}.h VERSION 1.2.3 SOVERSION 1)
foreach(other IN ITEMS {others})
  find_package(${{other}} REQUIRED)
  target_link_libraries({name} PRIVATE ${{other}}::${{other}})
endforeach()
find_path(machine ../bin/sh) # /usr/include/../bin/sh, if /usr/include is searched
if(machine)
  message(FATAL_ERROR "the build machine's own files are found: ${{machine}}")
endif()
install(TARGETS {name})
"""
PROGRAM = """\
cmake_minimum_required(VERSION 3.22)
project(app C)
set(CMAKE_SKIP_BUILD_RPATH ON) # otherwise GNU ld finds the dependencies of linked libraries there
find_package(calc REQUIRED)
find_path(machine ../bin/sh)
if(machine)
  message(FATAL_ERROR "the build machine's own files are found: ${machine}")
endif()
add_executable(app main.c)
target_link_libraries(app PRIVATE calc::calc)
install(TARGETS app)
"""
PROJECT = """\
[project]
name = "demo"
conan-recipes = ["recipes"]
conan-remotes = []

[host.app]
source = "host"
conan = "host/conanfile.txt"

[target.sim]
platform = "ubuntu-aarch64"
toolchain = "zig"

[target.gcc]
platform = "ubuntu-aarch64"
toolchain = "gcc"
glibc = "2.36"

[target.phone]
platform = "android"
"""


class ConanProject(Project):
    """A project with one program, which prints what the library `calc` returns."""

    @property
    def home(self) -> Path:
        return self.root / ".buildtool" / "conan"

    @property
    def lockfile(self) -> Path:
        return self.root / "host" / "conan.lock"

    def write(self, name: str, text: str, *, old: bool = False) -> None:
        super().write(name, textwrap.dedent(text), old=old)

    def recipe(
        self,
        name: str,
        returns: str = "42",
        *,
        version: str = "1.0",
        shared: bool = True,
        requires: tuple[str, ...] = (),
        folder: str = "",
    ) -> None:
        """Write the recipe of a C library with `int NAME(void)`, which returns an expression."""
        others = [reference.partition("/")[0] for reference in requires]
        here = f"recipes/{folder or name}"
        self.write(
            f"{here}/conanfile.py",
            RECIPE.format(name=name, version=version, shared=shared, requires=requires),
        )
        self.write(f"{here}/CMakeLists.txt", LIBRARY.format(name=name, others=" ".join(others)))
        self.write(f"{here}/{name}.h", f"int {name}(void);\n")
        includes = "".join(f'#include "{other}.h"\n' for other in others)
        self.write(f"{here}/{name}.c", f"{includes}int {name}(void) {{ return {returns}; }}\n")

    def header(
        self, name: str, returns: str = "42", *, version: str = "1.0", folder: str = ""
    ) -> None:
        """Write the recipe of a header with such a function: nothing of it is compiled."""
        here = f"recipes/{folder or name}"
        self.write(f"{here}/conanfile.py", HEADER.format(name=name, version=version))
        text = f"static inline int {name}(void) {{ return {returns}; }}\n"
        self.write(f"{here}/{name}.h", text)

    def asks_for(self, *references: str) -> None:
        lines = "\n".join(references)
        self.write("host/conanfile.txt", f"[requires]\n{lines}\n")

    def built(self, target: str = "sim") -> str:
        """Build; returns the outcome of the program's step."""
        (outcome,) = self.build_here(target).values()
        return outcome

    def refused(self) -> str:
        """Build, which must fail; returns the texts of the error."""
        with pytest.raises(BuildtoolError) as caught:
            self.build_here()
        return str(caught.value)

    def output(self, target: str = "sim") -> str:
        """The output of the program of the release, which QEMU runs."""
        release = self.release(target)
        return subprocess.run(
            ["qemu-aarch64", "-L", CROSS_LIBRARIES.parent, "-E", f"LD_LIBRARY_PATH={release}/lib",
             release / "bin" / "app"],
            capture_output=True, text=True, check=True, timeout=60,
        ).stdout  # fmt: skip


@pytest.fixture(scope="session")
def conan_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Conan home as after the first build of a project; created once, as that takes seconds."""
    home = ConanHome(tmp_path_factory.mktemp("conan") / "home", remotes=())
    home.prepare()
    return home.path


@pytest.fixture
def users_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A directory whose .conanrc, as ~/.conan2 and CONAN_HOME, would make each Conan fail."""
    place = tmp_path / "a user"
    home = place / "home"
    poison = {
        home / ".conan2" / "global.conf": "core:required_conan_version=>=99",
        home / ".conan2" / "profiles" / "default": "[settings]\nos=Nonsense\n",
        place / ".conanrc": f"conan_home={home}/.conan2\n",
    }
    for file, text in poison.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("CONAN_HOME", str(home / ".conan2"))
    yield place
    left = {file: file.read_text() for file in home.rglob("*") if file.is_file()}
    assert {**left, place / ".conanrc": (place / ".conanrc").read_text()} == poison
    assert [path.name for path in home.iterdir()] == [".conan2"]


@pytest.fixture
def conan_project(users_place: Path, conan_home: Path) -> ConanProject:
    """A project without recipes, in a directory with a space in its name."""
    project = ConanProject(users_place / "conan project")
    shutil.copytree(conan_home, project.home)
    project.write("buildtool.toml", PROJECT)
    project.write("host/CMakeLists.txt", PROGRAM)
    project.write(
        "host/main.c",
        '#include <stdio.h>\n#include "calc.h"\nint main(void) { printf("%d\\n", calc()); }\n',
    )
    project.asks_for("calc/1.0")
    return project
