"""Completions at the cursor of a command line, for the scripts of `buildtool completion`.

Users wait for them, so typer is not imported, which would take two thirds of the time: commands
and options come from commands.json.  It never fails, and prints nothing but completions.
"""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from buildtool.cli.commands import read_commands
from buildtool.cli.show import flush, write
from buildtool.core.value import Value

COMMAND = "__complete"
"""The hidden command: its arguments are the shell and the words up to the cursor."""
FILES, DIRECTORIES, WORDS = "files", "directories", "words"
"""The first line of the output: FILES and DIRECTORIES are completed by the shell itself, WORDS
follow, one per line, each with a tab and its description."""

Word = tuple[str, str]  # and its description


class Cursor(Value):
    """The possible completions at the cursor: a value of the type `kind`, or one of `words`.

    `word` is the word there, up to the cursor; `here` is the directory in which the command would
    run, `target` the value of --target.
    """

    kind: str = ""
    words: tuple[Word, ...] = ()
    word: str = ""
    here: Path = Path()
    target: str = ""


def complete(arguments: Sequence[str]) -> int:
    """Print the completions at the cursor; always returns 0."""
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


MAX_PROGRAMS = 500


def values(cursor: Cursor) -> tuple[str, list[Word]]:
    """The kind of the completions, and the words.  Raises the errors of reading a project."""
    if cursor.kind in (FILES, DIRECTORIES):
        return cursor.kind, []
    words_of = WORDS_OF.get(cursor.kind)
    return WORDS, [(value, "") for value in words_of(cursor)] if words_of else []


def _targets(cursor: Cursor) -> Iterable[str]:
    from buildtool.project.read import find_project

    return find_project(cursor.here).targets


def _runs(cursor: Cursor) -> Iterable[str]:
    from buildtool.project.read import find_project

    return find_project(cursor.here).runs


def _benches(cursor: Cursor) -> Iterable[str]:
    from buildtool.project.read import find_project

    return find_project(cursor.here).benches


def _tests(cursor: Cursor) -> Iterable[str]:
    from buildtool.project.read import find_project

    return find_project(cursor.here).tests


def _rules(_: Cursor) -> Iterable[str]:
    from buildtool.lint.check import RULES

    return [rule.name for rule in RULES]


def _programs(cursor: Cursor) -> Iterable[str]:
    """The programs in the release, relative to it."""
    from buildtool.project.read import find_project

    project = find_project(cursor.here)
    root = project.state / "release" / (cursor.target or project.header.default_target)
    found = []
    for folder, folders, files in os.walk(root):
        above = Path(folder).relative_to(root)
        if not above.parts:
            folders[:] = sorted({*folders} - {"dsp", "lib"})
            continue  # the only file there is run.sh
        folders.sort()
        found += [
            str(above / name) for name in sorted(files) if os.access(f"{folder}/{name}", os.X_OK)
        ]
        if len(found) > MAX_PROGRAMS:
            break
    return found[:MAX_PROGRAMS]


def _archs(_: Cursor) -> Iterable[str]:
    from buildtool.project.keys import HEXAGON_ARCHS

    return HEXAGON_ARCHS


def _devices(cursor: Cursor) -> Iterable[str]:
    from buildtool.device.configuration import configured_devices
    from buildtool.project.model import BUILT_IN_TARGET
    from buildtool.project.read import find_optional_project

    return [BUILT_IN_TARGET, *configured_devices(find_optional_project(cursor.here))]


def _lists(cursor: Cursor) -> Iterable[str]:
    """The values of --on: what comes before the last comma, with each of what may follow."""
    from buildtool.device.configuration import configured_devices
    from buildtool.project.model import BUILT_IN_TARGET
    from buildtool.project.read import find_optional_project

    devices = configured_devices(find_optional_project(cursor.here))
    tags = dict.fromkeys(tag for device in devices.values() for tag in device.tags)
    names = [BUILT_IN_TARGET, *devices]
    for kind, rest in (("tag:", tags), ("all:", tags), (f"{BUILT_IN_TARGET}:", _socs(cursor))):
        names += [kind + word for word in rest]
    before, comma, _ = cursor.word.rpartition(",")
    listed = before.split(",")
    return [before + comma + name for name in names if name not in listed]


def _socs(_: Cursor) -> Iterable[str]:
    from buildtool.device.emulated.socs import known_socs, names_by_arch

    return [*known_socs(), *names_by_arch()]


def _build_types(_: Cursor) -> Iterable[str]:
    from buildtool.project.model import BUILD_TYPES

    return BUILD_TYPES


def _compiler_launchers(_: Cursor) -> Iterable[str]:
    from buildtool.drivers.cmake.compiler_launcher import NONE
    from buildtool.sdk.tool_search import COMPILER_LAUNCHERS

    return [*COMPILER_LAUNCHERS, NONE]


def _engines(_: Cursor) -> Iterable[str]:
    from buildtool.toolchains.distribute import ENGINES

    return ENGINES


def _formats(_: Cursor) -> Iterable[str]:
    from buildtool.project.model import FORMATS

    return FORMATS


def _services(_: Cursor) -> Iterable[str]:
    from buildtool.cli.start.init_ci import WORKFLOWS

    return WORKFLOWS


def _platforms(_: Cursor) -> Iterable[str]:
    from buildtool.project.model import PLATFORMS

    return PLATFORMS


def _sysroots(_: Cursor) -> Iterable[str]:
    from buildtool.sdk.sysroot import sysroot_names

    return sysroot_names()


def _sdks(_: Cursor) -> Iterable[str]:
    from buildtool.sdk.vendor_archives import known_archives

    return known_archives()


def _templates(_: Cursor) -> Iterable[str]:
    from buildtool.cli.start.init import LAYERS

    return LAYERS


def _shells(_: Cursor) -> Iterable[str]:
    return sorted(file.suffix[1:] for file in Path(__file__).with_name("shells").iterdir())


WORDS_OF: Mapping[str, Callable[[Cursor], Iterable[str]]] = {
    "arch": _archs,
    "bench": _benches,
    "type": _build_types,
    "device": _devices,
    "device|dir": _devices,
    "engine": _engines,
    "format": _formats,
    "launcher": _compiler_launchers,
    "list": _lists,
    "platform": _platforms,
    "program": _programs,
    "rule": _rules,
    "run": _runs,
    "sdk": _sdks,
    "service": _services,
    "shell": _shells,
    "soc": _socs,
    "sysroot": _sysroots,
    "target": _targets,
    "template": _templates,
    "test": _tests,
}
"""By metavar in lower case; a metavar that is not here takes any text."""
