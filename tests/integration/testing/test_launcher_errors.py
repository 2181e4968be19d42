"""What the test launcher says when it cannot start a program, and how it ends one."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from buildtool.testing.ctest.launch import ERROR, EXIT, HERE, SIGNAL, VARIABLE
from buildtool.testing.ctest.launch_server import Launch, LaunchServer
from buildtool.testing.ctest.tests import TEST_LAUNCHER

LAUNCHER = (sys.executable, "-I", "-S", "-X", "utf8", str(TEST_LAUNCHER))


def launched(folder: Path, program: Path | str, *arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        [*LAUNCHER, "linux", program, *arguments],
        env={**os.environ, VARIABLE: str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize("name", ["missing", "text"])
def test_a_program_of_this_machine_that_cannot_be_started(tmp_path: Path, name: str) -> None:
    (tmp_path / "text").write_text("not a program")
    with LaunchServer(tmp_path, lambda _: HERE):
        done = launched(tmp_path, tmp_path / name)
    reason = {"missing": "No such file or directory", "text": "Permission denied"}[name]
    assert done == (125, f"buildtool: {tmp_path / name}: {reason}\n")


def test_the_command_that_ran_the_tests_has_ended(tmp_path: Path) -> None:
    missing = "No such file or directory"
    done = launched(tmp_path, "x")
    assert done == (125, f"buildtool: `buildtool test` does not answer in {tmp_path}: {missing}\n")
    with LaunchServer(tmp_path, lambda _: HERE):
        pass
    assert launched(tmp_path, "x")[1].endswith(
        f"does not answer in {tmp_path}: Connection refused\n"
    )


def test_a_program_gets_what_the_launcher_has(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 40)  # the path of a socket has at most 107 bytes
    folder.mkdir()
    seen: list[Launch] = []

    def run(launch: Launch) -> str:
        seen.append(launch)
        os.write(launch.stderr, b"said\n")
        return f"{EXIT} 7" if launch.command[0] == "good" else f"{ERROR} no\ndevice"

    arguments = ("a b", "\udcff", "x" * 120_000, "")
    with LaunchServer(folder, run):
        assert launched(folder, "good", *arguments) == (7, "said\n")
        assert launched(folder, "bad") == (125, "said\nbuildtool: no\n  device\n")
    assert seen[0].command == ("good", *arguments)
    assert (seen[0].test, seen[0].cwd) == ("", str(Path.cwd()))
    assert seen[0].environment == {**os.environ, VARIABLE: str(folder)}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL, 0])
def test_a_program_ends_with_its_launcher_and_with_the_server(tmp_path: Path, number: int) -> None:
    seen: list[str] = []

    def run(launch: Launch) -> str:
        os.write(launch.stdout, b"begun\n")
        select.select([launch.launcher], [], [])
        seen.append(launch.launcher.wanted())
        return f"{SIGNAL} 9"

    with contextlib.ExitStack() as stack:
        with LaunchServer(tmp_path, run):
            process = subprocess.Popen(
                [*LAUNCHER, "linux", "x"],
                env={**os.environ, VARIABLE: str(tmp_path)},
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            stack.enter_context(process)
            assert process.stdout
            assert process.stdout.readline() == b"begun\n"
            if number:
                process.send_signal(number)
                assert process.wait() == -signal.SIGKILL
        assert process.wait() == (-signal.SIGKILL if number else 125)
    assert seen == ["INT" if number == signal.SIGINT else "KILL"]
