"""The .deb of a release, as Debian's own tools see it."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

import pytest

from tests.project import Project

LICENCE = "Copyright 2026 Ada Example\n\nUse it as you like.\n"
FILES = {
    "LICENSE": LICENCE,
    "buildtool.toml": """
[project]
name = "Deb_Test"
version = "1.2-rc1"
description = "Answers questions"
maintainer = "Ada Example <ada@example.org>"

[host.app]
source = "host"

[skel.dsp]
source = "dsp"

[target.sim]
platform = "ubuntu-aarch64"
archs = ["v68", "v73"]
formats = ["deb"]
""",
    "host/CMakeLists.txt": """
cmake_minimum_required(VERSION 3.22)
project(app C)
find_package(Buildtool REQUIRED)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>)
add_library(part SHARED part.c)
target_link_libraries(part PRIVATE Buildtool::cdsprpc)
foreach(name ask tell)
    add_executable(${name} main.c)
    target_link_libraries(${name} PRIVATE part)
endforeach()
install(TARGETS ask tell part)
install(FILES "a file.txt" DESTINATION share)
""",
    "host/a file.txt": "text\n",
    "host/main.c": "int part(void);\nint main(void) { return part(); }\n",
    "host/part.c": """
#include <remote.h>
#include <stdio.h>
int part(void);
int part(void) { return puts("part") < 0 ? 1 : remote_handle64_close(0); }
""",
    "dsp/CMakeLists.txt": """
cmake_minimum_required(VERSION 3.22)
project(dsp C)
add_library(b_skel SHARED entry.c)
install(TARGETS b_skel LIBRARY DESTINATION .)
""",
    "dsp/entry.c": """
int b_skel_handle_invoke(unsigned long long h, unsigned s, void *p)
{ (void)h; (void)p; return (int)s; }
""",
}
COMMANDS = {"usr/bin/ask", "usr/bin/tell"}
IN_RELEASE = {
    *("bin/ask", "bin/tell", "lib/libpart.so", "share/a file.txt", "run.sh", "release.json"),
    *("dsp/v68/libb_skel.so", "dsp/v73/libb_skel.so", "licenses/Deb_Test/LICENSE"),
}
DOCUMENTS = {
    *("man/man1/ask.1.gz", "man/man1/tell.1.gz", "lintian/overrides/deb-test"),
    *("doc/deb-test/changelog.Debian.gz", "doc/deb-test/copyright"),
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project(tmp_path_factory.mktemp("deb") / "project")
    project.lay_out(FILES)
    project.succeeds("package")
    return project


@pytest.fixture(scope="module")
def deb(project: Project) -> Path:
    return project.root / "dist/Deb_Test-1.2-rc1-sim.deb"


def tool(*command: str | Path) -> str:
    done = subprocess.run([*command], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return done.stdout


def test_the_control_file_says_what_the_package_is_and_needs(deb: Path) -> None:
    fields = ("Maintainer", "Depends", "Recommends", "Description")
    assert tool("dpkg-deb", "--field", deb, "Package", "Version", "Architecture", *fields) == (
        "Package: deb-test\n"
        "Version: 1.2~rc1-1\n"
        "Architecture: arm64\n"
        "Maintainer: Ada Example <ada@example.org>\n"
        "Depends: libc6 (>= 2.35), libfastrpc1 | qcom-fastrpc1\n"
        "Description: Answers questions\n"
        " This is Deb_Test 1.2-rc1 for ARM64. It has DSP code for Hexagon v68, v73.\n"
    )
    installed = int(tool("dpkg-deb", "--field", deb, "Installed-Size"))
    assert 20 < installed < 200


def test_the_release_lies_as_it_is_in_one_directory(
    deb: Path, project: Project, tmp_path: Path
) -> None:
    tool("dpkg-deb", "--extract", deb, tmp_path)
    files = {str(p.relative_to(tmp_path)): p for p in tmp_path.rglob("*") if p.is_file()}

    licences = {path for path in files if path.startswith("usr/lib/deb-test/licenses/ziglang/")}
    release = {f"usr/lib/deb-test/{name}" for name in IN_RELEASE} | licences
    assert licences
    documents = {f"usr/share/{name}" for name in DOCUMENTS}
    assert files.keys() == {*COMMANDS, *release, *documents, "etc/deb-test/device.env"}
    for name in IN_RELEASE - {"release.json", "licenses/Deb_Test/LICENSE"}:
        shipped = project.release() / name
        assert files[f"usr/lib/deb-test/{name}"].read_bytes() == shipped.read_bytes()
        assert files[f"usr/lib/deb-test/{name}"].stat().st_mode == shipped.stat().st_mode
    assert files["etc/deb-test/device.env"].read_text() == (
        "# The generation of this device's DSP, one of: v68 v73\n#BUILDTOOL_DSP_ARCH=v68\n"
    )
    listed = tool("dpkg-deb", "--contents", deb).splitlines()
    assert {line.split()[1] for line in listed} == {"0/0"}
    assert {line.split()[3] for line in listed} == {"1980-01-01"}


def test_the_digests_are_those_of_the_installed_files(deb: Path, tmp_path: Path) -> None:
    tool("dpkg-deb", "--raw-extract", deb, tmp_path)
    lines = (tmp_path / "DEBIAN/md5sums").read_text().splitlines()
    digests = {path: digest for digest, path in (line.split("  ", 1) for line in lines)}

    assert digests == {
        str(path.relative_to(tmp_path)): hashlib.md5(path.read_bytes()).hexdigest()
        for path in (tmp_path / "usr").rglob("*")
        if path.is_file()
    }
    assert (tmp_path / "DEBIAN/conffiles").read_text() == "/etc/deb-test/device.env\n"


def test_manual_and_changelog_are_as_debian_reads_them(deb: Path, tmp_path: Path) -> None:
    tool("dpkg-deb", "--extract", deb, tmp_path)
    share = tmp_path / "usr/share"
    changelog = tool("gzip", "-dc", share / "doc/deb-test/changelog.Debian.gz")
    assert changelog.startswith("deb-test (1.2~rc1-1) unstable; urgency=medium\n")
    assert changelog.endswith(
        " -- Ada Example <ada@example.org>  Tue, 01 Jan 1980 00:00:00 +0000\n"
    )
    assert LICENCE in (share / "doc/deb-test/copyright").read_text()
    manual = tool("gzip", "-dc", share / "man/man1/ask.1.gz")
    assert "ask \\- Answers questions\n" in manual


def lintian(deb: Path) -> set[str]:
    """The errors and warnings: kind, name and file."""
    done = subprocess.run(
        ["lintian", "--allow-root", "--tag-display-limit", "0", "--show-overrides", deb],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert not done.stderr
    return {line for line in done.stdout.splitlines() if line[:2] in ("E:", "W:")}


@pytest.mark.long
def test_lintian_has_nothing_to_say(deb: Path) -> None:
    assert lintian(deb) == set()


@pytest.mark.long
def test_lintian_sees_what_is_wrong_with_another_package(deb: Path, tmp_path: Path) -> None:
    tool("dpkg-deb", "--raw-extract", deb, tmp_path / "tree")
    (tmp_path / "tree/usr/share/lintian/overrides/deb-test").unlink()
    tool("dpkg-deb", "--root-owner-group", "--build", tmp_path / "tree", tmp_path / "other.deb")
    assert any("binary-from-other-architecture" in line for line in lintian(tmp_path / "other.deb"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The root directory of a system with dpkg's database and nothing else."""
    database = tmp_path / "root/var/lib/dpkg"
    for folder in ("info", "updates", "triggers"):
        (database / folder).mkdir(parents=True)
    (database / "status").touch()
    return tmp_path / "root"


