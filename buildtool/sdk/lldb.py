"""LLDB, which debugs the DSP process of the emulated device."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from buildtool.project.model import Tool
from buildtool.sdk.hexagon_sdk import find_hexagon_sdk
from buildtool.sdk.program import probe_version
from buildtool.sdk.tool_search import (
    NO_REQUIREMENT,
    FoundTool,
    ToolMissingError,
    ToolUnfitError,
    programs_on_path,
    search,
    tool_identity,
)

INSTALL = "Install it, 14 or newer: apt-get install lldb"
_NAMES = ("hexagon-lldb", "lldb", *(f"lldb-{number}" for number in range(40, 13, -1)))


class Lldb(FoundTool, kw_only=True):
    """A found LLDB; `where` is the program."""


def lldb_programs(hexagon_sdk: Tool) -> Iterator[Path]:
    """The LLDB of the Hexagon SDK that is so required, if any, and those on PATH."""
    try:
        sdk = find_hexagon_sdk(hexagon_sdk)
    except (ToolMissingError, ToolUnfitError):
        pass
    else:
        if sdk.tools and (lldb := sdk.program("hexagon-lldb")).is_file():
            yield lldb
    yield from programs_on_path(*_NAMES)


def find_lldb(hexagon_sdk: Tool) -> Lldb:
    """The newest of `lldb_programs`; whether it knows Hexagon is not asked here.

    Raises `ToolMissingError`.
    """
    return search(
        "LLDB",
        requirement=NO_REQUIREMENT,
        variables=(),
        default_paths=lldb_programs(hexagon_sdk),
        probe=_probe,
        install_remedy=INSTALL,
    )


def _probe(program: Path) -> Lldb | None:
    version, problems = probe_version(program, "--version", pattern=r"lldb version (\d+\.[\d.]+)")
    return Lldb(
        where=program,
        version=version or "unknown",
        identity=tool_identity("lldb", version, {"lldb": program}),
        problems=problems,
    )
