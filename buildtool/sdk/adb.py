"""The user's adb, with the user's keys and server."""

from __future__ import annotations

import os
from pathlib import Path

from buildtool.project.model import Tool
from buildtool.sdk.program import probe_version
from buildtool.sdk.tool_search import (
    NO_REQUIREMENT,
    FoundTool,
    programs_on_path,
    search,
    tool_identity,
)

INSTALL = "Install it: apt-get install adb"
SDK_VARIABLES = ("ANDROID_HOME", "ANDROID_SDK_ROOT")


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
        variables=(),
        default_paths=programs_on_path("adb") or _of_sdks(),
        probe=_probe,
        install_remedy=INSTALL,
    )


def _of_sdks() -> list[Path]:
    sdks = [Path(value).absolute() for name in SDK_VARIABLES if (value := os.environ.get(name))]
    home = Path(os.environ.get("HOME") or "/nonexistent")
    return [sdk / "platform-tools" / "adb" for sdk in (*sdks, home / "Android" / "Sdk")]


def _probe(program: Path) -> AdbProgram | None:
    if not program.is_file():
        return None
    # `adb version` does not start a server.
    version, problems = probe_version(program, "version", pattern=r"^Version (\d+(?:\.\d+){0,4})")
    protocol, _ = probe_version(program, "version", pattern=r"^Android Debug .* 1\.0\.(\d{1,9})$")
    return AdbProgram(
        where=program,
        version=version or "unknown",
        protocol=protocol,
        identity=tool_identity("adb", version, {"adb": program}),
        problems=problems,
    )