def dpkg(root: Path, *arguments: str | Path) -> str:
    as_root = () if os.geteuid() == 0 else ("unshare", "--map-root-user")
    if as_root and subprocess.run([*as_root, "true"], check=False).returncode:
        pytest.skip("only root can install packages here")
    force = ("--force-architecture", "--force-depends", "--force-confold")
    done = subprocess.run(
        [*as_root, "dpkg", f"--root={root}", "--log=/dev/null", *force, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "PATH": f"/usr/sbin:/sbin:{os.environ['PATH']}", "LC_ALL": "C"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_dpkg_installs_verifies_and_removes_it(deb: Path, root: Path) -> None:
    dpkg(root, "--install", deb)
    assert dpkg(root, "--verify", "deb-test") == ""
    for name in COMMANDS:
        assert os.access(root / name, os.X_OK)

    (root / "usr/lib/deb-test/lib/libpart.so").write_bytes(b"damaged")
    assert "usr/lib/deb-test/lib/libpart.so" in dpkg(root, "--verify", "deb-test")

    dpkg(root, "--purge", "deb-test")
    assert [str(p.relative_to(root)) for p in root.rglob("*deb-test*")] == []


def test_an_upgrade_keeps_what_the_user_wrote_about_the_device(deb: Path, root: Path) -> None:
    dpkg(root, "--install", deb)
    (root / "etc/deb-test/device.env").write_text("BUILDTOOL_DSP_ARCH=v73\n")
    dpkg(root, "--install", deb)
    assert (root / "etc/deb-test/device.env").read_text() == "BUILDTOOL_DSP_ARCH=v73\n"


def test_a_command_starts_the_program_with_the_arch_of_the_device(
    deb: Path, tmp_path: Path
) -> None:
    """The program is a script, since no ARM64 program starts here by itself."""
    tool("dpkg-deb", "--extract", deb, tmp_path)
    program = tmp_path / "usr/lib/deb-test/bin/ask"
    script = '#!/bin/sh\nprintf "%s\\n" "$PWD" "$ADSP_LIBRARY_PATH" "$LD_LIBRARY_PATH" "$@"\n'
    program.write_text(script)
    device = tmp_path / "etc/deb-test/device.env"
    command = [str(tmp_path / "usr/bin/ask"), "a  b", "*"]
    environment = {"PATH": os.environ["PATH"]}
    elsewhere = tmp_path / "else where"
    elsewhere.mkdir()

    done = subprocess.run(
        command, env=environment, cwd=elsewhere, capture_output=True, text=True, check=False
    )
    assert done.returncode == 125
    assert f"or write it into {device}\n" in done.stderr

    device.write_text(device.read_text().replace("#BUILDTOOL", "BUILDTOOL"))
    library = tmp_path / "usr/lib/deb-test"
    (tmp_path / "a link").symlink_to(command[0])
    for name in (command[0], str(tmp_path / "a link")):
        done = subprocess.run(
            [name, *command[1:]],
            env=environment,
            cwd=elsewhere,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.splitlines() == [
            *(str(elsewhere), f"{library}/dsp/v68", f"{library}/lib", "a  b", "*"),
        ]
