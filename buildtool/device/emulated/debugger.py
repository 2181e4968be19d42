"""LLDB for the DSP process of the emulated device: which one, and with which commands."""

from __future__ import annotations

import os
from pathlib import Path

from buildtool.core.processes.process import ToolError, capture
from buildtool.core.value import Value
from buildtool.device.errors import DeviceError
from buildtool.project.model import Project
from buildtool.sdk.device_programs import lldb_programs
from buildtool.sdk.qemu import debugging_problem, find_qemu

PROBE_SECONDS = 30.0


class Debugged(Value):
    """A DSP process for a debugger: the socket where it waits, the shell that it runs, the
    directories of the release's debug information and of the project's sources."""

    socket: str
    shell: Path
    debug: Path
    sources: Path


def check_can_debug(project: Project) -> None:
    """Raises `DeviceError` when QEMU is too old to debug programs."""
    qemu = find_qemu(project.tool("qemu"))
    if problem := debugging_problem(qemu):
        raise DeviceError(
            "--debug needs QEMU 8.1 or newer",
            why=f"{qemu.hexagon} is {qemu.version}: {problem.text}",
            remedy=problem.remedy,
        )


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
