"""The record that a build leaves in its build tree: what it read, and what it made.

Ninja compares time stamps.  It does not notice a source that came with an old time stamp, nor an
output that was changed by hand or that a killed build left incomplete.  So each build records its
inputs and its files; before the next build, `incremental_tree` deletes what is affected, and Ninja
makes it again.

The files that CMake writes into a tree when it configures it shape what is built: generated
headers, the cache, the list of what CMake read.  Neither CMake nor Ninja notices when another
program changed one of them.  So a snapshot of them is recorded, and the tree is deleted when one of
them differs from it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from buildtool.core.files import Stamp, file_digest
from buildtool.core.stored import read_value, write_value
from buildtool.core.value import Value
from buildtool.drivers.cmake.tree_files import stamps
from buildtool.inputs.path_sets import InputSet, PathSet

RECORD_FILE = "buildtool-tree.json"
VERSION = 14
Snapshot = Mapping[str, tuple[Stamp, str]]
"""Files by their paths relative to the tree: stamp and sha256, or the target of a symlink."""
OBJECTS = (".o", ".obj")
"""How the names of what compilers make end."""
Undeclared = Mapping[str, tuple[Stamp, tuple[str, ...]]]
"""Files that no rule declares, by their paths relative to the tree: stamp, and the commands that
may have written them, see `leftovers`."""
_EMPTY: Mapping[str, Any] = {}


class Configuration(Value):
    """The configuration of a tree by CMake; valid until CMake runs again.

    `cmake_inputs` is what CMake read, `rule_inputs` the source files that Ninja's rules name for
    the targets of the step.  `rule_outputs` are the absolute paths of everything that a rule makes,
    `unneeded_outputs` those of them that the targets of the step do not need.  `external_inputs`
    are the files of external projects: which output is made of them is unknown;
    `external_directories`, absolute, are those of them in the tree.  `commands` are the first
    outputs of the rules that the targets need and that run a command of the project's, `appending`
    those of them whose command appends to a file.  `depfiles` are the absolute paths of dependency
    files that are not named after an output.
    """

    cmake_inputs: PathSet = PathSet()
    rule_inputs: PathSet = PathSet()
    rule_outputs: frozenset[str] = frozenset()
    unneeded_outputs: frozenset[str] = frozenset()
    external_inputs: PathSet = PathSet()
    external_directories: tuple[str, ...] = ()
    commands: frozenset[str] = frozenset()
    appending: frozenset[str] = frozenset()
    depfiles: frozenset[str] = frozenset()


class Unreported(Value):
    """What commands read that Ninja does not know: the absolute paths, by output.

    `by_commands` are the files that the commands name, and directories of the tree that they copy,
    which end with `/`, see `scan.command_files`; `by_assemblers` are those of `scan.assembly`.
    `uncertain` are the objects for which the latter are unknown; each build makes them again.
    `is_current`: whether `by_commands` is that of the configuration and of the files that it was
    found in.
    """

    by_commands: Mapping[str, tuple[str, ...]] = _EMPTY
    by_assemblers: Mapping[str, tuple[str, ...]] = _EMPTY
    uncertain: tuple[str, ...] = ()
    is_current: bool = False

    @property
    def files(self) -> frozenset[str]:
        """All files, of all outputs."""
        rows = (*self.by_commands.values(), *self.by_assemblers.values())
        return frozenset(file for files in rows for file in files)

    @property
    def by_options(self) -> bool:
        """Whether options of compilers name some."""
        return any(name.endswith(OBJECTS) for name in self.by_commands)

    def outputs_of(self, file: str) -> Iterator[str]:
        """What is made of `file`."""
        for mapping in (self.by_commands, self.by_assemblers):
            yield from (output for output, files in mapping.items() if file in files)


class TreeRecord(Value):
    """The state of a build tree after a build.

    `base_key`: the tree is deleted when this key changes.
    `build_finished`: false while Ninja runs; `products` are then those from before it started.
    `inputs`: everything that the products were made from.
    `declared_inputs`: the part of it that the project file names, or that external projects read.
    `install_inputs`: the part of it that is only copied by install() rules.
    `products`: the stamps of the files that Ninja made.
    `generated_files`: what CMake wrote, see `generated_files`.
    `file_api_index`: the File API reply that `configuration` was read with.
    `pending_changes`: names of inputs that changed since Ninja last finished, and that Ninja will
    notice itself.
    `misparsed_deps`: objects whose dependency files Ninja misparses, see `scan.compiler_reads`;
    each build makes them again.
    `unreported`: what commands read that no tool reports.
    `undeclared`: the files that commands wrote beside their outputs, see `leftovers`.
    `undeclared_reads`: the content that those of them had of which something was made.
    """

    base_key: str
    build_finished: bool = True
    inputs: InputSet = InputSet(PathSet(), {}, (), {})
    configuration: Configuration = Configuration()
    declared_inputs: PathSet = PathSet()
    install_inputs: PathSet = PathSet()
    products: Mapping[str, Stamp] = _EMPTY
    generated_files: Snapshot = _EMPTY
    file_api_index: str = ""
    pending_changes: tuple[str, ...] = ()
    misparsed_deps: Mapping[str, tuple[str, ...]] = _EMPTY
    unreported: Unreported = Unreported()
    undeclared: Undeclared = _EMPTY
    undeclared_reads: Snapshot = _EMPTY


def read_tree_record(tree: Path) -> TreeRecord | None:
    """The record of `tree`; None when there is none, or none of this version, or a damaged one."""
    return read_value(tree / RECORD_FILE, TreeRecord, VERSION)


def count_compilations(tree: Path) -> int | None:
    """How many objects the targets of a step need, as CMake configured `tree` last; None if it has
    not."""
    from buildtool.drivers.cmake.scan.ninja import read_build_rules  # noqa: PLC0415 - seldom

    if not (record := read_tree_record(tree)):
        return None
    try:
        rules = read_build_rules(tree)
    except OSError:
        return None
    unneeded = record.configuration.unneeded_outputs
    return sum(rule.compiles and unneeded.isdisjoint(rule.outputs) for rule in rules)


def write_tree_record(tree: Path, record: TreeRecord) -> None:
    """Write the record of `tree`."""
    write_value(tree / RECORD_FILE, record, VERSION)


_INSTALL_DIRECTORY = "install.new"
_NOT_BY_CMAKE = (RECORD_FILE, ".ninja_log", ".ninja_deps", _INSTALL_DIRECTORY)


def all_stamps(tree: Path) -> Mapping[str, Stamp]:
    """The stamps of every file in the tree that CMake may have written."""
    names = []
    shift = len(str(tree)) + 1
    for folder, folders, files in os.walk(tree):
        prefix = f"{folder[shift:]}/" if len(folder) > shift else ""
        links = [name for name in folders if os.path.islink(f"{folder}/{name}")]  # noqa: PTH114
        # Git writes to its own directories even for commands that only read.
        skipped = {".git"} if prefix else {".git", _INSTALL_DIRECTORY}
        folders[:] = [name for name in folders if name not in skipped]
        names += [prefix + name for name in (*files, *links) if prefix + name not in _NOT_BY_CMAKE]
    return stamps(tree, names)


def snapshot_after_configure(
    tree: Path, known: Snapshot, started_ns: int, regenerated: Collection[str]
) -> Snapshot:
    """The files in a new tree after a run of CMake that started at `started_ns`.

    `known` is the snapshot of the former tree.  A file with the content that it had there gets its
    mtime, so that Ninja keeps what was made of it, unless it is one of those, `regenerated`, that
    tell Ninja when CMake ran.  A file that CMake copied with an older mtime and other content gets
    the mtime of build.ninja: Ninja would take what was made from the former copy for newer than the
    new copy.
    """
    now = snapshot(tree, list(all_stamps(tree)), known)
    for name, (stamp, content) in now.items():
        if name not in known or str(tree / name) in regenerated:
            continue
        with contextlib.suppress(OSError):
            if content == known[name][1]:
                mtime = known[name][0][2]
            elif stamp[2] < started_ns:
                mtime = (tree / "build.ninja").stat().st_mtime_ns
            else:
                continue
            os.utime(tree / name, ns=(mtime, mtime), follow_symlinks=False)
    return {name: (stamp, now[name][1]) for name, stamp in stamps(tree, now).items()}


def snapshot(tree: Path, names: Collection[str], known: Snapshot) -> Snapshot:
    """The current stamp and content of those of the files `names` that exist; a file whose stamp
    is in `known` is not read again."""
    found: dict[str, tuple[Stamp, str]] = {}
    for name, stamp in stamps(tree, names).items():
        path = tree / name
        try:
            if name in known and known[name][0] == stamp:
                found[name] = known[name]
            elif path.is_symlink():
                found[name] = (stamp, str(path.readlink()))
            else:
                found[name] = (stamp, file_digest(path))
        except OSError:
            continue
    return found


def modified(tree: Path, known: Snapshot) -> set[str]:
    """The files of the snapshot that no longer exist or have another content."""
    now = snapshot(tree, list(known), known)
    return {name for name in known if name not in now or now[name][1] != known[name][1]}
