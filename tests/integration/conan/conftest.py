"""Projects with local recipes: no test contacts a server."""

from __future__ import annotations

import json
import shutil
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from buildtool.drivers.conan.home import ConanHome
from tests.command_line import Buildtool

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


@dataclass(frozen=True)
class ConanProject:
    """A project with one program, which prints what the library `calc` returns."""

    root: Path
    buildtool: Buildtool

    @property
    def home(self) -> Path:
        return self.root / ".buildtool" / "conan"

    @property
    def lockfile(self) -> Path:
        return self.root / "host" / "conan.lock"

    def write(self, name: str, text: str) -> None:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text))

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
        """A C library with the function `int NAME(void)`, which returns an expression."""
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

    def asks_for(self, *references: str) -> None:
        lines = "\n".join(references)
        self.write("host/conanfile.txt", f"[requires]\n{lines}\n")

    def built(self, target: str = "sim") -> dict[str, Any]:
        """Build it; returns the program's step as `build --json` describes it."""
        done = self.buildtool("build", target, "--json", cwd=self.root)
        assert done.returncode == 0, done.stderr
        (step,) = json.loads(done.stdout)["steps"]
        return dict(step)

    def fails(self, *arguments: str) -> str:
        """Run a command that fails because of Conan; returns its error."""
        done = self.buildtool(*(arguments or ("build",)), cwd=self.root)
        assert done.returncode == 1, done.stdout + done.stderr
        assert "Traceback" not in done.stderr.replace("Traceback (most recent call last)", "")
        assert "\x1b" not in done.stderr
        return done.stderr

    def run(self, *, target: str = "sim") -> str:
        """The output of the program on the emulated device."""
        assert target == "sim"
        done = self.buildtool("run", "sim", "--", "bin/app", cwd=self.root)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def staged(self, target: str = "sim") -> set[str]:
        stage = self.root / ".buildtool" / "stage" / target
        return {str(p.relative_to(stage)) for p in stage.rglob("*") if p.is_file()}


@pytest.fixture(scope="session")
def conan_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Conan home as after the first build of a project, made once: that takes seconds."""
    home = ConanHome(tmp_path_factory.mktemp("conan") / "home", remotes=())
    home.prepare()
    return home.path


@pytest.fixture
def conan_project(tmp_path: Path, buildtool: Buildtool, conan_home: Path) -> ConanProject:
    """A project without recipes, in a directory with a space in its name."""
    project = ConanProject(tmp_path / "conan project", buildtool)
    shutil.copytree(conan_home, project.home)
    project.write("buildtool.toml", PROJECT)
    project.write("host/CMakeLists.txt", PROGRAM)
    project.write(
        "host/main.c",
        '#include <stdio.h>\n#include "calc.h"\nint main(void) { printf("%d\\n", calc()); }\n',
    )
    project.asks_for("calc/1.0")
    return project
