"""`buildtool run sim --bundle`: what a program that fails on the emulated device leaves."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.integration.remote.bundles import bundles_in, read_bundle
from tests.project import Project

MAIN = """
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    printf("terminals: %d %d\\n", isatty(1), isatty(2));
    fprintf(stderr, "%s\\n", argc > 2 ? argv[2] : "");
    return atoi(argv[1]);
}
"""
FILE = '[project]\nname = "p"\n[host.app]\nsource = "host"\n'
CMAKE = """
cmake_minimum_required(VERSION 3.22)
project(app C)
add_executable(app app.c)
install(TARGETS app)
"""


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project(tmp_path_factory.mktemp("plain"))
    project.lay_out({"buildtool.toml": FILE, "host/CMakeLists.txt": CMAKE, "host/app.c": MAIN})
    project.succeeds("build")
    return project


def test_a_failure_in_ci(plain: Project) -> None:
    shutil.rmtree(plain.root / ".buildtool" / "bundles", ignore_errors=True)
    plain.variables = {"CI": "1", "APP_TOKEN": "hunter2"}
    done = plain.run("run", "sim", "--", "bin/app", "9", "with hunter2")
    assert (done.returncode, done.stdout) == (9, "terminals: 0 0\n")
    (file,) = bundles_in(plain.root)
    assert done.stderr == f"with hunter2\nbundle of this failure: {file}\n"
    bundle = read_bundle(file)
    # An earlier test may have probed sim.
    assert [name for name in bundle.files if name != "card.json"] == [
        *("README.txt", "run.json", "stdout.txt", "stderr.txt", "device.json", "release.json"),
        *("buildtool.toml", "replay.json", "release.tar.zst"),
    ]
    assert bundle.files["stdout.txt"] == b"terminals: 0 0\n"
    assert bundle.files["stderr.txt"] == b"with ***\n"
    assert (bundle.run["status"], bundle.run["soc"]) == (9, "QCS6490")
    assert "qemu" in bundle.run["versions"]
    assert json.loads(bundle.files["release.json"])["id"] == bundle.run["release"]
    assert b"hunter2" not in bundle.data


def test_only_the_newest_bundles_are_kept(plain: Project) -> None:
    plain.variables = {}
    folder = plain.root / ".buildtool" / "bundles"
    shutil.rmtree(folder, ignore_errors=True)  # other tests leave bundles there
    folder.mkdir(parents=True)
    for number in range(30):
        (folder / f"20010101-0000{number:02}-abcdef.zip").touch()
    assert plain.run("run", "sim", "--bundle", "--", "bin/app", "1").returncode == 1
    found = bundles_in(plain.root)
    assert len(found) == 20
    assert found[0].name == "20010101-000011-abcdef.zip"
    read_bundle(found[-1])


def test_a_bundle_replaces_files_only(plain: Project, tmp_path: Path) -> None:
    plain.variables = {}
    place = tmp_path / "fifo"
    os.mkfifo(place)
    done = plain.run("run", "sim", f"--bundle-file={place}", "--", "bin/app", "1")
    assert f"error: --bundle-file {place}: it is not a file" in done.stderr
    assert (done.returncode, done.stdout) == (125, "")
    assert place.is_fifo()


@pytest.mark.parametrize(
    ("options", "printed"), [((), "1 1"), (("--bundle-file=x.zip",), "0 0"), (("-t",), "1 1")]
)
def test_a_terminal_stays_one_without_the_option(
    plain: Project, options: tuple[str, ...], printed: str
) -> None:
    assert on_terminal(plain, *options) == (7, f"terminals: {printed}")


def test_with_tty_the_program_has_the_terminal(plain: Project) -> None:
    assert on_terminal(plain, "--tty", "--bundle-file=tty.zip") == (7, "terminals: 1 1")
    bundle = read_bundle(plain.root / "tty.zip")
    assert "stdout.txt" not in bundle.files
    assert "  stdout.txt and stderr.txt: with --tty the program had" in bundle.summary


def on_terminal(project: Project, *options: str) -> tuple[int, str]:
    """The status of a run that has a terminal, and the line about terminals that it prints."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(project.root)
        arguments = ["run", "sim", *options, "--", "bin/app", "7"]
        os.execv(sys.executable, [sys.executable, "-P", "-m", "buildtool", *arguments])
    output = b""
    while True:
        try:
            data = os.read(terminal, 1 << 16)
        except OSError:  # the other end is closed
            break
        output += data
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    # On a slow machine, a line of progress is erased before it.
    (line,) = re.findall(r"terminals: \d \d", output.decode())
    return os.waitstatus_to_exitcode(status), line
