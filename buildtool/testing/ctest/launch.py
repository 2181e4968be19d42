"""The test launcher: runs a program of a build tree for CTest or a custom command.

    python -I -S -X utf8 launch.py [--test NAME | --script] SYSTEM PROGRAM [ARGUMENT...]

`cmake/test_launcher.cmake` puts this before programs, and `script_exec.c` before those that scripts
of tests start (--script).  SYSTEM is what PROGRAM was built for:
`linux`, `android`, `hexagon`, or `native` for that of this machine.  With the variable
`BUILDTOOL_TEST_LAUNCHER`, the directory of a `LaunchServer`, `buildtool test` runs the program on a
device; without it, the program runs on this machine, under QEMU if necessary.

It ends as the program does, by the same signal too, or with 125 for its own errors.

One process starts for each test, so this imports next to nothing when there is a server: -S leaves
out the site packages, and -I keeps the variables of a test such as PYTHONPATH away from this
Python.  File names are UTF-8 whatever the locale is, as for CMake.
"""

from __future__ import annotations

import os
import sys

VARIABLE = "BUILDTOOL_TEST_LAUNCHER"
SYSTEMS = ("linux", "android", "hexagon", "native")
USAGE = f"launch.py [--test NAME | --script] {'|'.join(SYSTEMS)} PROGRAM [ARGUMENT...]"
SOCKET = "launch"
"""The socket in the directory of the server."""
LENGTH_BYTES = 4
"""Of the number before a request, the length of the rest."""
HERE, EXIT, SIGNAL, ERROR = "here", "exit", "signal", "error"
"""Answers: the program has to run on this machine; an exit status, a signal, or why it did not run
follows."""
INTERRUPT = b"INT"
"""Is sent to the server when this process gets SIGINT."""


def launch(arguments: list[str]) -> int:
    """Run what `arguments` say; returns the exit status."""
    test, by_script = "", arguments[:1] == ["--script"]
    if arguments[:1] == ["--test"]:
        test, arguments = "".join(arguments[1:2]), arguments[2:]
    elif by_script:
        arguments = arguments[1:]
    if len(arguments) < 2 or arguments[0] not in SYSTEMS:
        return _failed(f"usage: {USAGE}")
    system, *command = arguments
    folder = os.environ.get(VARIABLE)
    if folder and (status := _by_server(folder, test, by_script, command)) is not None:
        return status
    if folder and not by_script:
        return _become(command)
    return _here(system, command)


def socket_path(folder: int) -> str:
    """The path of the socket in the directory with this descriptor: the path of a socket has at
    most 107 bytes (unix(7)), and that of a project can have more."""
    return f"/proc/self/fd/{folder}/{SOCKET}"


def _by_server(folder: str, test: str, by_script: bool, command: list[str]) -> int | None:
    """The exit status of a program that the server runs; None if it has to run here."""
    # The modules `socket` and `signal` import many others.
    import _signal  # type: ignore[import-not-found]  # noqa: PLC0415
    import _socket  # noqa: PLC0415

    answer = b""
    try:
        cwd = os.getcwd()  # noqa: PTH109 - pathlib is slow
        words = [test, "script" if by_script else "", cwd, str(len(command)), *command]
        fields = [word.encode(errors="surrogateescape") for word in words]
        body = b"\0".join([*fields, *(b"=".join(pair) for pair in os.environb.items())])
        request = len(body).to_bytes(LENGTH_BYTES, sys.byteorder) + body
        streams = b"".join(_open(stream).to_bytes(4, sys.byteorder) for stream in range(3))
        server = _socket.socket(_socket.AF_UNIX)
        server.connect(socket_path(os.open(folder, os.O_PATH)))
        # SIGINT, which CTest may send for a timeout, is passed on from the moment that the server
        # has the request.
        _signal.pthread_sigmask(_signal.SIG_BLOCK, [_signal.SIGINT])
        sent = server.sendmsg([request], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
        if sent < len(request):  # else it may have answered already, and sending fails
            server.sendall(request[sent:])
        _signal.signal(_signal.SIGINT, lambda *_: server.sendall(INTERRUPT))
        _signal.pthread_sigmask(_signal.SIG_UNBLOCK, [_signal.SIGINT])
        while part := server.recv(4096):
            answer += part
    except OSError as error:  # also after the answer, if SIGINT came at the same time
        if not answer:
            return _failed(f"`buildtool test` does not answer in {folder}: {error.strerror}")
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    word, _, rest = answer.decode(errors="surrogateescape").partition(" ")
    if word == HERE:
        return None
    if word == SIGNAL:
        _end_by(int(rest))
    return int(rest) if word == EXIT else _failed(rest or "`buildtool test` has ended")


def _open(stream: int) -> int:
    """The descriptor of a standard stream; one of /dev/null if it is closed."""
    try:
        os.fstat(stream)
    except OSError:
        return os.open(os.devnull, os.O_RDWR)
    return stream


def _become(command: list[str]) -> int:
    try:
        os.execvp(command[0], command)
    except OSError as error:
        return _failed(f"{error.filename or command[0]}: {error.strerror}")


def _end_by(number: int) -> None:
    """End this process by a signal."""
    import resource  # noqa: PLC0415 - most programs end with an exit status
    import signal  # noqa: PLC0415

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a dump would be of this Python
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _here(system: str, command: list[str]) -> int:
    """Become the program on this machine; returns the exit status if it cannot be started."""
    # The directory of the package: -I has removed the one of this file, which has other modules.
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(__file__)))))  # noqa: PTH120
    from buildtool.core.errors import BuildtoolError  # noqa: PLC0415 - it is found only now
    from buildtool.testing.under_qemu import run_here  # noqa: PLC0415

    try:
        run_here(system, command)
    except BuildtoolError as error:
        return _failed(str(error))
    except OSError as error:
        return _failed(f"{error.filename or command[0]}: {error.strerror}")


def _failed(text: str) -> int:
    """Print why no program runs; returns the exit status, `NOT_RUN` of `core.errors`."""
    print("buildtool:", text.replace("\n", "\n  "), file=sys.stderr)  # noqa: T201 - CTest shows it
    return 125


if __name__ == "__main__":
    sys.exit(launch(sys.argv[1:]))
