"""commands.json: every command with its options, arguments and help.

Help, completion and command lines without typer read it.  A test keeps it the same as what typer
has.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("commands.json")


def read_commands() -> dict[str, Any]:
    """The description of the program: its options, and those of its commands, below each other."""
    table: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return table


def find_command(names: Iterable[str]) -> dict[str, Any] | None:
    """The description of a command such as ("cache", "gc"), () for the program; None if there is
    no such command."""
    level: dict[str, Any] | None = read_commands()
    for name in names:
        level = level and level.get("commands", {}).get(name)
    return level
