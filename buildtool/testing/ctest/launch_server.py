"""Runs programs for test launchers: a server in the process of `buildtool test`.

A test launcher sends what it was started with and its standard streams, and ends as the answer
says.  So its process imports nothing, and one that is killed ends its program at once.

CMake puts the test launcher before programs of tests.  A script that gets the path of a program, or
knows it, starts it itself, and this machine cannot run it.  So a library is loaded into scripts and
what they start (LD_PRELOAD), which puts the test launcher before programs for ARM64.
"""

from __future__ import annotations

import contextlib
import os
import platform
import re
import shlex
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from buildtool.core.errors import BuildtoolError
from buildtool.core.lock import held_temporary_directory
from buildtool.core.processes.process import capture, check
from buildtool.core.value import Value
from buildtool.plan.environment import build_environment
from buildtool.sdk.packaged_tools import usable_zig
from buildtool.testing.ctest.launch import ERROR, LENGTH_BYTES, VARIABLE, socket_path
from buildtool.testing.ctest.tests import TEST_LAUNCHER

CHUNK = 1 << 16
WAITING = 128
"""Test launchers that may wait to be served."""
SOURCE = Path(__file__).with_name("script_exec.c")
LAUNCHER = "BUILDTOOL_SCRIPT_LAUNCHER"
PRELOAD = "LD_PRELOAD"
_SECONDS = 120
_SCRIPT = """\
#!/bin/sh
{preload}
unset {launcher}
export {variable}={server}
exec {command} "$@"
"""


class Launch(Value):
    """A request of a test launcher to run the program `command` for `test` ("" if no test names it)
    in the directory `cwd`; `by_script` says whether a script starts it.

    `stdin`, `stdout` and `stderr` are descriptors, open as long as it is served.  `launcher` can be
    read when the test launcher was interrupted or has ended.
    """

    test: str
    by_script: bool
    cwd: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    stdin: int
    stdout: int
    stderr: int
    launcher: Launcher


class Launcher:
    """The connection to a test launcher, as a `Stop` of a program."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.has_stopped = False
        """Whether the program had to end."""

    def fileno(self) -> int:
        return self._connection.fileno()

    def wanted(self) -> str:
        """The signal for the program: that of the test launcher, or KILL when it has ended."""
        self.has_stopped = True
        with contextlib.suppress(OSError):
            return self._connection.recv(CHUNK).decode() or "KILL"
        return "KILL"


class LaunchServer:
    """Serves the test launchers that get `directory` in their environment, for a block, at whose
    end it ends all programs.  `run` runs a program, and returns the answer."""

    def __init__(self, directory: Path, run: Callable[[Launch], str]) -> None:
        self._directory = directory
        self._run = run
        self._listener = socket.socket(socket.AF_UNIX)
        self._lock = threading.Lock()
        self._served: dict[threading.Thread, socket.socket] = {}
        self._ended = False

    def __enter__(self) -> LaunchServer:
        folder = os.open(self._directory, os.O_PATH | os.O_CLOEXEC)
        try:
            self._listener.bind(socket_path(folder))
        finally:
            os.close(folder)
        self._listener.listen(WAITING)
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes accept()
        with self._lock:
            self._ended = True
            served = dict(self._served)
            for connection in served.values():
                with contextlib.suppress(OSError):  # it has ended by itself
                    connection.shutdown(socket.SHUT_RDWR)
        for thread in served:
            thread.join()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
            with self._lock:
                if self._ended:
                    connection.close()
                    return
                self._served[thread] = connection
                thread.start()

    def _serve(self, connection: socket.socket) -> None:
        with contextlib.ExitStack() as stack:
            stack.callback(self._forget, connection)
            if not (launch := _received(connection, stack)):
                return
            try:
                answer = self._run(launch)
            except (BuildtoolError, OSError) as error:
                answer = f"{ERROR} {error}"
            with contextlib.suppress(OSError):  # the test launcher has ended
                connection.sendall(answer.encode(errors="surrogateescape"))

    def _forget(self, connection: socket.socket) -> None:
        with self._lock:
            del self._served[threading.current_thread()]
            connection.close()


def _received(connection: socket.socket, stack: contextlib.ExitStack) -> Launch | None:
    """The request of a test launcher; None for anything else.  `stack` closes its streams."""
    with contextlib.suppress(OSError, ValueError):
        data, streams, _, _ = socket.recv_fds(connection, CHUNK, 3)
        for stream in streams:
            stack.callback(os.close, stream)
        while len(data) < LENGTH_BYTES + int.from_bytes(data[:LENGTH_BYTES], sys.byteorder):
            part = connection.recv(CHUNK)
            if not part:
                return None
            data += part
        test, script, cwd, count, *rest = data[LENGTH_BYTES:].split(b"\0")
        words, pairs = rest[: int(count)], rest[int(count) :]
        stdin, stdout, stderr = streams
        return Launch(
            test.decode(errors="surrogateescape"),  # as in the output of CTest
            bool(script),
            os.fsdecode(cwd),
            tuple(map(os.fsdecode, words)),
            dict(os.fsdecode(pair).partition("=")[::2] for pair in pairs),
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            launcher=Launcher(connection),
        )
    return None


@contextmanager
def script_launcher(server: Path, system: str) -> Iterator[Mapping[str, str]]:
    """The variables with which scripts start programs for ARM64 with the test launcher, in the
    block; `server` is the directory of its server, `system` what the programs were built for.

    There are none where this machine runs ARM64 itself, and when the temporary directory has a name
    that LD_PRELOAD cannot have (ld.so(8)).  Raises `ToolError` when zig fails.
    """
    with held_temporary_directory("buildtool-scripts-") as folder:
        if platform.machine() == "aarch64" or re.search(r"[\s:$]", str(folder)):
            yield {}
            return
        library, launcher = folder / "exec.so", folder / "launch"
        _compile(library)
        usual = os.environ.get(PRELOAD, "")
        options = ["-I", "-S", "-X", "utf8"]  # as in cmake/test_launcher.cmake
        text = _SCRIPT.format(
            preload=f"export {PRELOAD}={shlex.quote(usual)}" if usual else f"unset {PRELOAD}",
            launcher=LAUNCHER,
            variable=VARIABLE,
            server=shlex.quote(str(server)),
            command=shlex.join([sys.executable, *options, str(TEST_LAUNCHER), "--script", system]),
        )
        launcher.write_text(text, encoding="utf-8")
        launcher.chmod(0o700)
        preloaded = " ".join(filter(None, (str(library), usual)))
        yield {PRELOAD: preloaded, LAUNCHER: str(launcher)}


def _compile(library: Path) -> None:
    """Compile the library for this machine; zig keeps the result in its cache."""
    command: list[str | Path] = [usable_zig().where, "cc", "-shared", "-fPIC", "-O2", "-s"]
    command += ["-o", library, SOURCE, "-ldl"]
    done = capture(command, env=build_environment(), timeout=_SECONDS)
    check(done, "compiling the library for scripts of tests")
