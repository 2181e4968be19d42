"""The programs by which devices are reached and debugged: the user's adb and ssh, and LLDB.

adb and ssh are used with the user's keys, configuration and server.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from buildtool.project.model import Tool
from buildtool.sdk.program import probe_version, probed_tool
from buildtool.sdk.tool_search import (
    NO_REQUIREMENT,
    FoundTool,
    Problem,
    ToolMissingError,
    ToolUnfitError,
    programs_on_path,
    search,
)

INSTALL_ADB = "Install it: apt-get install adb"
INSTALL_SSH = "Install it: apt-get install openssh-client"
SDK_VARIABLES = ("ANDROID_HOME", "ANDROID_SDK_ROOT")
_LLDBS = ("hexagon-lldb", "lldb", *(f"lldb-{number}" for number in range(40, 13, -1)))


class AdbProgram(FoundTool, kw_only=True):
    """A found adb; `where` is the program, `version` its package's version ("29.0.6"), `protocol`
    the version that its server must have ("41")."""

    protocol: str = ""


def find_adb(requirement: Tool = NO_REQUIREMENT) -> AdbProgram:
    """Find adb: `path` in [tool.adb], else on PATH, else in an Android SDK.

    An adb on PATH is used whatever its version: it is the one that the user runs, and adb
    programs of two versions stop each other's server.  Raises `ToolMissingError`,
    `ToolUnfitError`.
    """
    return search(
        "adb",
        requirement=requirement,
        default_paths=programs_on_path("adb") or _android_sdks(),
        probe=_probe_adb,
        install_remedy=INSTALL_ADB,
    )


def _android_sdks() -> list[Path]:
    sdks = [Path(value).absolute() for name in SDK_VARIABLES if (value := os.environ.get(name))]
    home = Path(os.environ.get("HOME") or "/nonexistent")
    return [sdk / "platform-tools" / "adb" for sdk in (*sdks, home / "Android" / "Sdk")]


def _probe_adb(program: Path) -> AdbProgram | None:
    # `adb version` does not start a server.
    found = probed_tool("adb", program, "version", pattern=r"^Version (\d+(?:\.\d+){0,4})")
    if not found:
        return None
    protocol, _ = probe_version(program, "version", pattern=r"^Android Debug .* 1\.0\.(\d{1,9})$")
    return AdbProgram(**found._asdict(), protocol=protocol)


def find_ssh(requirement: Tool = NO_REQUIREMENT) -> FoundTool:
    """Find OpenSSH's ssh: `path` in [tool.ssh], else on PATH; with OpenSSH's version ("9.2p1").

    Raises `ToolMissingError`, `ToolUnfitError`.
    """
    return search(
        "ssh",
        requirement=requirement,
        default_paths=programs_on_path("ssh"),
        probe=_probe_ssh,
        install_remedy=INSTALL_SSH,
    )


def find_ssh_keygen() -> Path:
    """The program ssh-keygen on PATH.  Raises `ToolMissingError`."""
    for program in programs_on_path("ssh-keygen"):
        return program
    raise ToolMissingError(
        "ssh-keygen is not installed",
        why="OpenSSH's keys sign releases and verify them",
        remedy=INSTALL_SSH,
    )


def _probe_ssh(program: Path) -> FoundTool | None:
    found = probed_tool("ssh", program, "-V", pattern=r"^OpenSSH_(?:\D+_)?(\d[\w.]{0,20})")
    if found and found.problems:
        texts = (f"it is not OpenSSH: {problem.text}" for problem in found.problems)
        return found._replace(problems=tuple(Problem(text, INSTALL_SSH) for text in texts))
    return found


def lldb_programs(hexagon_sdk: Tool) -> Iterator[Path]:
    """The LLDB of the Hexagon SDK that is so required, if any, and those on PATH."""
    from buildtool.sdk.hexagon_sdk import find_hexagon_sdk  # noqa: PLC0415 - LLDB alone needs it

    try:
        sdk = find_hexagon_sdk(hexagon_sdk)
    except (ToolMissingError, ToolUnfitError):
        pass
    else:
        if sdk.tools and (lldb := sdk.program("hexagon-lldb")).is_file():
            yield lldb
    yield from programs_on_path(*_LLDBS)


def find_lldb(hexagon_sdk: Tool) -> FoundTool:
    """The newest of `lldb_programs`; whether it knows Hexagon is not asked here.

    Raises `ToolMissingError`.
    """
    return search(
        "LLDB",
        default_paths=lldb_programs(hexagon_sdk),
        probe=_probe_lldb,
        install_remedy="Install it, 14 or newer: apt-get install lldb",
    )


def _probe_lldb(program: Path) -> FoundTool | None:
    return probed_tool("lldb", program, "--version", pattern=r"lldb version (\d+\.[\d.]+)")
