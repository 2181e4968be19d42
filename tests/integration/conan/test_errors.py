"""Errors of Conan, and their remedies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .conftest import ConanProject

RAISING = """\
from conan import ConanFile

class App(ConanFile):
    settings = "os"

    def requirements(self):
        raise ValueError("on purpose")
"""


def use_conanfile_py(project: ConanProject, text: str) -> None:
    project.write("host/conanfile.py", text)
    described = (project.root / "buildtool.toml").read_text()
    project.write("buildtool.toml", described.replace("conanfile.txt", "conanfile.py"))


def test_what_conan_refuses(conan_project: ConanProject) -> None:
    """One project, whose only fault is another one each time."""
    conan_project.header("calc")

    conan_project.asks_for("calx/1.0")
    error = conan_project.refused()
    assert "installing the packages of app with ubuntu-aarch64" in error
    assert "Package 'calx/1.0' not resolved" in error
    assert "'conan-recipes'" in error
    assert not conan_project.lockfile.exists()

    conan_project.write("host/conanfile.txt", "[requires]\ncalc/1.0\n# not CMakeToolchain\n")
    assert "made no conan_toolchain.cmake" in conan_project.refused()

    conan_project.asks_for("calc/1.0")
    conan_project.write("host/conan.lock", "{")
    assert str(conan_project.lockfile) in conan_project.refused()

    conan_project.lockfile.unlink()
    use_conanfile_py(conan_project, RAISING)
    error = conan_project.refused()
    assert "Error in requirements() method, line 7" in error
    assert "ValueError: on purpose" in error
    assert "Correct the recipe at the line that it names." in error


@pytest.mark.long
def test_versions_that_conflict(conan_project: ConanProject) -> None:
    conan_project.recipe("base")
    conan_project.recipe("base", version="2.0", folder="newer")
    conan_project.recipe("calc", "base()", requires=("base/2.0",))
    conan_project.asks_for("calc/1.0", "base/1.0")

    error = conan_project.refused()

    assert "Version conflict: Conflict between base/" in error
    assert "force=True" in error


@pytest.mark.long
def test_a_conanfile_that_is_not_python(conan_project: ConanProject) -> None:
    conan_project.recipe("calc")
    use_conanfile_py(conan_project, "def (:\n")

    assert "invalid syntax" in conan_project.refused()


def test_a_recipe_that_conan_refuses(conan_project: ConanProject) -> None:
    conan_project.write("recipes/calc/conanfile.py", "from conan import ConanFile\nnonsense\n")

    error = conan_project.refused()

    assert f"reading the recipe in {conan_project.root}/recipes/calc failed" in error
    assert "name 'nonsense' is not defined" in error


@pytest.mark.long
def test_a_package_that_does_not_compile(conan_project: ConanProject) -> None:
    conan_project.recipe("calc", "no_such_thing")

    error = conan_project.refused()

    assert "use of undeclared identifier 'no_such_thing'" in error
    assert "The package does not build for this target" in error


def test_ctrl_c_ends_what_conan_started(conan_project: ConanProject, tmp_path: Path) -> None:
    mark = tmp_path / "started"
    conan_project.recipe("calc")
    recipe = conan_project.root / "recipes" / "calc" / "conanfile.py"
    text = recipe.read_text()
    assert "cmake = CMake(self)\n" in text
    sleep = f"self.run('echo $$ > {mark} && exec sleep 987')\n        cmake = CMake(self)\n"
    recipe.write_text(text.replace("cmake = CMake(self)\n", sleep))
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "buildtool", "build"],
        cwd=conan_project.root,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 120
    while not (mark.is_file() and mark.read_text().strip()):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    sleeper = int(mark.read_text())

    process.send_signal(signal.SIGINT)

    assert process.wait(20) == 130
    assert not _alive(sleeper)
    assert not conan_project.lockfile.exists()


def _alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        os.kill(pid, 0)
        return (
            Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
            != "Z"
        )
    except (ProcessLookupError, FileNotFoundError):
        return False


def test_a_server_that_is_not_reachable(conan_project: ConanProject) -> None:
    described = (conan_project.root / "buildtool.toml").read_text()
    server = "http://127.0.0.1:9"  # the port of the discard service: nothing listens there
    project = described.replace("conan-remotes = []", f'conan-remotes = ["mine={server}"]')
    conan_project.write("buildtool.toml", project)
    conan_project.recipe("base")
    conan_project.asks_for("calc/1.0")

    error = conan_project.refused()

    assert f"The server of the remote 'mine' is not reachable: {server}." in error
    assert "[settings]" not in error, "the profiles that Conan prints hide its error"
