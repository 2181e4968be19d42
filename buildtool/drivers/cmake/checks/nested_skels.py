"""Finds skels that a component of the ARM64 side builds itself, with ExternalProject_Add()."""

from __future__ import annotations

import re
from pathlib import Path

from buildtool.plan.plan import CMakeStep

MAX_BYTES = 1 << 16
_COMMANDS = ("*/tmp/*-cfgcmd.txt", "*/*/tmp/*-cfgcmd.txt")
"""ExternalProject_Add() writes the command that configures a project here."""
_HEXAGON = r"-DDSP_VERSION(:\w+)?=|-DHEXAGON_\w+=|hexagon[^;]*\.cmake"


def nested_skels(step: CMakeStep) -> str:
    """A warning about steps of a configured tree that build skels; "" if there are none, or if the
    component lists its `targets`."""
    if step.arch or step.targets:
        return ""
    files = sorted(file for pattern in _COMMANDS for file in step.tree.glob(pattern))
    names = [file.name.removesuffix("-cfgcmd.txt") for file in files if _is_skel(file)]
    if not names:
        return ""
    more = ", …" if len(names) > 5 else ""
    return (
        f"{step.component} builds skels in steps of its own: {', '.join(names[:5])}{more}. List the"
        f' targets of the ARM64 side in [host.{step.component}], targets = ["…"], and make the'
        " skels a component: 'buildtool init --print' in a copy without buildtool.toml proposes"
        " both. Then they are built for the archs of the target, and only when something changed."
    )


def _is_skel(file: Path) -> bool:
    try:
        with file.open("rb") as stream:
            text = stream.read(MAX_BYTES).decode(errors="replace")
    except OSError:
        return False
    return bool(re.search(_HEXAGON, text))
