"""A release as a Conan package: uploaded to a server, and used by another project."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import REPOSITORY
from tests.project import Project

from .conan_server import LOGIN, conan_server

LIBRARY = """
[project]
name = "htp-ops"
version = "1.2"

[host.htp-ops]
source = "host"

[skel.htp_ops]
source = "dsp"
idl = "dsp/htp_ops.idl"

[target.sim]
platform = "ubuntu-aarch64"
archs = ["v68", "v73"]
formats = ["conan"]

[target.one]
platform = "ubuntu-aarch64"
archs = ["v68"]
formats = ["conan"]
"""
INSTALL_HEADERS = """
set_target_properties(htp_ops PROPERTIES VERSION 3.1 SOVERSION 3)
install(FILES src/session.h src/fastrpc_error.h DESTINATION include)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/idl/htp_ops_stub/htp_ops.h DESTINATION include)
"""
USER = """
[project]
name = "user"
conan-remotes = ["company={url}"]

[host.user]
source = "host"
conan = "host/conanfile.txt"

[target.sim]
platform = "ubuntu-aarch64"
archs = ["v68"]

[target.both]
platform = "ubuntu-aarch64"
archs = ["v68", "v73"]

[target.newer]
platform = "ubuntu-aarch64"
archs = ["v68", "v75"]

[target.gcc]
platform = "ubuntu-aarch64"
toolchain = "gcc"
glibc = "2.36"

[target.older]
platform = "ubuntu-aarch64"
archs = ["v68"]
glibc = "2.31"
"""
USER_CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(user C)
find_package(Buildtool REQUIRED)
find_package(htp-ops REQUIRED)
set(CMAKE_C_STANDARD 11)
file(GLOB sources src/*.c)
add_executable(htp-probe ${sources})
target_link_libraries(htp-probe PRIVATE htp-ops::htp-ops Buildtool::cdsprpc m)
install(TARGETS htp-probe)
"""


def conan(home: Path, *arguments: str | Path) -> str:
    """Run Conan as a user does, with a home of its own; returns its output."""
    home.mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-P", "-m", "conans.conan", *arguments],
        env={**os.environ, **LOGIN, "CONAN_HOME": str(home)},
        cwd=home,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The sample's library and skels, with its headers."""
    project = Project(tmp_path_factory.mktemp("library") / "project")
    for side in ("dsp", "host"):
        shutil.copytree(REPOSITORY / side, project.root / side)
    project.write("buildtool.toml", LIBRARY)
    lists = project.root / "host/CMakeLists.txt"
    lists.write_text(lists.read_text() + INSTALL_HEADERS)
    project.succeeds("package")
    return project


def unpack(library: Project, folder: Path, target: str = "sim") -> Path:
    folder.mkdir()
    archive = library.root / f"dist/htp-ops-1.2-{target}.conan.tar.zst"
    subprocess.run(["tar", "--zstd", "-xf", archive, "-C", folder], check=True, timeout=60)
    return folder / f"htp-ops-1.2-{target}-conan"


def export(home: Path, unpacked: Path) -> None:
    conan(home, "export-pkg", unpacked, "--profile:all", unpacked / "profile")


