"""LLDB debugs kernels: Debian's, started by the user or by buildtool."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.command_line import REPOSITORY
from tests.device.debug.conftest import (
    VERIFIED,
    WAIT_SECONDS,
    Debuggee,
    processes_with,
)
from tests.standins.hexagon_sdk import make_sdk

KERNEL = "my_project_dsp_scale_add"


class Terminal:
    """`buildtool run sim --debug` on a terminal."""

    def __init__(
        self, project: Debuggee, path: Sequence[Path], options: Sequence[str], **variables: str
    ) -> None:
        environment = {**os.environ, **project.environment, "TERM": "dumb", **variables}
        environment["PATH"] = ":".join([*map(str, path), environment["PATH"]])
        self.pid, self._terminal = pty.fork()
        if self.pid == 0:
            os.chdir(project.root)
            command = ["run", "sim", "--debug", "--build-type", "Debug", *options]
            os.execve(sys.executable, [sys.executable, "-m", "buildtool", *command], environment)
        self.shown = ""

    def enter(self, text: str) -> None:
        os.write(self._terminal, f"{text}\n".encode())

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        os.write(self._terminal, b"\x03")

    def expect(self, text: str) -> str:
        """Wait until the terminal shows `text`; returns what it has shown since the last time."""
        deadline = time.monotonic() + WAIT_SECONDS
        while text not in self.shown:
            assert time.monotonic() < deadline, f"no {text!r} in:\n{self.shown}"
            self._read()
        found, _, self.shown = self.shown.partition(text)
        return found + text

    def status(self) -> int:
        """Wait for the end; returns the exit status."""
        while self._read():
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def _read(self) -> bool:
        if select.select([self._terminal], [], [], WAIT_SECONDS)[0]:
            try:
                data = os.read(self._terminal, 1 << 16)
            except OSError:  # no process has the terminal any more
                return False
            self.shown += data.decode(errors="replace").replace("\r", "")
            return bool(data)
        raise AssertionError(f"nothing happens after:\n{self.shown}")

    def end(self) -> None:
        os.close(self._terminal)  # sends SIGHUP


@contextmanager
def on_terminal(
    project: Debuggee, *path: Path, options: Sequence[str] = (), **variables: str
) -> Iterator[Terminal]:
    terminal = Terminal(project, path, options, **variables)
    try:
        yield terminal
    finally:
        terminal.end()


def test_the_printed_command_attaches_debian_s_lldb(debuggee: Debuggee, lldb: Path) -> None:
    with debuggee.waiting() as run:
        command = [f"{lldb}/lldb", "--batch", "--source", str(run.script)]
        for text in (
            f"breakpoint set --name {KERNEL}",
            "continue",
            "bt",
            "breakpoint disable",
            "continue",
        ):
            command += ["--one-line", text]
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        status, output = run.finish()
    assert f"{KERNEL}(handle=" in done.stdout, done.stdout + done.stderr
    assert "factor=3" in done.stdout
    assert "a_len=1024" in done.stdout
    assert "my_project_dsp_imp.c:" in done.stdout
    assert "const HVX_Vector factors" in done.stdout  # a line of the source
    assert "fastrpc_shell`request_invoke" in done.stdout
    assert "exited with status = 0" in done.stdout
    assert status == 0
    assert VERIFIED in output


def test_lldb_is_started_on_the_terminal(debuggee: Debuggee, lldb: Path) -> None:
    with on_terminal(debuggee, lldb) as terminal:
        terminal.expect("stop reason = signal SIGTRAP")
        terminal.enter(f"breakpoint set --name {KERNEL}")
        terminal.expect("pending")
        terminal.enter("continue")
        terminal.expect("stop reason = breakpoint 1.1")
        terminal.expect("a_len=1024")
        terminal.interrupt()  # is for LLDB, which has nothing to stop
        terminal.enter("breakpoint disable")
        terminal.expect("disabled")
        terminal.enter("continue")
        assert VERIFIED in terminal.expect("exited with status = 0")
        terminal.enter("quit")
        assert terminal.status() == 0


def test_quitting_lldb_early_ends_the_run(debuggee: Debuggee, lldb: Path) -> None:
    with on_terminal(debuggee, lldb) as terminal:
        terminal.expect("stop reason = signal SIGTRAP")
        terminal.enter("quit")
        terminal.expect("[Y/n]")
        terminal.enter("y")
        assert terminal.status() == 1  # the program's, whose DSP process is gone
        assert "the DSP process does not start" in terminal.shown


def test_a_signal_to_buildtool_ends_lldb_and_all_else(debuggee: Debuggee, lldb: Path) -> None:
    with on_terminal(debuggee, lldb) as terminal:
        script = terminal.expect("process connect").partition("-s 0 '")[2].partition("'")[0]
        terminal.expect("stop reason = signal SIGTRAP")
        os.kill(terminal.pid, signal.SIGTERM)
        assert terminal.status() == 130
    assert script.endswith("/lldb")
    assert not Path(script).parent.exists()
    assert processes_with(script) == []
    assert processes_with(script.removesuffix("lldb") + "dsp") == []


@pytest.mark.long
def test_the_lldb_of_a_stand_in_sdk_comes_first(debuggee: Debuggee, tmp_path: Path) -> None:
    sdk = make_sdk(tmp_path / "sdk")
    (tools,) = sdk.glob("tools/HEXAGON_Tools/*/Tools/bin")
    program = tmp_path / "lldb.py"
    program.write_text(
        f"import pathlib, re, sys\nsys.path.insert(0, {str(REPOSITORY)!r})\n"
        "from tests.device.debug.remote_protocol import RemoteProtocol\n"
        "if '--batch' in sys.argv: raise SystemExit(print('Current executable set (hexagon).'))\n"
        "script = pathlib.Path(sys.argv[sys.argv.index('--source') + 1]).read_text()\n"
        "socket = re.search('unix-connect://(.*)\"', script)[1]\n"
        "print('stand-in attaches and sees', RemoteProtocol(socket).ask('c'))\n"
    )
    # The path of Python may have spaces, which no first line of a script can.
    (tools / "hexagon-lldb").write_text(f'#!/bin/sh\nexec "{sys.executable}" "{program}" "$@"\n')
    (tools / "hexagon-lldb").chmod(0o755)
    with on_terminal(debuggee, HEXAGON_SDK_ROOT=str(sdk)) as terminal:
        terminal.expect("stand-in attaches and sees W00")
        assert terminal.status() == 0


@pytest.mark.long
def test_a_stand_in_lldb_that_does_not_attach_leaves_a_run_that_ctrl_c_ends(
    debuggee: Debuggee, tmp_path: Path
) -> None:
    lldb = tmp_path / "hexagon-lldb"
    lldb.write_text("#!/bin/sh\necho 'Current executable set (hexagon).'\n")
    lldb.chmod(0o755)
    with on_terminal(debuggee, tmp_path) as terminal:
        terminal.expect("LLDB has ended, and the program has not; Ctrl-C ends it")
        terminal.interrupt()
        assert terminal.status() == 130


@pytest.mark.long
def test_the_time_limit_ends_lldb(debuggee: Debuggee, lldb: Path) -> None:
    with on_terminal(debuggee, lldb, options=("--timeout", "10s")) as terminal:
        terminal.expect("stop reason = signal SIGTRAP")
        terminal.expect("bin/my-project did not end in 10 s")
        assert terminal.status() == 125


def test_the_documentation_shows_what_the_file_for_lldb_contains(debuggee: Debuggee) -> None:
    text = (REPOSITORY / "docs/emulated-device.md").read_text()
    with debuggee.waiting() as run:
        commands = re.sub('".*"', '""', run.script.read_text())
    assert f"```\n{commands}```\n" in re.sub('"(unix-connect:/)?/.*"', '""', text)
    assert "buildtool run sim --debug --build-type Debug\n" in text
