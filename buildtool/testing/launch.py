"""The test launcher: runs a program of a build tree for CTest or a custom command.

    python -I -S -X utf8 launch.py [--test NAME] SYSTEM PROGRAM [ARGUMENT...]

`cmake/test_launcher.cmake` puts this before programs.  SYSTEM is what PROGRAM was built for:
`linux`, `android`, or `native` for that of this machine.  With the variable
`BUILDTOOL_TEST_LAUNCHER`, the file of a `LaunchConfig`, the program runs on a device; without it,
on this machine, under QEMU if necessary.

It ends as the program does, by the same signal too, or with `NOT_RUN` for its own errors.

One process starts for each test, so this imports little: -S leaves out the site packages, and -I
keeps the variables of a test such as PYTHONPATH away from this Python.  File names are UTF-8
whatever the locale is, as for CMake.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from pathlib import Path

VARIABLE = "BUILDTOOL_TEST_LAUNCHER"
USAGE = "launch.py [--test NAME] linux|android|native PROGRAM [ARGUMENT...]"
CRASHES = frozenset(
    {
        signal.SIGABRT,
        signal.SIGBUS,
        signal.SIGFPE,
        signal.SIGILL,
        signal.SIGKILL,
        signal.SIGSEGV,
        signal.SIGSYS,
        signal.SIGTERM,
        signal.SIGTRAP,
    }
)
"""The signals that statuses of 128+n stand for.  Programs do return statuses above 128, but seldom
one of these."""


def launch(arguments: list[str]) -> int:
    """Run what `arguments` say; returns the exit status, 128+n for signal n."""
    # The directory of the package: -I has removed the one of this file, which has other modules.
    sys.path.insert(0, str(Path(__file__).parents[2]))
    from buildtool.core.errors import BuildtoolError  # noqa: PLC0415 - it is found only now

    test = ""
    if arguments[:1] == ["--test"]:
        test, arguments = "".join(arguments[1:2]), arguments[2:]
    if len(arguments) < 2 or arguments[0] not in ("linux", "android", "native"):
        return _failed(f"usage: {USAGE}")
    system, *command = arguments
    try:
        if config := os.environ.get(VARIABLE):
            from buildtool.testing.launch_config import read_config  # noqa: PLC0415
            from buildtool.testing.on_device import run_test  # noqa: PLC0415

            return run_test(read_config(Path(config)), test, command)
        from buildtool.testing.under_qemu import run_here  # noqa: PLC0415

        run_here(system, command)
    except BuildtoolError as error:
        return _failed(str(error))
    except OSError as error:  # the program cannot be started here, or a record not be written
        return _failed(f"{error.filename or command[0]}: {error.strerror}")
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def _failed(text: str) -> int:
    """Print why no program runs; returns the exit status."""
    from buildtool.core.errors import NOT_RUN  # noqa: PLC0415 - `launch` made it importable

    print("buildtool:", text.replace("\n", "\n  "), file=sys.stderr)  # noqa: T201 - CTest shows it
    return NOT_RUN


def end_as(status: int) -> None:
    """End this process with the exit status, or by the signal that it stands for."""
    if status - 128 in CRASHES:
        number = status - 128
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a dump would be of this Python
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    sys.exit(status)


if __name__ == "__main__":
    end_as(launch(sys.argv[1:]))
