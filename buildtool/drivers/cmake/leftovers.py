"""Files in a build tree that no rule of Ninja declares: what commands of the project write beside
their outputs, such as copies of a directory.

Nobody deletes such a file when its command no longer writes it, and a pattern of `artifacts` or an
install() rule of a directory would ship it.  So each build records these files, and which commands
may have written each: those that ran when it last changed.  A file that stays as it was while one
of its commands runs again may be a leftover: then everything that commands made is made again, in a
new tree; and so if a command that appends to a file runs again.

When Ninja decides what to make again, it does not know that a command is going to change such a
file.  So the content of those that were read is recorded, and Ninja runs again for the outputs that
it kept though a command has changed what they were made of.
"""

from __future__ import annotations

import filecmp
import os
import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from buildtool.core.files import Stamp
from buildtool.core.value import Value
from buildtool.drivers.cmake import tree_record
from buildtool.drivers.cmake.scan.header_names import objects_that_ask_for
from buildtool.drivers.cmake.scan.ninja import FilesByObject
from buildtool.drivers.cmake.tree_files import command_times, is_own
from buildtool.drivers.cmake.tree_record import Configuration, Snapshot, TreeRecord, Undeclared

_CLOCK_NS = 20_000_000
"""How much the times of files may lag behind the clock: more than the kernel's tick."""


class Found(Value):
    """The undeclared files of a tree, and whether one of them may be a leftover.

    `read` are those that outputs were made of.  `outdated` are the outputs, absolute, that Ninja
    kept though commands have changed what they were made of.
    """

    undeclared: Undeclared
    suspicious: bool
    read: Snapshot
    outdated: frozenset[str] = frozenset()


def undeclared_files(
    folder: Path, tree: Path, configuration: Configuration, generated: Snapshot
) -> dict[str, Stamp]:
    """The stamps of the files in `folder` that neither a rule of Ninja nor CMake made.

    `folder` is the build tree, or where the one that was at `tree` is now.  What lies in the
    directories of external projects does not count: the whole tree is deleted when they change.
    """
    prefix = f"{tree}/"
    declared = {
        name.removeprefix(prefix) for name in configuration.rule_outputs | configuration.depfiles
    }
    external = tuple(f"{name}/".removeprefix(prefix) for name in configuration.external_directories)
    return {
        name: stamp
        for name, stamp in tree_record.all_stamps(folder).items()
        if name not in declared
        and name not in generated
        and name.removesuffix(".d") not in declared
        and not is_own(name)
        and not name.startswith(external)
    }


def find_leftovers(
    tree: Path,
    record: TreeRecord,
    earlier_lines: frozenset[str],
    started_ns: int,
    reads: Sequence[FilesByObject],
    *,
    is_new: bool,
    mixed: bool,
) -> Found:
    """The undeclared files of `tree` after a run of Ninja that began at `started_ns`, when its log
    had `earlier_lines`.

    `record` is that of before; `is_new`: the tree has just been configured.  With `mixed`, Ninja's
    times do not start at `started_ns`.  `reads` are what compilers and other commands read, by
    output; the first of them is that of compilers.
    """
    configuration = record.configuration
    if not configuration.commands:
        return Found({}, suspicious=False, read={})
    times = command_times(tree, earlier_lines)
    ended_ns = time.time_ns()
    last = max((end for _, end in times.values()), default=0)
    # Ninja's clock started after `started_ns`, and its last command ended before `ended_ns`.
    windows = {
        name: (started_ns + start - _CLOCK_NS, ended_ns - last + end)
        for name, (start, end) in times.items()
    }
    # Windows of commands that ran at once overlap: each of them may have written a file then, and
    # all count as its owners.  Too many owners cost a build in a new tree; too few ship leftovers.
    ran = {name: windows[name] for name in windows.keys() & configuration.commands}
    if not ran:
        same = Found(record.undeclared, suspicious=False, read={})
        return _with_readers(tree, record, same, reads, times)
    found: dict[str, tuple[Stamp, tuple[str, ...]]] = {}
    unchanged: dict[str, tuple[str, ...]] = {}
    written_by: set[str] = set()
    for name, stamp in undeclared_files(tree, tree, configuration, record.generated_files).items():
        known = record.undeclared.get(name)
        if known and known[0] == stamp:
            found[name], unchanged[name] = known, known[1]
            continue
        owners = [o for o, window in ran.items() if mixed or _is_in(window, stamp)]
        if not owners and not any(_is_in(window, stamp) for window in windows.values()):
            owners = [*configuration.commands]  # it is not known when they ran
        found[name] = stamp, tuple(sorted(owners))
        written_by.update(owners)
    # A target that always runs may write only what has changed.
    external = tuple(f"{folder}/" for folder in configuration.external_directories)
    suspects = {
        name
        for name in ran
        if (name in written_by or os.path.lexists(name)) and not name.startswith(external)
    }
    copies = {os.path.basename(output): output for output in configuration.rule_outputs}  # noqa: PTH119
    suspicious = any(
        not suspects.isdisjoint(owners) and not _is_copy(tree / name, copies)
        for name, owners in unchanged.items()
    )
    appended = not configuration.appending.isdisjoint(ran)
    possible = Found(found, not is_new and (suspicious or appended), read={})
    return _with_readers(tree, record, possible, reads, times)


def _with_readers(
    tree: Path,
    record: TreeRecord,
    found: Found,
    reads: Sequence[FilesByObject],
    made: Collection[str],
) -> Found:
    """`found` with its `read` and `outdated`; `made` are the outputs of the run of Ninja."""
    known, inside, real = record.undeclared_reads, f"{tree}/", os.path.realpath(tree)
    changed, appeared = set[str](), set[str]()
    if found.undeclared is not record.undeclared:  # a command ran
        changed = tree_record.modified(tree, {**record.generated_files, **known})
        appeared = found.undeclared.keys() - record.undeclared.keys()
    others = {*changed, *appeared, *(name.removeprefix(inside) for name in made)}
    named, read = set[str](), set[str]()
    for file in set[str]().union(*(files for each in reads for files in each.values())):
        if not file.startswith(inside):
            continue
        is_changed = False
        if file.endswith("/"):
            folder = file.removeprefix(inside)
            read |= {name for name in found.undeclared if name.startswith(folder)}
            is_changed = any(name.startswith(folder) for name in others)
        elif found.undeclared or changed:
            names = {os.path.relpath(file, tree), os.path.relpath(os.path.realpath(file), real)}
            read |= found.undeclared.keys() & names
            is_changed = not changed.isdisjoint(names)
        if is_changed:
            named.add(file)
    kept = [{name: files for name, files in each.items() if name not in made} for each in reads]
    outdated = objects_that_ask_for(appeared, kept[0]) if appeared else set()
    for each in kept if named else ():
        outdated |= {name for name, files in each.items() if not named.isdisjoint(files)}
    return found._replace(
        read=tree_record.snapshot(tree, read, known),
        outdated=frozenset(filter(os.path.lexists, outdated & record.configuration.rule_outputs)),
    )


def _is_in(window: tuple[int, int], stamp: Stamp) -> bool:
    """Whether the file's last change was in the window of time."""
    return window[0] <= stamp[3] <= window[1]


def _is_copy(path: Path, outputs: Mapping[str, str]) -> bool:
    """Whether `path` is a copy of an output of the same name, as commands after links make them:
    the one that belongs to it need not have run now."""
    output = outputs.get(path.name)
    try:
        return output is not None and filecmp.cmp(output, path, shallow=False)
    except OSError:
        return False
