"""Lets the scripts of tests start programs for ARM64: these run on the device.

CMake puts the test launcher before programs of tests.  A script that gets the path of a program, or
knows it, starts it itself, and this machine cannot run it.  So a library is loaded into scripts and
what they start (LD_PRELOAD), which puts the test launcher before programs for ARM64.
"""

from __future__ import annotations

import os
import platform
import re
import shlex
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from buildtool.core.held_temporary import held_temporary_directory
from buildtool.core.processes.process import capture, check
from buildtool.plan.environment import build_environment
from buildtool.sdk.packaged_tools import usable_zig
from buildtool.testing.ctest.launch import VARIABLE
from buildtool.testing.ctest.tests import TEST_LAUNCHER

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
