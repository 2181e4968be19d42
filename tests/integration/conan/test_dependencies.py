"""Packages of host components, built by Conan with the compiler of the target."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from buildtool.core.elf.read import read_elf
from buildtool.core.files import read_checksummed
from buildtool.sdk.qemu import CROSS_LIBRARIES
from tests.conftest import LONG
from tests.standins.fixtures import MakeNdk

from .conftest import ConanProject


def test_shared_libraries_are_built_for_the_target_and_ship(conan_project: ConanProject) -> None:
    """`calc` requires `base`, which the program does not require directly."""
    conan_project.recipe("base", "40")
    conan_project.recipe("calc", "base() + 2", requires=("base/1.0",))
    for target in ("sim", "gcc") if LONG else ("sim",):
        assert conan_project.built(target) == "built"

        assert set(conan_project.release_files(target)) == {
            "bin/app", "lib/libcalc.so.1", "lib/libbase.so.1", "run.sh"
        }, target  # fmt: skip
        release = conan_project.release(target)
        assert read_elf(release / "bin" / "app").needed[0] == "libcalc.so.1", target
        assert conan_project.output(target) == "42\n", target
        # gcc writes its name into its output, and has symbols there.
        debug = conan_project.root / ".buildtool" / "debug" / target / "lib" / "libbase.so.1.debug"
        has_name = debug.exists() and b"GCC: (" in debug.read_bytes()
        assert has_name == (target == "gcc"), target

    # Each compiler has separate packages, and so has each glibc.
    if LONG:
        conan_project.edit("buildtool.toml", '"zig"', '"zig"\nglibc = "2.34"')
        conan_project.built("sim")
    made = {folder.parent.name for folder in conan_project.home.glob("p/b/calc*/p")}
    assert len(made) == (3 if LONG else 1)


@pytest.mark.long
def test_an_android_program_gets_its_packages_with_a_stand_in_ndk(
    conan_project: ConanProject, stand_in_ndk: MakeNdk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANDROID_NDK_ROOT", str(stand_in_ndk("r27")))
    conan_project.recipe("calc")

    conan_project.built("phone")

    release = conan_project.root / ".buildtool" / "release" / "phone"
    assert set(conan_project.release_files("phone")) == {"bin/app", "lib/libcalc.so", "run.sh"}
    library = read_elf(release / "lib" / "libcalc.so")
    assert set(library.load_alignments) == {16384}
    assert (library.soname, library.bits) == ("libcalc.so", 64)


def test_conan_starts_only_when_something_changed(conan_project: ConanProject) -> None:
    conan_project.header("calc")
    conan_project.built()
    made = conan_project.tree("app").with_suffix(".conan")
    # With this file, Conan cannot use its home.
    (conan_project.home / "settings_user.yml").write_text("{")
    assert conan_project.built() == "up-to-date"
    (conan_project.home / "global.conf").write_text("# a comment\n")
    assert conan_project.built() == "up-to-date"

    toolchain = made / "conan_toolchain.cmake"
    toolchain.unlink()
    conan_project.built()
    assert toolchain.is_file()
    (conan_project.home / "global.conf").write_text("tools.build:jobs=1\n")
    assert conan_project.why_json()["host/app"]["outcome"] == "built"

    # A recipe that changes is built again.
    before = conan_project.lockfile.read_text()
    conan_project.header("calc", "2")
    assert conan_project.built() == "built"
    assert conan_project.output() == "2\n"
    assert conan_project.lockfile.read_text() == before

    # Packages that went missing are made again.
    note = made / "installed.json"
    subprocess.run(["rm", "-r", *read_checksummed(note)["packages"]], check=True)
    assert conan_project.built() == "restored"
    assert all(Path(package).is_dir() for package in read_checksummed(note)["packages"])
    assert conan_project.output() == "2\n"


@pytest.mark.long
def test_what_a_conanfile_py_generates_counts(conan_project: ConanProject) -> None:
    """Variables of CMakeToolchain reach the component, and a layout moves the generated files."""
    conan_project.recipe("calc", shared=False)
    conan_project.write(
        "host/conanfile.py",
        """\
        from conan import ConanFile
        from conan.tools.cmake import CMakeDeps, CMakeToolchain, cmake_layout

        class App(ConanFile):
            settings = "os", "arch", "compiler", "build_type"
            requires = "calc/1.0"

            def layout(self):
                cmake_layout(self)

            def generate(self):
                CMakeDeps(self).generate()
                toolchain = CMakeToolchain(self)
                toolchain.variables["FROM_CONAN"] = str(self.settings.os.glibc)
                toolchain.generate()
        """,
    )
    text = (conan_project.root / "buildtool.toml").read_text()
    conan_project.write("buildtool.toml", text.replace("conanfile.txt", "conanfile.py"))
    main = conan_project.root / "host" / "CMakeLists.txt"
    main.write_text(
        main.read_text()
        + "if(NOT FROM_CONAN STREQUAL 2.35)\n  message(FATAL_ERROR here)\nendif()\n"
        'if(NOT CMAKE_C_COMPILER MATCHES "zig$")\n  message(FATAL_ERROR there)\nendif()\n'
    )

    conan_project.built()

    assert conan_project.output() == "42\n"
    assert {path.name for path in (conan_project.root / "host").iterdir()} == {
        "CMakeLists.txt", "main.c", "conanfile.py", "conanfile.txt", "conan.lock"
    }  # fmt: skip
    # A static library leaves nothing to ship.
    assert set(conan_project.release_files()) == {"bin/app", "run.sh"}

    # A debug component links packages, too.
    defines = 'defines = { CMAKE_BUILD_TYPE = "Debug" }\n\n[target.sim]'
    conan_project.edit("buildtool.toml", "[target.sim]", defines)
    assert conan_project.built() == "built"
    assert conan_project.output() == "42\n"


@pytest.mark.long
def test_packages_without_cmake_get_compiler_and_archiver(conan_project: ConanProject) -> None:
    """A component in C++ links them, and has no flags that its compiler warns of."""
    main = conan_project.root / "host" / "main.c"
    main.rename(main.with_suffix(".cpp")).write_text(
        '#include <cstdio>\n#include <vector>\nextern "C" {\n#include "calc.h"\n}\n'
        'int main() { std::vector<int> v{calc()}; std::printf("%d\\n", v.at(0)); }\n'
    )
    cmake = conan_project.root / "host" / "CMakeLists.txt"
    cmake.write_text(
        cmake.read_text()
        .replace("project(app C)", "project(app CXX)\nadd_compile_options(-Wall -Werror)")
        .replace("main.c", "main.cpp")
    )
    conan_project.write(
        "recipes/calc/conanfile.py",
        """\
        from conan import ConanFile
        from conan.tools.files import copy, save

        class Calc(ConanFile):
            name = "calc"
            version = "1.0"
            settings = "os", "arch", "compiler", "build_type"

            def build(self):
                save(self, "calc.c", "int calc(void) { return 42; }")
                save(self, "calc.h", "int calc(void);")
                cc = self.conf.get("tools.build:compiler_executables")["c"]
                self.run(f'"{cc}" -c -O2 calc.c -o calc.o')
                self.run('"$AR" qc libcalc.a calc.o && "$RANLIB" libcalc.a')

            def package(self):
                copy(self, "*.h", self.build_folder, self.package_folder + "/include")
                copy(self, "*.a", self.build_folder, self.package_folder + "/lib")

            def package_info(self):
                self.cpp_info.libs = ["calc"]
        """,
    )
    for target in ("sim", "gcc"):
        conan_project.built(target)
        assert conan_project.output(target) == "42\n", target


@pytest.mark.long
def test_the_system_s_libcdsprpc_is_linked_and_does_not_ship(conan_project: ConanProject) -> None:
    conan_project.asks_for("cdsprpc/1.0")
    main = conan_project.root / "host" / "CMakeLists.txt"
    main.write_text(
        main.read_text().replace("calc::calc", "cdsprpc::cdsprpc").replace("calc", "cdsprpc")
    )
    conan_project.write(
        "host/main.c",
        """\
        #include <stdio.h>
        #include <rpcmem.h>
        #include <remote.h>
        int main(void) {
            void *room = rpcmem_alloc(RPCMEM_HEAP_ID_SYSTEM, 0, 64);
            puts(room ? "room" : "none");
            rpcmem_free(room);
        }
        """,
    )
    conan_project.header("calc")

    conan_project.built()

    assert set(conan_project.release_files()) == {"bin/app", "run.sh"}
    release = conan_project.root / ".buildtool" / "release" / "sim"
    assert "libcdsprpc.so.1" in read_elf(release / "bin" / "app").needed
    assert conan_project.succeeds("run", "sim", "--", "bin/app") == "room\n"
    held = [p for p in conan_project.home.glob("p/**/*cdsprpc*") if ".so" in p.suffixes]
    assert held == []


@pytest.mark.long
def test_what_a_package_only_points_at_does_not_ship(conan_project: ConanProject) -> None:
    """The device's C library is used, even if a package names the directory of another one."""
    conan_project.recipe("calc")
    recipe = conan_project.root / "recipes" / "calc" / "conanfile.py"
    recipe.write_text(
        recipe.read_text() + f'        self.cpp_info.libdirs.append("{CROSS_LIBRARIES}")\n'
    )

    conan_project.built("gcc")

    assert (
        "libc.so.6"
        in read_elf(conan_project.root / ".buildtool" / "release" / "gcc" / "bin" / "app").needed
    )
    assert set(conan_project.release_files("gcc")) == {"bin/app", "lib/libcalc.so.1", "run.sh"}
