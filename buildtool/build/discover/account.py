"""What compilers read where Ninja does not know it, from the dependency files that they wrote.

Ninja takes `a^b.h` for two paths, and `link/../a.h` for `a.h` wherever the link leads; see
`buildtool.build.depfile`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from buildtool.build.depfile import is_plain, prerequisites
from buildtool.build.discover.spelling import Spellings
from buildtool.build.disk import Disk

# Where a name may end in a dependency file, also in a text of names with zero bytes between them.
_ENDS = re.compile(r"[\t\n]|[\r:](?=\0|\Z)")
Told = Mapping[str, tuple[str, ...]]
"""For each object the files that its compiler read; all absolute."""


def misread(
    told: Told, objects: Iterable[str], depfiles: Mapping[str, str], tree: str
) -> dict[str, tuple[str, ...]]:
    """Of `objects` those of which Ninja, who `told` otherwise, is wrong, and what their compilers
    read; nothing where that cannot be known.

    `depfiles` are the dependency files that are not called as their object, with `.d` behind.
    """
    spellings = Spellings()
    found: dict[str, tuple[str, ...]] = {}
    for name in objects:
        try:
            data = Path(depfiles.get(name, f"{name}.d")).read_bytes()
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


def doubtful(told: Told, disk: Disk) -> dict[str, str]:
    """The objects of which it is not sure what was read: object → one of the files told of, which
    is not there, or may be another one.

    `d/a` is doubtful beside `d/a^b.h`, and `d/a/b.h` beside `d/a\\b.h`.
    """
    files = {file for paths in told.values() for file in paths}
    bad = {file for file in files if not _is_file(file, disk)}
    directories: set[str] = set()
    for file in files:
        directory = file.rpartition("/")[0]
        while directory not in directories:
            directories.add(directory)
            directory = directory.rpartition("/")[0]
    if prefixes := _ambiguous(directories, disk):
        bad |= {file for file in files if f"{file}/".startswith(prefixes)}
    if not bad:
        return {}
    return {name: file for name, paths in told.items() for file in paths if file in bad}


def _is_file(path: str, disk: Disk) -> bool:
    directory, _, name = path.rpartition("/")
    entries = disk.entries(directory or "/")
    return bool(entries and entries.get(name) is False) or (
        disk.exists(path) and not os.path.isdir(path)  # noqa: PTH112
    )


def _ambiguous(directories: Collection[str], disk: Disk) -> tuple[str, ...]:
    """What names in these directories become in a dependency file that does not have them."""
    found = []
    for directory in directories:
        names = disk.entries(directory or "/") or {}
        text = "\0".join(names)
        for name in names if "\\" in text or _ENDS.search(text) else ():
            read = _ENDS.split(name, 1)[0].replace("\\", "/")
            if name[-1] == "\\":  # GCC writes `a\` and `b` as it writes `a b`
                read = "."
            if read and read != name:
                found.append(os.path.normpath(f"{directory}/{read}").rstrip("/") + "/")
    return tuple(found)
