"""The files of a build tree: the names of this tool's own, stamps, deletion, Ninja's log, times.

Ninja's log has the commands that succeeded.  Source: Ninja's build_log.cc.  A line holds start,
end, mtime in ns, output and digest of the command, separated by tabs; the output may contain tabs.

A file that CMake reads may be newer than what it wrote, though it has read its content.  Ninja
would run CMake for it again: in every build, forever, if the file is from the future.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import time
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.core.errors import BuildtoolError
from buildtool.core.files import Stamp, read_regular, stamp_of
from buildtool.core.trees import remove_tree
from buildtool.inputs.path_sets import PathSet
from buildtool.inputs.roots import Roots

if TYPE_CHECKING:
    from buildtool.drivers.cmake.scan.ninja import NinjaQuery

FINGERPRINT = "configured.json"
"""The fingerprint of the last configuration; CMake runs again when this file is missing."""
TRACE, INSTALL_TRACE = "configure.trace.json", "install.trace.json"
"""The traces of CMake and of its install script."""
TOOLCHAIN = "toolchain.cmake"
"""The CMake toolchain file of the profile."""
TRY_RUN_RESULTS = "TryRunResults.cmake"
"""CMake creates it when it asks for the results of programs that only a device can run."""
STL_FOLDER = "buildtool_stl"
"""Where cmake/shared_stl.cmake makes the shared C++ library."""
BUILT = "built.json"
"""The digest of the build that the tree is in the state of (`RecordedBuild.build_digest`); missing
when that is not known."""

GLOBS = "CMakeFiles/VerifyGlobs.cmake"
"""The script with which Ninja decides to run CMake because of a glob."""
_OWN_NAMES = frozenset(
    {
        *(FINGERPRINT, TRACE, INSTALL_TRACE, TOOLCHAIN, TRY_RUN_RESULTS, BUILT),
        *("buildtool-tree.json", "runpaths.cmake", "install_manifest.txt", "CMakeCache.txt"),
        *(".ninja_log", ".ninja_deps", ".ninja_lock"),
    }
)
_OWN_DIRECTORIES = (
    *("CMakeFiles/", ".cmake/", "Testing/"),
    *("install.new/", "artifacts.new/", "destdir.new/"),
)


def is_own(name: str) -> bool:
    """Whether the file `name` of a tree is one that this tool, CMake, Ninja or CTest keeps there
    for itself."""
    return name in _OWN_NAMES or name.startswith(_OWN_DIRECTORIES)


def stamps(tree: Path, names: Iterable[str]) -> dict[str, Stamp]:
    """The stamps of those of `names`, relative to `tree`, that are files or links."""
    found = {}
    for name in names:
        try:
            status = os.lstat(tree / name)
        except (OSError, ValueError):
            continue
        if not stat.S_ISDIR(status.st_mode):
            found[name] = stamp_of(status)
    return found


def delete_files(tree: Path, names: Iterable[str]) -> bool:
    """Delete the files and symlinks `names`, relative to `tree`.

    Never deletes anything outside of the tree: returns false when one of the files lies there.
    """
    all_inside = True
    for name in names:
        path = tree / name
        if path.is_symlink() or path.is_file():
            if _is_inside(path, tree):
                path.unlink()
            else:
                all_inside = False
    return all_inside


def delete(path: Path) -> None:
    """Delete a file, a symlink or a directory, if it exists."""
    if path.is_dir() and not path.is_symlink():
        # Rename the directory first: an interrupted deletion must not leave half of it in place.
        trash = path.with_name(f".{path.name}.gone")
        remove_tree(trash)
        path.rename(trash)
        remove_tree(trash)
    else:
        remove_tree(path)


def _is_inside(path: Path, tree: Path) -> bool:
    """Whether `path` lies in `tree`, also after symlinks are resolved."""
    if not Path(os.path.normpath(path)).is_relative_to(tree):
        return False
    return Path(os.path.realpath(path.parent)).is_relative_to(os.path.realpath(tree))


def read_log_lines(tree: Path) -> frozenset[str]:
    """The lines of Ninja's log in `tree`."""
    try:
        data = read_regular(tree / ".ninja_log")
    except OSError:
        return frozenset()
    # Not `splitlines`: the other characters that it splits at may be part of a name.
    return frozenset(data.decode(errors="surrogateescape").split("\n"))


