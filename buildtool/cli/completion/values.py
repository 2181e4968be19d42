"""Completions of the values of arguments and options: targets, devices, archs, programs, ..."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from buildtool.core.value import Value

FILES, DIRECTORIES, WORDS = "files", "directories", "words"
"""The first line of the output: FILES and DIRECTORIES are completed by the shell itself, WORDS
follow, one per line, each with a tab and its description."""
MAX_PROGRAMS = 500
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


def values(cursor: Cursor) -> tuple[str, list[Word]]:
    """The kind of the completions, and the words.  Raises the errors of reading a project."""
    if cursor.kind in (FILES, DIRECTORIES):
        return cursor.kind, []
    source = WORDS_OF.get(cursor.kind)
    if not source:
        return WORDS, []
    if isinstance(source, str):
        module, _, name = source.partition(":")
        found = getattr(importlib.import_module(module), name)
        words = found() if callable(found) else found
    else:
        words = source(cursor)
    return WORDS, [(word, "") for word in words]


def _of_project(tables: str) -> Callable[[Cursor], Iterable[str]]:
    """The names of tables in the project file."""

    def names(cursor: Cursor) -> Iterable[str]:
        from buildtool.project.read import find_project

        found: Mapping[str, object] = getattr(find_project(cursor.here), tables)
        return found

    return names


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


def _compiler_launchers(_: Cursor) -> Iterable[str]:
    from buildtool.drivers.cmake.compiler_launcher import NONE
    from buildtool.sdk.tool_search import COMPILER_LAUNCHERS

    return [*COMPILER_LAUNCHERS, NONE]


def _shells(_: Cursor) -> Iterable[str]:
    return sorted(file.suffix[1:] for file in Path(__file__).with_name("shells").iterdir())


WORDS_OF: Mapping[str, str | Callable[[Cursor], Iterable[str]]] = {
    "arch": "buildtool.project.keys:HEXAGON_ARCHS",
    "bench": _of_project("benches"),
    "type": "buildtool.project.model:BUILD_TYPES",
    "device": _devices,
    "domain": "buildtool.device.facts:DOMAINS",
    "device|dir": _devices,
    "engine": "buildtool.toolchains.distribute:ENGINES",
    "format": "buildtool.project.model:FORMATS",
    "launcher": _compiler_launchers,
    "list": _lists,
    "platform": "buildtool.project.model:PLATFORMS",
    "program": _programs,
    "rule": _rules,
    "run": _of_project("runs"),
    "sdk": "buildtool.sdk.vendor_archives:known_archives",
    "service": "buildtool.cli.start.init_ci:WORKFLOWS",
    "shell": _shells,
    "soc": _socs,
    "sysroot": "buildtool.sdk.sysroot:sysroot_names",
    "target": _of_project("targets"),
    "template": "buildtool.cli.start.init:LAYERS",
    "test": _of_project("tests"),
}
"""By metavar in lower case: `module:name` of words, or of a function that returns them; or what
finds them for a cursor.  A metavar that is not here takes any text."""