@pytest.fixture(scope="module")
def home(library: Project, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Conan home that has the package."""
    folder = tmp_path_factory.mktemp("home")
    export(folder / "home", unpack(library, folder / "unpacked"))
    return folder / "home"


@pytest.fixture(scope="module")
def server(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server that has the package."""
    with conan_server(tmp_path_factory.mktemp("server") / "server") as url:
        conan(home, "remote", "add", "company", url)
        conan(home, "upload", "htp-ops/1.2", "--remote", "company", "--confirm")
        yield url


@pytest.fixture(scope="module")
def user(server: str, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Another project, whose program calls the DSP through the package's library."""
    project = Project(tmp_path_factory.mktemp("user") / "other project")
    project.write("buildtool.toml", USER.format(url=server))
    project.write("host/CMakeLists.txt", USER_CMAKE)
    project.write("host/conanfile.txt", "[requires]\nhtp-ops/1.2\n")
    for file in (REPOSITORY / "host/src").rglob("*.[ch]"):
        if file.name.startswith(("probe", "hmx", "q8_0", "reference")):
            project.write(f"host/src/{file.name}", file.read_text())
    return project


def test_another_project_uses_the_uploaded_package_on_the_emulated_device(user: Project) -> None:
    report = json.loads(user.succeeds("run", "sim", "--", "bin/htp-probe", "--json"))

    assert report["ok"] is True
    assert report["skel"] == {"arch": "v68", "vector_bytes": 128}
    assert {path for path in user.release_files() if not path.startswith("licenses/")} == {
        *("bin/htp-probe", "lib/libhtp_ops.so.3", "run.sh", "dsp/v68/libhtp_ops_skel.so"),
    }
    lock = json.loads((user.root / "host/conan.lock").read_text())
    assert [row.partition("#")[0] for row in lock["requires"]] == ["htp-ops/1.2"]
    assert user.build() == {"host/user": "up-to-date"}


def test_the_skels_of_the_package_ship_for_each_arch_of_the_target(
    user: Project, library: Project
) -> None:
    user.build("both")
    mine, original = user.release_files("both"), library.release_files()
    for arch in ("v68", "v73"):
        path = f"dsp/{arch}/libhtp_ops_skel.so"
        assert mine[path] == original[path]
    assert "dsp/v73" not in {path.rpartition("/")[0] for path in user.release_files("sim")}
    user.succeeds("package", "both")


def test_gnu_ld_links_the_library_of_the_package(user: Project) -> None:
    """It reads the libraries that a library needs, unlike the linker of the other targets."""
    user.build("gcc")
    assert "lib/libhtp_ops.so.3" in user.release_files("gcc")


def test_an_arch_that_the_package_has_no_skels_for(user: Project) -> None:
    error = user.fails("build", "newer")
    assert "a package of user has libhtp_ops_skel.so, but not for v75" in error
    assert "remove it from the archs of [target.newer]" in error


def test_a_target_with_an_older_c_library_than_the_package_s(user: Project) -> None:
    error = user.fails("build", "older")
    assert "htp-ops/1.2 needs glibc 2.35; it is asked for 2.31" in error


def revisions(home: Path) -> Any:
    listed = json.loads(conan(home, "list", "htp-ops/1.2:*#*", "--format=json"))
    (package,) = listed["Local Cache"]["htp-ops/1.2"]["revisions"].items()
    revision, contents = package
    ((identity, rest),) = contents["packages"].items()
    return revision, identity, [*rest["revisions"]]


@pytest.mark.long
def test_id_and_revisions_of_the_package_are_the_same_from_another_clone(
    library: Project, home: Path, tmp_path: Path
) -> None:
    other = Project(tmp_path / "another place", variables={"TZ": "Asia/Kolkata"})
    library.copy_sources(other.root)
    shutil.rmtree(other.root / "dist")
    other.prefix = ["sh", "-c", 'umask 077; exec "$@"', "sh"]
    other.succeeds("package")
    export(tmp_path / "two", unpack(other, tmp_path / "second"))

    assert revisions(home) == revisions(tmp_path / "two")


def test_skels_for_one_arch_are_in_the_run_environment(library: Project, tmp_path: Path) -> None:
    library.succeeds("package", "one")
    home, unpacked = tmp_path / "home", unpack(library, tmp_path / "unpacked", "one")
    export(home, unpacked)
    install = ("install", "--requires=htp-ops/1.2", "--no-remote", f"--output-folder={tmp_path}")
    conan(home, *install, "--profile:all", unpacked / "profile", "--generator=VirtualRunEnv")
    script = f'. {tmp_path}/conanrun.sh && echo "$ADSP_LIBRARY_PATH"'
    environment = {"PATH": os.environ["PATH"], "ADSP_LIBRARY_PATH": "/mine"}
    done = subprocess.run(
        ["sh", "-euc", script], env=environment, check=True, capture_output=True, timeout=60
    )
    first, second = done.stdout.decode().strip().split(";")
    assert first == "/mine"
    assert (Path(second) / "libhtp_ops_skel.so").is_file()


def test_a_conan_project_without_buildtool_finds_library_and_skels(
    server: str, tmp_path: Path
) -> None:
    """The files that Conan generates are checked; nothing is compiled."""
    home = tmp_path / "home"
    conan(home, "remote", "add", "company", server, "--index=0")
    profile = tmp_path / "profile"
    profile.write_text(
        "[settings]\nos=Linux\narch=armv8\nbuild_type=Release\ncompiler=gcc\n"
        "compiler.version=12\ncompiler.libcxx=libstdc++11\n"
    )
    out = tmp_path / "out"
    install = ("install", "--requires=htp-ops/1.2", "--remote=company", "--profile:all", profile)
    generators = ("--generator=CMakeDeps", "--generator=VirtualRunEnv")
    conan(home, *install, *generators, f"--output-folder={out}")
    data = "".join(file.read_text() for file in out.glob("htp-ops-*-data.cmake"))
    assert "_LIBS_RELEASE htp_ops)" in data
    assert '_RES_DIRS_RELEASE "${htp-ops_PACKAGE_FOLDER_RELEASE}/dsp")' in data
    run = (out / "conanrunenv-release-armv8.sh").read_text()
    assert "ADSP_LIBRARY_PATH" not in run  # it has skels for two archs

    profile.write_text(profile.read_text().replace("armv8", "x86_64"))
    with pytest.raises(AssertionError, match="its packages are made with `buildtool package"):
        conan(home, *install, "--build=missing")
