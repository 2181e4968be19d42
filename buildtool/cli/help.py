"""The help pages, drawn from commands.json so that neither typer nor rich is imported."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Sequence
from typing import Any

from buildtool.cli.commands import find_command
from buildtool.cli.show import shows_colours

PROGRAM = "buildtool"
MIN_WIDTH, MAX_WIDTH = 50, 100
MAX_LEFT = 28  # columns of the left column; a longer entry has its help on the next line

Row = tuple[str, str]  # the entry in the left column, and its help
Sections = dict[str, list[Row]]  # by title


def help_page(names: Sequence[str]) -> str:
    """The help of the command `names`; "" if there is no such command."""
    command = find_command(names)
    if command is None:
        return ""
    width = min(max(shutil.get_terminal_size().columns, MIN_WIDTH), MAX_WIDTH)
    parts = [_wrapped(text, width) for text in (command["help"], *command.get("more", ()))]
    parts.append(f"{_bold('Usage:')} {usage(names)}")
    for sections in (_commands(command), _parameters(command)):
        entries = [entry for rows in sections.values() for entry, _ in rows]
        left = max((len(e) for e in entries if len(e) <= MAX_LEFT), default=0) + 2
        parts += (_section(title, rows, left, width) for title, rows in sections.items())
    if examples := [(line, text) for line, text in command.get("examples", ())]:
        left = max(len(line) for line, _ in examples) + 2
        parts.append(_section("Examples", examples, left, width))
    if "commands" in command:
        path = " ".join((PROGRAM, *names))
        parts.append(f"Run '{path} COMMAND -h' for the help of a command.")
    return "\n\n".join(parts) + "\n"


def usage(names: Sequence[str]) -> str:
    """How the command is called, in one line."""
    command = find_command(names) or {}
    if "commands" in command:
        return " ".join((PROGRAM, *names, "[OPTIONS] COMMAND ..."))
    arguments = [argument["metavar"] for argument in command.get("arguments", ())]
    program = ["[-- PROGRAM [ARGUMENT...]]"] if command.get("program") else []
    return " ".join((PROGRAM, *names, "[OPTIONS]", *arguments, *program))


def _commands(command: dict[str, Any]) -> Sections:
    groups: Sections = {}
    for name, inner in command.get("commands", {}).items():
        groups.setdefault(inner.get("group", "Commands"), []).append((name, inner["help"]))
    return groups


def _parameters(command: dict[str, Any]) -> Sections:
    arguments = [(row["metavar"], row["help"]) for row in command.get("arguments", ())]
    groups: Sections = {"Arguments": arguments} if arguments else {}
    for row in sorted(command["options"], key=lambda row: "group" in row):  # the others first
        groups.setdefault(row.get("group", "Options"), []).append((_option(row), row["help"]))
    return groups


def _option(option: dict[str, Any]) -> str:
    """The names, short ones first, and the value."""
    names = sorted(option["names"].split(), key=lambda name: name.startswith("--"))
    start = "    " if names[0].startswith("--") else ""
    return f"{start}{', '.join(names)} {option.get('metavar', '')}".rstrip()


def _section(title: str, rows: Sequence[Row], left: int, width: int) -> str:
    lines = [_bold(f"{title}:")]
    for entry, text in rows:
        start = f"  {entry:<{left}}"
        if len(entry) > left - 2:
            lines.append(f"  {entry}")
            start = " " * (left + 2)
        lines.append(_wrapped(text, width, start, " " * (left + 2)))
    return "\n".join(lines)


def _wrapped(text: str, width: int, first: str = "", then: str = "") -> str:
    return textwrap.fill(
        text, width, initial_indent=first, subsequent_indent=then, break_on_hyphens=False
    )


def _bold(text: str) -> str:
    return f"\x1b[1m{text}\x1b[0m" if shows_colours(sys.stdout) else text
