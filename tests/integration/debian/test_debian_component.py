"""A component of Debian packages: found by CMake, locked, shipped with licences."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from buildtool.core.files import file_digest
from buildtool.project.debian_lock import DebianPackage, LockedPackages, write_lock
from tests.integration.contract.binaries import Linker
from tests.project import Project

TEXT = """\
[project]
name = "packed"

[host.library]
debian = ["{package}"]

[host.app]
source = "host"
needs = ["library"]

[target.sim]
platform = "ubuntu-aarch64"
"""
CMAKE = """\
cmake_minimum_required(VERSION 3.22)
project(app C)
find_library(ANSWER answer REQUIRED)
find_path(ANSWER_INCLUDE answer.h REQUIRED)
add_executable(found main.c)
target_link_libraries(found PRIVATE ${ANSWER})
target_include_directories(found PRIVATE ${ANSWER_INCLUDE})
find_package(PkgConfig REQUIRED)
pkg_check_modules(PC REQUIRED IMPORTED_TARGET answer)
add_executable(configured main.c)
target_link_libraries(configured PRIVATE PkgConfig::PC)
install(TARGETS found configured)
"""
PNG = """\
cmake_minimum_required(VERSION 3.22)
project(app C)
find_package(PNG REQUIRED)
add_executable(found main.c)
target_link_libraries(found PRIVATE PNG::PNG)
find_package(PkgConfig REQUIRED)
pkg_check_modules(PC REQUIRED IMPORTED_TARGET libpng zlib)
add_executable(configured main.c)
target_link_libraries(configured PRIVATE PkgConfig::PC)
install(TARGETS found configured)
"""
PNG_MAIN = """\
#include <png.h>
#include <stdio.h>
#include <zlib.h>

int main(void) {
    printf("%lx %d\\n", crc32(0, (const unsigned char *)"123456789", 9), png_get_libpng_ver(0)[0]);
}
"""
LIB = "usr/lib/aarch64-linux-gnu"


@pytest.fixture
def packaged(tmp_path: Path) -> Project:
    """A project whose packages, made by dpkg-deb, are already fetched."""
    library = Linker(tmp_path).host("libanswer.so.1", "int answer(void) { return 42; }")
    tree = tmp_path / "package"
    for name, text in {
        "DEBIAN/control": "Package: libanswer-dev\nVersion: 1:1.0-2\nArchitecture: arm64\n"
        "Maintainer: A <a@example.org>\nDescription: answers\n",
        "usr/include/answer.h": "int answer(void);\n",
        f"{LIB}/pkgconfig/answer.pc": "prefix=/usr\nName: answer\nDescription: answers\n"
        f"Version: 1.0\nLibs: -L${{prefix}}/lib/{LIB.rpartition('/')[2]} -lanswer\n"
        "Cflags: -I${prefix}/include\n",
        "usr/share/doc/libanswer-dev/copyright": "License: free\n",
    }.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    shutil.copy(library, tree / LIB / "libanswer.so.1.0")
    (tree / LIB / "libanswer.so").symlink_to(f"/{LIB}/libanswer.so.1.0")
    file = tmp_path / "answer.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "-b", tree, file], check=True)
    digest = file_digest(file)
    kept = Path(os.environ["BUILDTOOL_CACHE"], "debian/packages", f"{digest}.deb")
    kept.parent.mkdir(parents=True, exist_ok=True)
    file.rename(kept)
    project = Project(tmp_path / "packed")
    project.write("buildtool.toml", TEXT.format(package="libanswer-dev"))
    project.write("host/CMakeLists.txt", CMAKE)
    project.write("host/main.c", '#include "answer.h"\nint main(void) { return answer() - 42; }\n')
    package = DebianPackage("libanswer-dev", "1:1.0-2", "arm64", digest)
    write_lock(project.root, {"library": LockedPackages(("libanswer-dev",), (package,))})
    return project


def test_what_is_needed_of_a_fetched_package_ships_with_its_licence(packaged: Project) -> None:
    assert packaged.build() == {"host/library": "built", "host/app": "built"}

    assert sorted(packaged.release_files()) == [
        *("bin/configured", "bin/found", "lib/libanswer.so.1", "run.sh")
    ]
    packaged.succeeds("package", "--attest")
    (file,) = (packaged.root / "dist").glob("*.cdx.json")
    sbom = json.loads(file.read_text())
    purl = "pkg:deb/debian/libanswer-dev@1%3A1.0-2?arch=arm64"
    assert purl in [each["bom-ref"] for each in sbom["components"]]
    needs = {row["ref"]: row.get("dependsOn", []) for row in sbom["dependencies"]}
    assert needs["file:lib/libanswer.so.1"] == [purl]
    assert "file:licenses/libanswer-dev/copyright" in needs

    # Other packages are not used until they are locked.
    packaged.edit("buildtool.toml", '"libanswer-dev"', '"libanswer-dev", "libother-dev"')
    why = packaged.run("why")
    assert why.returncode == 2
    assert "debian.lock does not have the Debian packages of library" in why.stderr


@pytest.mark.long
def test_a_library_of_the_machine_s_archive_runs_on_sim(tmp_path: Path) -> None:
    project = Project(tmp_path / "png")
    project.write("buildtool.toml", TEXT.format(package="libpng-dev"))
    project.write("host/CMakeLists.txt", PNG)
    project.write("host/main.c", PNG_MAIN)

    assert project.succeeds("run", "sim", "--", "bin/found") == "cbf43926 49\n"
    assert project.succeeds("run", "sim", "--", "bin/configured") == "cbf43926 49\n"
    lock = (project.root / "debian.lock").read_text()
    assert project.succeeds("lock") == "debian.lock: up to date\n"
    locked = json.loads(lock)["components"]["library"]["packages"]
    assert {"libpng-dev", "zlib1g", "zlib1g-dev"} < {package["name"] for package in locked}
    assert not [package for package in locked if package["name"].startswith("libc6")]

    # A version that the archive does not have, and a package that does not exist.
    version = locked[0]["version"]
    project.write(
        "debian.lock", lock.replace(version, "0.1").replace(locked[0]["sha256"], "0" * 64)
    )
    error = project.fails("build")
    assert f"apt cannot fetch {locked[0]['name']} 0.1 for arm64" in error
    assert "buildtool lock --upgrade" in error
    project.edit("buildtool.toml", "libpng-dev", "libnosuch-dev")
    assert "Unable to locate package libnosuch-dev" in project.fails("lock")
