"""What FetchContent and ExternalProject fetched and built for a build tree, when it is configured
again in a new one: an edit of a CMakeLists.txt must not need the network.

It is used again only if the calls of these modules are the same.  What comes from this machine is
fetched again: its content may have changed.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from buildtool.core.files import open_regular
from buildtool.drivers.cmake.tree_files import TRACE, delete_files
from buildtool.drivers.cmake.tree_record import Configuration, TreeRecord
from buildtool.plan.plan import former_tree

_COMMANDS = (
    *("fetchcontent_declare", "fetchcontent_populate", "fetchcontent_makeavailable"),
    *("externalproject_add", "externalproject_add_step"),
)
_CALL = re.compile(rf'"cmd":"(?i:{"|".join(_COMMANDS)})"'.encode())
_WRITES = re.compile(rb'"cmd":"(?i:file|configure_file)"')
_DESTINATIONS = ("DESTINATION", "OUTPUT")  # options of file() before a path that it writes
_TO_SECOND_PATH = ("COPY_FILE", "CREATE_LINK", "DOWNLOAD", "RENAME")
_TO_PATHS = ("APPEND", "MAKE_DIRECTORY", "REMOVE", "REMOVE_RECURSE", "TOUCH", "WRITE")
_SOURCES = ("URL", "GIT_REPOSITORY", "SVN_REPOSITORY", "HG_REPOSITORY", "CVS_REPOSITORY")
_AFTER_FETCHING = ("-configure", "-build", "-install", "-test", "-done")


def carry_fetched(tree: Path, record: TreeRecord) -> bool:
    """Move what FetchContent fetched into the empty `tree` before it is configured; returns
    whether there was something.  `record` is that of the former tree."""
    former = former_tree(tree)
    moved = False
    for name in _remote_contents(former):
        source = f"_deps/{name}-src/"
        if any(n.startswith(source) for n in record.undeclared) or _is_written(former, source):
            continue
        made = {n.removeprefix(f"{tree}/") for n in record.configuration.rule_outputs}
        delete_files(former, [n for n in made if n.startswith(source)])
        for place in _places(name):
            moved |= _move(former / place, tree / place)
    return moved


def same_calls(tree: Path) -> bool:
    """Whether the configured `tree` made the same calls as the former one."""
    return [*_calls(tree)] == [*_calls(former_tree(tree))]


def give_back(tree: Path, former: Path) -> None:
    """Undo `carry_fetched` when CMake failed in `tree`, unless it may have fetched something else
    there."""
    before, now = [*_calls(former)], [*_calls(tree)]
    if before[: len(now)] == now:
        for name in _remote_contents(former):
            for place in _places(name):
                _move(tree / place, former / place)


def carry_external(tree: Path, former: Path, now: Configuration, *, complete: bool) -> None:
    """Move the directories of external projects into the configured `tree`: all of it if
    `complete`, else what was fetched."""
    if not now.external_directories or not same_calls(tree):
        return
    built: set[str] = set() if complete else _built_directories(tree)
    for folder in now.external_directories:
        path = Path(folder)
        if not path.is_relative_to(tree) or path == tree or folder in built:
            continue
        _merge(former / path.relative_to(tree), path, skipped=built, complete=complete)


def _calls(tree: Path) -> Iterator[tuple[str, list[str]]]:
    """The calls of the modules in the trace of `tree`."""
    return _parsed(line for line in _lines(tree) if _CALL.search(line))


def _parsed(lines: Iterable[bytes]) -> Iterator[tuple[str, list[str]]]:
    """The commands of the trace's `lines`, and their arguments."""
    for line in lines:
        with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):
            row = json.loads(line)
            yield str(row["cmd"]).lower(), [*map(str, row["args"])]


def _lines(tree: Path) -> Iterator[bytes]:
    with contextlib.suppress(OSError), open_regular(tree / TRACE) as stream:
        yield from stream


def _remote_contents(tree: Path) -> list[str]:
    """The names of FetchContent's contents in `tree` that are not on this machine."""
    is_local: dict[str, bool] = {}
    for command, arguments in _calls(tree):
        if command in ("fetchcontent_declare", "fetchcontent_populate") and arguments:
            name = arguments[0].lower()
            is_local[name] = is_local.get(name, False) or any(
                option in _SOURCES and (value.startswith(("/", "file:", ".")) or ":" not in value)
                for option, value in itertools.pairwise(arguments)
            )
    return [name for name, local in is_local.items() if not local and "/" not in name]


def _is_written(tree: Path, place: str) -> bool:
    """Whether a command of the project's made CMake write there."""
    word = f"/{place}"
    lines = (line for line in _lines(tree) if word.encode() in line and _WRITES.search(line))
    return any(
        word in path
        for command, arguments in _parsed(line for line in lines if b"/Modules/" not in line)
        for path in _written_paths(command, arguments)
    )


def _written_paths(command: str, arguments: Sequence[str]) -> Iterator[str]:
    """The paths that a call of file() or configure_file() writes to."""
    if command == "configure_file" or arguments[:1] == ["CONFIGURE"]:
        yield from arguments[1:2]
    if arguments and arguments[0] in _TO_SECOND_PATH:
        yield from arguments[2:3]
    if arguments and arguments[0] in _TO_PATHS:
        yield from arguments[1:]
    for option, path in itertools.pairwise(arguments):
        if option in _DESTINATIONS:
            yield path


def _places(name: str) -> tuple[str, ...]:
    return (
        *(f"_deps/{name}-{part}" for part in ("src", "subbuild", "stamp", "tmp")),
        *(f"CMakeFiles/fc-{part}/{name}" for part in ("stamp", "tmp")),
    )


def _move(source: Path, path: Path) -> bool:
    if os.path.lexists(path) or not source.is_dir() or source.is_symlink():
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    source.rename(path)
    return True


def _built_directories(tree: Path) -> set[str]:
    """The directories in which external projects build and install."""
    names = (b'"_EP_BINARY_DIR"', b'"_EP_INSTALL_DIR"')
    lines = (line for line in _lines(tree) if any(name in line for name in names))
    return {os.path.normpath(arguments[-1]) for _, arguments in _parsed(lines)}


def _merge(source: Path, path: Path, *, skipped: set[str], complete: bool) -> None:
    """Move what is in `source` and not in `path`."""
    if not source.is_dir() or source.is_symlink() or path.is_symlink():
        return
    path.mkdir(parents=True, exist_ok=True)
    for entry in [*source.iterdir()]:
        target = path / entry.name
        if str(target) in skipped or (not complete and entry.name.endswith(_AFTER_FETCHING)):
            continue
        if not os.path.lexists(target) and not any(n.startswith(f"{target}/") for n in skipped):
            entry.rename(target)
        elif entry.is_dir():
            _merge(entry, target, skipped=skipped, complete=complete)
