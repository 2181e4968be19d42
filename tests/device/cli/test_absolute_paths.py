"""Programs on the emulated device see its files at absolute paths, with every system call."""

from __future__ import annotations

from pathlib import Path

import pytest

from buildtool.core.processes.process import capture
from buildtool.device.emulated.native import device_root
from tests.project import Project

MAIN = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    struct statx status;
    char here[4096];
    if (argc > 2 && strcmp(argv[1], "exec") == 0) {
        execv(argv[2], argv + 2);
    }
    if (argc > 2 && strcmp(argv[1], "shell") == 0) {
        return system(argv[2]) >> 8;
    }
    for (int i = 1; i < argc; i++) {
        printf("%s %d %d %d %d\n", argv[i], access(argv[i], R_OK),
               faccessat(AT_FDCWD, argv[i], R_OK, AT_EACCESS),
               statx(AT_FDCWD, argv[i], 0, STATX_BASIC_STATS, &status), chdir(argv[i]));
    }
    FILE *file = argc > 1 ? fopen("written", "w") : NULL;
    printf("%s %d\n", getcwd(here, sizeof here), file != NULL);
    return 0;
}
"""
DEVICE = ".buildtool/device/qcs6490"
FORBID = 'echo 0 >/proc/sys/user/max_mnt_namespaces; exec "$@"'
NO_NAMESPACES = ("unshare", "-Ur", "sh", "-c", FORBID, "sh")
"""A command that runs another one where the kernel allows no mount namespaces."""


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project whose program looks up its arguments, and its device, with files of the user."""
    project = Project(tmp_path_factory.mktemp("paths") / "a project")
    project.write("buildtool.toml", '[project]\nname = "p"\n[host.app]\nsource = "host"\n')
    project.write("host/app.c", MAIN)
    project.write(
        "host/CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.22)\nproject(app C)\nadd_executable(app app.c)\n"
        "install(TARGETS app)\n",
    )
    assert project.run("run", "sim", "--", "bin/app").returncode == 0
    project.write(f"{DEVICE}/usr/lib/rfsa/adsp/model.bin", "model")
    project.write(f"{DEVICE}/etc/vendor/settings", "x")
    script = project.root / DEVICE / "opt/vendor/script"
    project.write(f"{DEVICE}/opt/vendor/script", "#!/bin/sh\necho from the device\n")
    script.chmod(0o755)
    return project


@pytest.fixture
def allowed() -> None:
    if capture([device_root(), "--check"], env={}).status:
        pytest.skip("the kernel allows no mount namespace")


def look(project: Project, *arguments: str) -> tuple[int, str]:
    done = project.run("run", "sim", "--", "bin/app", *arguments)
    return done.returncode, done.stdout


@pytest.mark.usefixtures("allowed")
def test_files_of_the_device_are_found_by_each_system_call(paths: Project) -> None:
    files = ("/usr/lib/rfsa/adsp/model.bin", "/lib/libcdsprpc.so.1", "/etc/vendor/settings")
    folders = ("/usr/lib/dsp", "/opt/vendor", "/usr/lib/rfsa/adsp", "/opt/buildtool/p/releases")

    status, out = look(paths, *files, *folders)

    lines = [f"{file} 0 0 0 -1" for file in files] + [f"{folder} 0 0 0 0" for folder in folders]
    assert (status, out.splitlines()) == (0, [*lines, "/opt/buildtool/p/releases 1"])
    written = paths.root / DEVICE / "opt/buildtool/p/releases/written"
    assert written.is_file()
    written.unlink()


@pytest.mark.usefixtures("allowed")
def test_programs_that_a_program_starts_see_the_files_too(paths: Project) -> None:
    assert look(paths, "exec", "/opt/vendor/script") == (0, "from the device\n")
    assert look(paths, "shell", "test -r /usr/lib/rfsa/adsp/model.bin || exit 3") == (0, "")


def test_files_of_the_build_machine_keep_their_paths(paths: Project, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("x")

    status, out = look(paths, "/etc/hosts", "/bin/sh", f"{tmp_path}/data", str(tmp_path))

    assert status == 0
    assert out.splitlines() == [
        "/etc/hosts 0 0 0 -1",
        "/bin/sh 0 0 0 -1",
        f"{tmp_path}/data 0 0 0 -1",
        f"{tmp_path} 0 0 0 0",
        f"{tmp_path} 1",
    ]
    assert (tmp_path / "written").is_file()
    assert not Path("/opt/vendor").exists()


def test_without_mount_namespaces_programs_run_and_doctor_says_so(paths: Project) -> None:
    if capture([*NO_NAMESPACES, "true"], env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}).status:
        pytest.skip("no user namespace, in which they could be forbidden")
    restricted = Project(paths.root, prefix=NO_NAMESPACES)

    assert look(restricted, "shell", "exit 3") == (3, "")
    assert look(restricted, "shell", "test -r /usr/lib/rfsa/adsp/model.bin")[0] == 1
    assert "the kernel allows no mount namespace" in restricted.run("doctor").stdout