def finished_outputs(tree: Path, earlier_lines: Collection[str]) -> set[str]:
    """The outputs, absolute, of the commands that succeeded since the log had `earlier_lines`."""
    return {name for name, _ in _rows(tree, read_log_lines(tree) - set(earlier_lines))}


def command_times(tree: Path, earlier_lines: Collection[str]) -> dict[str, tuple[int, int]]:
    """For each output, absolute, of the commands that succeeded since the log had `earlier_lines`:
    when its command started and ended, in ns since Ninja started."""
    found: dict[str, tuple[int, int]] = {}
    for name, line in _rows(tree, read_log_lines(tree) - set(earlier_lines)):
        with contextlib.suppress(ValueError):
            start, end = (int(text) * 1_000_000 for text in line.split("\t")[:2])
            known = found.get(name, (start, end))
            found[name] = min(start, known[0]), max(end, known[1])
    return found


def keep_outputs(log: Path, tree: Path, outputs: Collection[str]) -> None:
    """Remove from the file `log` what Ninja knows of others than the absolute `outputs` of
    `tree`: to Ninja, their commands then have never run."""
    lines = read_regular(log).decode(errors="surrogateescape").split("\n")
    kept = [line for line in lines if line.startswith("#")]
    kept += [line for name, line in _rows(tree, lines) if name in outputs]
    log.write_bytes("".join(f"{line}\n" for line in kept).encode(errors="surrogateescape"))


def _rows(tree: Path, lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The absolute output of each of the log's `lines`, and the line."""
    for line in lines:
        row = line.split("\t", 3)
        if len(row) == 4 and (name := row[3].rpartition("\t")[0]):
            yield (name if name.startswith("/") else f"{tree}/{name}"), line


def newest_output_mtime(tree: Path) -> int:
    """The newest mtime in Ninja's log, in ns: every rule takes a file with a later mtime for
    changed.  A log that cannot be parsed counts as newer than everything."""
    mtimes = [line.split("\t")[2:3] for line in read_log_lines(tree) if "\t" in line]
    try:
        return max((int(mtime) for row in mtimes for mtime in row), default=0)
    except ValueError:
        return sys.maxsize


class FutureFileError(BuildtoolError):
    """A file has a time stamp in the future where the build depends on time stamps."""

    code = "future-file"


def any_newer(tree: Path, paths: PathSet, roots: Roots) -> bool:
    """Whether one of the files is newer than the build.ninja of `tree`."""
    configured = _mtime(f"{tree}/build.ninja")
    return any(_mtime(roots.path_of(name)) > configured for name in paths.files)


def mark_configured(
    ninja: NinjaQuery, rule_outputs: frozenset[str], *, has_run: bool = True
) -> None:
    """Make what CMake wrote into a configured tree as new as the newest file that CMake read.

    Ninja then does not run CMake again; whether CMake has to run is decided by content.  If CMake
    `has_run` just now, only a file from the future counts: another one may have changed since.
    Where CMake also reads some of `rule_outputs`, Ninja has to decide it: raises `FutureFileError`
    if a file is from the future there.  Raises also `ToolError`.
    """
    outputs, inputs = ninja.regeneration()
    newest = max(inputs, key=_mtime, default="")
    mtime = _mtime(newest)
    now = time.time_ns()
    if mtime <= (now if has_run else min(_mtime(f"{ninja.tree}/{name}") for name in outputs)):
        return
    if not rule_outputs.isdisjoint(inputs):
        if mtime <= now:
            return
        import shlex  # noqa: PLC0415 - an up-to-date build imports this module

        date = time.strftime("%Y-%m-%d %H:%M", time.localtime(mtime // 10**9))
        raise FutureFileError(
            f"{newest} is from the future: its time stamp is {date}",
            why="CMake reads it together with files that this build makes, and Ninja compares their"
            " time stamps to decide whether to run CMake",
            remedy=f"Set its time stamp to the present: touch {shlex.quote(newest)}",
        )
    for name in outputs:
        with contextlib.suppress(FileNotFoundError):
            os.utime(ninja.tree / name, ns=(mtime, mtime))
    ninja.restat(outputs)


def _mtime(path: str) -> int:
    """The mtime in ns; 0 for a file that does not exist."""
    try:
        return os.stat(path).st_mtime_ns  # noqa: PTH116 - as `FileStates`: many files
    except (OSError, ValueError):
        return 0
