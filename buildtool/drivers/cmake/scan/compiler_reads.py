"""What compilers read where Ninja does not know it, from the dependency files that they wrote.

Ninja takes `a^b.h` for two paths, and `link/../a.h` for `a.h` wherever the link leads; see
`buildtool.drivers.cmake.scan.depfile`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from buildtool.core.files import read_regular
from buildtool.core.value import Value
from buildtool.drivers.cmake.scan.depfile import is_plain, prerequisites
from buildtool.drivers.cmake.scan.spelling import Spellings
from buildtool.inputs.file_states import FileStates

# Where a name may end in a dependency file, also in a text of names with zero bytes between them.
_ENDS = re.compile(r"[\t\n]|[\r:](?=\0|\Z)")
FilesByObject = Mapping[str, tuple[str, ...]]
"""For each object the files that its compiler read; all absolute."""


class CompilerReads(Value):
    """What was read, as far as that is certain: `told` by object.  `misread` are the objects of
    which Ninja does not know it, with what was read, or with nothing where that is not certain: for
    these, `doubtful` has a file that may not be the one that was read, or the object."""

    told: FilesByObject
    misread: FilesByObject
    doubtful: tuple[str, ...]


def certain_reads(
    told: FilesByObject, misread: FilesByObject, file_states: FileStates
) -> CompilerReads:
    """What was read for some objects, by what Ninja `told` of them, and `misread`."""
    told = {name: misread.get(name) or files for name, files in told.items()}
    bad = doubtful({file for files in told.values() for file in files}, file_states)
    unknown = {name: name for name in told if misread.get(name) == ()}
    for name, files in told.items() if bad else ():
        found = next((file for file in files if file in bad), "")
        unknown |= {name: found} if found and name not in unknown else {}
    for name in unknown:
        told[name] = tuple(file for file in told[name] if file not in bad)
    return CompilerReads(
        told,
        {**misread, **dict.fromkeys(unknown, ())},
        tuple(dict.fromkeys(unknown.values())),
    )


def misread(
    told: FilesByObject, objects: Iterable[str], depfiles: Mapping[str, str], tree: str
) -> dict[str, tuple[str, ...]]:
    """Of `objects` those of which Ninja `told` something wrong, and what their compilers read;
    nothing where that is not certain.

    `depfiles` are the dependency files that are not called as their object, with `.d` behind.
    """
    spellings = Spellings()
    found: dict[str, tuple[str, ...]] = {}
    for name in objects:
        try:
            data = read_regular(Path(depfiles.get(name, f"{name}.d")))
        except OSError:
            found[name] = ()
            continue
        plain = is_plain(data)
        if plain and b"/.." not in data:
            continue
        paths = [os.path.join(tree, path) for path in prerequisites(data) or ()]  # noqa: PTH118
        files = tuple(spellings.tidy(path) for path in paths)
        lexical = [os.path.normpath(path) for path in paths]
        if list(files) != lexical or not (plain or _same(lexical, told[name])):
            found[name] = files
    return found


def _same(paths: Sequence[str], told: Sequence[str]) -> bool:
    return bool(paths) and {*paths} == {os.path.normpath(path) for path in told}


def doubtful(files: Collection[str], file_states: FileStates) -> set[str]:
    """Those of `files` that are not there, or may stand for other ones in a dependency file.

    `d/a` is doubtful beside `d/a\tb.h`, and `d/a/b.h` beside `d/a\\b.h`.
    """
    bad = {file for file in files if not _is_file(file, file_states)}
    directories: set[str] = set()
    for file in files:
        directory = file.rpartition("/")[0]
        while directory not in directories:
            directories.add(directory)
            directory = directory.rpartition("/")[0]
    if prefixes := _ambiguous(directories, file_states):
        bad |= {file for file in files if f"{file}/".startswith(prefixes)}
    return bad


def _is_file(path: str, file_states: FileStates) -> bool:
    directory, _, name = path.rpartition("/")
    entries = file_states.entries(directory or "/")
    return bool(entries and entries.get(name) is False) or (
        file_states.exists(path) and not os.path.isdir(path)  # noqa: PTH112
    )


def _ambiguous(directories: Collection[str], file_states: FileStates) -> tuple[str, ...]:
    """What names in these directories become in a dependency file that does not have them."""
    found = []
    for directory in directories:
        names = file_states.entries(directory or "/") or {}
        text = "\0".join(names)
        for name in names if "\\" in text or _ENDS.search(text) else ():
            read = _ENDS.split(name, 1)[0].replace("\\", "/")
            if name[-1] == "\\":  # GCC writes `a\` and `b` as it writes `a b`
                read = "."
            if read and read != name:
                found.append(os.path.normpath(f"{directory}/{read}").rstrip("/") + "/")
    return tuple(found)
