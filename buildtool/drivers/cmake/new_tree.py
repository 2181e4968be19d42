"""Configure again: in a new, empty build tree at the path of the one that was there.

What CMake wrote before, and what rules made that no longer exist, then does not ship.  The former
tree is set aside first.  When CMake has succeeded, those of its products move into the new tree
that a rule there declares; Ninja compares the commands with those in its log, and makes the others
again.

The former tree has a record until products leave it.  So a build that finds one with a record
continues with it, as if CMake had not run, and deletes one without a record.

What FetchContent and ExternalProject fetched and built is carried over: an edit of a CMakeLists.txt
must not need the network.  It is used again only if the calls of these modules are the same.  What
comes from this machine is fetched again: its content may have changed.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.files import open_regular
from buildtool.drivers.cmake.leftovers import undeclared_files
from buildtool.drivers.cmake.scan.header_names import objects_that_ask_for, read_source
from buildtool.drivers.cmake.scan.ninja import REGENERATION, BuildRule
from buildtool.drivers.cmake.tree_files import (
    FINGERPRINT,
    TRACE,
    delete,
    delete_files,
    is_own,
    keep_outputs,
)
from buildtool.drivers.cmake.tree_record import (
    RECORD_FILE,
    Configuration,
    Snapshot,
    TreeRecord,
    read_tree_record,
)
from buildtool.plan.plan import former_tree

if TYPE_CHECKING:
    from buildtool.drivers.cmake.incremental_tree import IncrementalTree


def recover(tree: Path) -> None:
    """Put the former tree back if `tree` was not configured completely since."""
    former = former_tree(tree)
    if not os.path.lexists(former):
        return
    if read_tree_record(former) is None:
        delete(former)
        return
    give_back(tree, former)
    delete(tree)
    former.rename(tree)


def set_aside(tree: Path) -> None:
    """Make `tree` an empty directory; until `carry_over`, `recover` takes that back."""
    (tree / FINGERPRINT).unlink(missing_ok=True)  # CMake has to run in any case
    tree.rename(former_tree(tree))
    tree.mkdir()


def carry_over(
    step_tree: IncrementalTree,
    record: TreeRecord,
    now: Configuration,
    generated: Snapshot,
    rules: Sequence[BuildRule],
) -> None:
    """Move the products that are the same in the configured tree there from the former tree, if
    there is one, and delete the others.

    `record` is that of the former tree, `now` the configuration and the `rules` of the new
    one, and `generated` the files that CMake wrote there.
    """
    tree = step_tree.path
    former = former_tree(tree)
    if not (former / "build.ninja").is_file():  # CMake never succeeded there
        delete(former)
        return
    delete(former / RECORD_FILE)
    undeclared = undeclared_files(former, tree, record.configuration, record.generated_files)
    carry_external(tree, former, now, complete=not undeclared)
    read_by_cmake = {n for rule in rules if rule.rule == REGENERATION for n in rule.inputs}
    before, written = _written(record.generated_files), _written(generated)
    candidates = {
        name
        for rule in rules
        if _is_kept(rule, is_clean=not undeclared, same_files=before == written)
        for name in rule.outputs
    }
    candidates -= now.unneeded_outputs | read_by_cmake
    outputs = record.configuration.rule_outputs ^ now.rule_outputs
    if others := {*undeclared, *(before.keys() ^ written.keys()), *outputs}:
        candidates -= _objects_that_ask_for(others, step_tree, former)
    known = {name if name.startswith("/") else f"{tree}/{name}" for name in record.products}
    kept = {name for name in candidates & known if _move(Path(name), tree, former)}
    external = tuple(f"{folder}/" for folder in now.external_directories)
    kept |= {n for n in now.rule_outputs & known if n.startswith(external) and os.path.lexists(n)}
    _move_companions((n for rule in rules if rule.compiles for n in rule.outputs), tree, former)
    with contextlib.suppress(OSError):
        keep_outputs(former / ".ninja_log", tree, kept)
        for name in (".ninja_log", ".ninja_deps"):
            (former / name).rename(tree / name)
    delete(former)


def regenerated(rules: Iterable[BuildRule]) -> set[str]:
    """The files, absolute, whose time stamps tell Ninja when CMake ran."""
    return {name for rule in rules if rule.rule == REGENERATION for name in rule.outputs}


def _is_kept(rule: BuildRule, *, is_clean: bool, same_files: bool) -> bool:
    """Whether what the rule made may be as a new build makes it, as far as Ninja does not see it.

    Something that nobody declares comes with a custom command or a link, which are then repeated.
    A custom command may read without saying so what CMake writes.
    """
    return rule.compiles or (is_clean and not rule.appends and (same_files or not rule.is_custom))


def _written(generated: Snapshot) -> dict[str, str]:
    """The content of the files that the project itself made CMake write."""
    skipped = ("build.ninja", "cmake_install.cmake", "CTestTestfile.cmake", "compile_commands.json")
    return {
        name: content
        for name, (_, content) in generated.items()
        if not is_own(name) and os.path.basename(name) not in skipped  # noqa: PTH119
    }


def _objects_that_ask_for(
    paths: Collection[str], step_tree: IncrementalTree, former: Path
) -> set[str]:
    """The objects that were compiled in the former tree, see `objects_that_ask_for`."""
    inside, moved = f"{step_tree.path}/", f"{former}/"
    headers = step_tree.ninja._replace(tree=former).headers()
    found = objects_that_ask_for(
        paths, headers, lambda file: read_source(file.replace(inside, moved, 1))
    )
    return {name.replace(moved, inside, 1) for name in found}


def _move(path: Path, tree: Path, former: Path) -> bool:
    """Move a product from the former tree; returns whether it exists now.

    A file that CMake wrote in its place stays, and so do files outside of the tree.
    """
    if not path.is_relative_to(tree):
        return os.path.lexists(path)
    source = former / path.relative_to(tree)
    if os.path.lexists(path) or not (source.is_symlink() or source.is_file()):
        return False
    real = os.path.realpath(former)
    if not f"{os.path.realpath(source.parent)}/".startswith(f"{real}/"):
        return False
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        source.rename(path)
        return True
    return False


def _move_companions(objects: Iterable[str], tree: Path, former: Path) -> None:
    """Move what compilers wrote beside `objects` that have moved, such as `a.c.dwo` and `a.c.gcno`
    of `a.c.o`."""
    stems: dict[Path, set[str]] = {}
    for name in objects:
        path = Path(name)
        if path.suffix in (".o", ".obj") and path.is_relative_to(tree) and path.is_file():
            stems.setdefault(path.parent, set()).add(path.stem)
    for folder, names in stems.items():
        source = former / folder.relative_to(tree)
        for path in source.iterdir() if source.is_dir() else ():
            if _has_stem(path.name, names):
                _move(folder / path.name, tree, former)


def _has_stem(name: str, stems: Collection[str]) -> bool:
    parts = name.split(".")
    return any(".".join(parts[:count]) in stems for count in range(1, len(parts)))


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
            moved |= _move_content(former / place, tree / place)
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
                _move_content(tree / place, former / place)


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


def _move_content(source: Path, path: Path) -> bool:
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
