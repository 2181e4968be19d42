"""What may stand at the cursor of a command line, for the scripts of `buildtool completion`.

A user waits for it, so typer is not loaded: commands and options are those of commands.json, which
a test keeps the same as typer has them.  It never fails, and prints nothing but completions.
"""

from __future__ import annotations

import contextlib
import json
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from buildtool.cli.show import flush, write
from buildtool.core.value import Value

COMMAND = "__complete"
"""The hidden command: its arguments are the shell, and the words up to the cursor."""
FILES, DIRECTORIES, WORDS = "files", "directories", "words"
"""The first line of an answer: what the shell completes by itself, or words that follow, each with
a tab and its meaning behind it."""
TABLE = Path(__file__).with_name("commands.json")

Word = tuple[str, str]  # and what it means


class Cursor(Value):
    """What is asked for: a value of some `kind`, or one of `words`.

    `here` is the directory that the command would run in, `target` the value of --target.
    """

    kind: str = ""
    words: tuple[Word, ...] = ()
    here: Path = Path()
    target: str = ""


def complete(arguments: Sequence[str]) -> int:
    """Print what may stand at the cursor; returns 0 whatever happens."""
    with contextlib.suppress(Exception):
        shell, *words = arguments
        kind, found = answer(shell, words)
        write("\n".join([kind, *(f"{value}\t{text}" for value, text in found)]) + "\n")
        flush()
    return 0


def answer(shell: str, words: Sequence[str]) -> tuple[str, list[Word]]:
    """The kind of the answer, and of `WORDS` the words themselves.

    `words` are those after the program's name, the last one is that at the cursor.  Raises what
    reading a project raises.
    """
    before, current, kept = _split([_unquoted(w) for w in words] if shell == "bash" else words)
    cursor = _cursor(before, current)
    if cursor.kind and not cursor.words:
        from buildtool.cli.complete_values import values  # not for commands and options

        kind, found = values(cursor)
    else:
        kind, found = WORDS, list(cursor.words)
    fitting = [(kept + value, text) for value, text in found if value.startswith(current)]
    if not fitting and cursor.kind == "device|dir":
        kind = DIRECTORIES
    # A file can be named anything; a terminal takes some of it for orders.
    return kind, [row for row in fitting if "".join(row).isprintable()]


def _split(words: Sequence[str]) -> tuple[list[str], str, str]:
    """The words before the cursor, with --option=value as two, the word at it, and what stands
    before that and is given back to the shell."""
    before: list[str] = []
    kept = ""
    for number, word in enumerate(words):
        kept = ""
        name, sign, value = word.partition("=")
        if "--" in before:
            before.append(word)
        elif word == "=" and before and before[-1].startswith("--"):  # a word of its own to bash
            if number == len(words) - 1:
                before.append("")
        elif sign and name.startswith("--"):
            before += [name, value]
            kept = f"{name}="
        else:
            before.append(word)
    return before[:-1], before[-1], kept


def _unquoted(word: str) -> str:
    for ending in ("", '"', "'"):  # a quote may still be open
        with contextlib.suppress(ValueError):
            return "".join(shlex.split(word + ending))
    return word


def _cursor(before: Sequence[str], current: str) -> Cursor:
    """Follow the words to the cursor."""
    level: dict[str, Any] = json.loads(TABLE.read_text(encoding="utf-8"))
    at = Cursor(here=Path.cwd())
    rest = iter(before)
    arguments = 0
    for word in rest:
        option, value = _option(level, word)
        if word == "--" and level.get("program"):
            return at._replace(kind=FILES if next(rest, None) is not None else "program")
        if option and "value" in option:
            value = value or next(rest, "")
            if not value:
                return at._replace(kind=option["value"])
            if "-C" in option["names"].split():
                at = at._replace(here=at.here / value)
            if option["value"] == "target":
                at = at._replace(target=value)
        elif not word.startswith("-") and "commands" in level:
            level = level["commands"].get(word, {})
        elif not word.startswith("-"):
            arguments += 1
    if current.startswith("-"):
        return at._replace(words=tuple(_options(level, before)))
    if "commands" in level:
        rows = level["commands"].items()
        return at._replace(words=tuple((name, row["help"]) for name, row in rows))
    kinds = level.get("arguments", [])
    last = kinds[-1:] if level.get("many") else []
    return at._replace(kind="".join([*kinds[arguments : arguments + 1], *last][:1]))


def _option(level: dict[str, Any], word: str) -> tuple[dict[str, Any] | None, str]:
    """The option that `word` is, and its value if that is attached: `-j4`."""
    for option in level.get("options", ()):
        for name in option["names"].split():
            if word == name:
                return option, ""
            if "value" in option and len(name) == 2 and word.startswith(name):
                return option, word[2:]
    return None, ""


def _options(level: dict[str, Any], before: Sequence[str]) -> Iterator[Word]:
    """The options that were not given yet."""
    for option in level.get("options", ()):
        names = option["names"].split()
        if option.get("many") or not set(before).intersection(names):
            yield from ((name, option["help"]) for name in names)
