"""Runs LLDB beside a program on the emulated device, and ends the DSP process that it debugged."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from buildtool.core.events import Listener, Note
from buildtool.core.files import replace_link
from buildtool.core.processes.interrupts import restored_terminal, signals_as_interrupt
from buildtool.core.processes.process import ToolError, capture, running
from buildtool.core.value import Value
from buildtool.device.emulated.emulator import build_emulator
from buildtool.ide.vscode import LLDB_SCRIPT, WAITS
from buildtool.project.model import Project
from buildtool.release.slices import Release
from buildtool.sdk.device_programs import lldb_programs

STDIN, STDOUT = 0, 1
POLL_SECONDS = 0.05
ACCEPTS = 0x10000  # in the flags of /proc/net/unix: __SO_ACCEPTCON of <linux/net.h>
END_SECONDS = 2.0  # a DSP process ends when its program has ended, unless a debugger stops it
PROBE_SECONDS = 30.0


@contextlib.contextmanager
def debugger(
    project: Project, release: Release, socket: str, listener: Listener, *, terminal: bool
) -> Iterator[bool]:
    """Debug the DSP process of the program of `release` that runs in the block, which waits at
    `socket`: start LLDB on the terminal, or say how to attach one if there is none, or no
    `terminal` for it.

    Yields whether LLDB will have the terminal: then the program may not read from it.  When the
    block has ended, waits until the user quits LLDB; ends it when the block raises.  At the end the
    DSP process has ended too.
    """
    shell = build_emulator(listener).shell
    debugged = Debugged(socket, shell, release.debug.resolve(), project.root)
    script = Path(socket).with_name("lldb")
    script.write_bytes(os.fsencode(lldb_script(debugged)))
    try:
        shared = terminal and os.isatty(STDIN) and os.isatty(STDOUT)
        lldb = find_lldb(project, debugged.shell) if shared else None
        if lldb is None:
            link = project.state / LLDB_SCRIPT
            link.parent.mkdir(exist_ok=True)
            replace_link(link, script)
            with _waiting_said(Path(socket), script, listener):
                yield False
            return
        with _Debugger(_arguments(lldb, script), Path(socket), listener):
            yield True
    finally:
        _end_process(debugged.socket)


def _arguments(lldb: str | Path, script: Path) -> list[str]:
    return [str(lldb), "--source", str(script)]


def listens(socket: Path) -> bool:
    """Whether a process accepts connections at `socket`.  Its file exists earlier: QEMU binds first
    and listens then."""
    end = b" " + os.fsencode(socket)
    lines = Path("/proc/net/unix").read_bytes().splitlines()  # see proc(5)
    return any(line.endswith(end) and int(line.split()[3], 16) & ACCEPTS for line in lines)


@contextlib.contextmanager
def _waiting_said(socket: Path, script: Path, listener: Listener) -> Iterator[None]:
    """Say how to attach LLDB as soon as the DSP process waits for it, while the block runs."""
    ending = threading.Event()

    def say() -> None:
        while not listens(socket):
            if ending.wait(POLL_SECONDS):
                return
        command = shlex.join(_arguments("lldb", script))
        listener(Note(f"{WAITS}; to attach LLDB 14 or newer: {command}"))

    thread = threading.Thread(target=say)
    thread.start()
    try:
        yield
    finally:
        ending.set()
        thread.join()


class _Debugger:
    """LLDB, which a thread starts when the socket exists and waits for.  While it runs, Ctrl-C is
    for LLDB only: it stops the DSP process."""

    def __init__(self, arguments: list[str], socket: Path, listener: Listener) -> None:
        self._arguments = arguments
        self._socket = socket
        self._listener = listener
        self._ending = threading.Event()  # of the program
        self._abandoned = threading.Event()
        self._runs = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> None:
        self._stack.enter_context(restored_terminal())
        self._stack.enter_context(signals_as_interrupt())
        self._stack.callback(signal.signal, signal.SIGINT, signal.getsignal(signal.SIGINT))
        signal.signal(signal.SIGINT, self._interrupt)
        self._thread.start()

    def __exit__(self, kind: object, *_: object) -> None:
        with self._stack:
            self._ending.set()
            if kind:
                self._abandoned.set()
            try:
                self._thread.join()
            except BaseException:  # SIGTERM
                self._abandoned.set()
                self._thread.join()
                raise

    def _interrupt(self, *_: object) -> None:
        if not self._runs.is_set():
            raise KeyboardInterrupt

    def _run(self) -> None:
        while not listens(self._socket):
            if self._ending.wait(POLL_SECONDS):
                return
        self._runs.set()
        try:
            with running(
                self._arguments,
                env=os.environ,
                stdin=None,
                stdout=None,
                stderr=None,
                own_session=False,
            ) as process:
                while process.poll() is None and not self._abandoned.wait(POLL_SECONDS):
                    pass
        except ToolError as error:
            self._listener(Note(f"{error.message}: {error.why}"))
        finally:
            self._runs.clear()
        if not self._ending.wait(END_SECONDS):
            self._listener(Note("LLDB has ended, and the program has not; Ctrl-C ends it"))


def _end_process(socket: str) -> None:
    """End the DSP process that was started with `socket`, which may wait for a debugger or be
    stopped by one."""
    deadline = time.monotonic() + END_SECONDS
    while processes := _processes(socket):
        if time.monotonic() >= deadline:
            for process in processes:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
        time.sleep(POLL_SECONDS)


def _processes(socket: str) -> list[int]:
    """The QEMU whose option -g is `socket`, if it runs."""
    option = b"\0-g\0" + os.fsencode(socket) + b"\0"
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):
                if option in entry.joinpath("cmdline").read_bytes():
                    found.append(int(entry.name))
    return found


class Debugged(Value):
    """A DSP process for a debugger: the socket where it waits, the shell that it runs, the
    directories of the release's debug information and of the project's sources."""

    socket: str
    shell: Path
    debug: Path
    sources: Path


def lldb_script(debugged: Debugged) -> str:
    """The commands with which LLDB attaches, one a line.

    Code for Hexagon is always optimised, so arguments are known before the prologue only.  LLDB 14
    and 19 would let the platform connect, which does nothing, if the plug-in were not named.  The
    settings are global, because editors have selected a target of their own before.
    """
    commands = (
        "settings set --global target.skip-prologue false",
        f"settings set --global target.debug-file-search-paths {_quote(debugged.debug)}",
        f"settings set --global target.source-map build {_quote(debugged.sources)}",
        f"target create --arch hexagon {_quote(debugged.shell)}",
        f"process connect --plugin gdb-remote {_quote(f'unix-connect://{debugged.socket}')}",
    )
    return "".join(f"{command}\n" for command in commands)


def find_lldb(project: Project, shell: Path) -> Path | None:
    """The first LLDB that can debug Hexagon programs such as `shell`: that of the Hexagon SDK, then
    those on PATH; None if there is none."""
    programs = lldb_programs(project.tool("hexagon-sdk"))
    return next((lldb for lldb in programs if _knows_hexagon(lldb, shell)), None)


def _knows_hexagon(lldb: Path, shell: Path) -> bool:
    command = f"target create --arch hexagon {_quote(shell)}"
    arguments: list[str | Path] = [lldb, "--no-lldbinit", "--batch", "--one-line", command]
    try:
        done = capture(arguments, env=os.environ, timeout=PROBE_SECONDS)
    except ToolError:
        return False
    return done.status == 0 and "(hexagon)" in done.output


def _quote(text: str | Path) -> str:
    """`text` as one argument of an LLDB command."""
    inside = str(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{inside}"'
