"""`buildtool completion SHELL`: completion of commands, options and their values in a shell.

Users wait for the completions at the cursor, so typer is not imported, which would take two thirds
of the time: commands and options come from commands.json.  Nothing but completions is printed.
"""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

from buildtool.cli.commands import read_commands
from buildtool.cli.completion.values import DIRECTORIES, FILES, WORDS, Cursor, Word, values
from buildtool.cli.parameters import Argument
from buildtool.cli.show import flush, write
from buildtool.core.errors import UsageError

SHELLS = Path(__file__).parent / "shells"


def completion(
    shell: Annotated[str, Argument("SHELL", "bash, zsh or fish.")],
) -> None:
    """Print a shell script that completes buildtool's command line.

    For bash, add this line to ~/.bashrc: eval "$(buildtool completion bash)"
    """
    known = sorted(file.suffix.removeprefix(".") for file in SHELLS.glob("buildtool.*"))
    if shell not in known:
        raise UsageError(
            f"there is no completion for {shell!r}",
            why=f"known: {', '.join(known)}",
            remedy="Name one of these shells.",
        )
    write((SHELLS / f"buildtool.{shell}").read_text(encoding="utf-8"))


def complete(arguments: Sequence[str]) -> int:
    """Print the completions at the cursor; always returns 0.

    The arguments, of the hidden command `__complete`, are the shell and the words up to the cursor.
    """
    with contextlib.suppress(Exception):
        shell, *words = arguments
        kind, found = answer(shell, words)
        write("\n".join([kind, *(f"{value}\t{text}" for value, text in found)]) + "\n")
        flush()
    return 0


def answer(shell: str, words: Sequence[str]) -> tuple[str, list[Word]]:
    """The kind of the completions, and for `WORDS` the words.

    `words` follow the program's name; the last one is at the cursor.  Raises the errors of reading
    a project.
    """
    kept = ""
    if shell == "bash":
        words, kept = _joined([_unquoted(word) for word in words])
    before, current, prefix = _split(words)
    cursor = _cursor(before, current)
    if cursor.kind and not cursor.words:
        kind, found = values(cursor)
    else:
        kind, found = WORDS, list(cursor.words)
    fitting = [
        ((prefix + value).removeprefix(kept), text)
        for value, text in found
        if value.startswith(current)
    ]
    if not fitting and cursor.kind == "device|dir":
        kind = DIRECTORIES
    # File names can contain control characters, which a terminal would obey.
    return kind, [row for row in fitting if "".join(row).isprintable()]


def _split(words: Sequence[str]) -> tuple[list[str], str, str]:
    """The words before the cursor with --option=value as two words, the word at the cursor, and
    the prefix that completions of it need (--option=)."""
    before: list[str] = []
    prefix = ""
    for number, word in enumerate(words):
        prefix = ""
        name, sign, value = word.partition("=")
        if "--" in before:
            before.append(word)
        elif word == "=" and before and before[-1].startswith("--"):  # bash splits words at "="
            if number == len(words) - 1:
                before.append("")
        elif sign and name.startswith("--"):
            before += [name, value]
            prefix = f"{name}="
        else:
            before.append(word)
    return before[:-1], before[-1], prefix


def _joined(words: Sequence[str]) -> tuple[list[str], str]:
    """Words that bash has split at ":" as one, and the part of the last one that it keeps."""
    joined: list[str] = []
    for word in words:
        if joined and (word == ":" or joined[-1].endswith(":")):
            joined[-1] += word
        else:
            joined.append(word)
    last = joined[-1]
    return joined, last[: last.rfind(":") + 1] if words[-1:] != joined[-1:] else ""


def _unquoted(word: str) -> str:
    for ending in ("", '"', "'"):  # a quote may still be open
        with contextlib.suppress(ValueError):
            return "".join(shlex.split(word + ending))
    return word


def _cursor(before: Sequence[str], current: str) -> Cursor:
    """Follow the words to the cursor."""
    level = read_commands()
    at = Cursor(word=current, here=Path.cwd())
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
    found = level.get("arguments", [])
    last = [argument for argument in found[-1:] if argument.get("many")]
    chosen = [*found[arguments : arguments + 1], *last][:1]
    return at._replace(kind=chosen[0]["value"] if chosen else "")


def _option(level: dict[str, Any], word: str) -> tuple[dict[str, Any] | None, str]:
    """The option that `word` names, and its value if that is attached (`-j4`)."""
    for option in level.get("options", ()):
        for name in option["names"].split():
            if word == name:
                return option, ""
            if "value" in option and len(name) == 2 and word.startswith(name):
                return option, word[2:]
    return None, ""


def _options(level: dict[str, Any], before: Sequence[str]) -> Iterator[Word]:
    """The options that are not in `before`, or may be repeated."""
    for option in level.get("options", ()):
        names = option["names"].split()
        if option.get("many") or not set(before).intersection(names):
            yield from ((name, option["help"]) for name in names)
