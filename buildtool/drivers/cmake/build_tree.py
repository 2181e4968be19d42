"""A build tree between two builds: what it was made from, and what lies in it.

Ninja believes in time stamps: it does not see a file that came with an old one, nor that somebody,
or a build that was killed, left half a file behind.  So it is noted what a build read and what it
left; before the next one, whatever is not as noted is taken away, and Ninja makes it anew.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from buildtool.core.checksummed_json import read_checksummed, write_checksummed
from buildtool.core.file_stamp import Stamp, stamp_of
from buildtool.core.trees import remove_tree
from buildtool.core.value import Value
from buildtool.inputs.path_sets import InputsError, InputSet, PathSet

NOTE = "buildtool-tree.json"
VERSION = 7
Snapshot = Mapping[str, tuple[Stamp, str]]
"""Files by their names in the tree: stamp and sha256, or of a link what it leads to."""
NO_INPUTS = InputSet(PathSet(), {}, (), {})
NO_FILES: Mapping[str, Any] = {}


class Configuration(Value):
    """A configured tree: what CMake looked at, the files that the rules for the step's targets
    name, what rules make, and what of that these targets do not need.  The last two are absolute
    paths.  True until CMake runs again, or other targets are built."""

    read: PathSet = PathSet()
    rules: PathSet = PathSet()
    made: frozenset[str] = frozenset()
    spare: frozenset[str] = frozenset()


class TreeNote(Value):
    """What a build left behind.

    `base_key` names what no part of the tree may outlive; `inputs` is what the products were made
    from, `declared` the part of it of which no tool told, `install` the part that is only copied,
    `news` the names of what changed since: Ninja has not seen it yet, but will.  `products` are the
    files that Ninja made: all of them, or those from before it began where it is not `known` how it
    ended.  `generated` is what CMake wrote (see `generated_files`), `deps` the size and sha256 of
    what Ninja knew of headers, `answer` the one of CMake's that `configured` belongs to.  `misread`
    are the objects of which Ninja does not know from what they were made (see `scan`): they are
    made anew by each build.
    """

    base_key: str
    known: bool = True
    inputs: InputSet = NO_INPUTS
    configured: Configuration = Configuration()
    declared: PathSet = PathSet()
    install: PathSet = PathSet()
    products: Mapping[str, Stamp] = NO_FILES
    generated: Snapshot = NO_FILES
    deps: tuple[int, str] = (0, "")
    answer: str = ""
    news: tuple[str, ...] = ()
    misread: Mapping[str, tuple[str, ...]] = NO_FILES


def read_note(tree: Path) -> TreeNote | None:
    """The note of the tree; None when there is none that can be read."""
    try:
        said = read_checksummed(tree / NOTE)
        if said["version"] != VERSION:
            return None
        return TreeNote(
            str(said["base_key"]),
            said["known"] is True,
            InputSet.from_json(said["inputs"]),
            Configuration(
                PathSet.from_json(said["read"]),
                PathSet.from_json(said["rules"]),
                frozenset(map(str, said["made"])),
                frozenset(map(str, said["spare"])),
            ),
            PathSet.from_json(said["declared"]),
            PathSet.from_json(said["install"]),
            {str(name): _stamp_from(stamp) for name, stamp in said["products"].items()},
            {
                str(n): (_stamp_from(stamp), str(is_))
                for n, (stamp, is_) in said["generated"].items()
            },
            (int(said["deps"][0]), str(said["deps"][1])),
            str(said["answer"]),
            tuple(map(str, said["news"])),
            {str(name): tuple(map(str, files)) for name, files in said["misread"].items()},
        )
    except (OSError, ArithmeticError, LookupError, ValueError, TypeError, AttributeError):
        return None
    except (RecursionError, InputsError):
        return None


def write_note(tree: Path, note: TreeNote) -> None:
    """Leave the note in the tree."""
    said = {
        "version": VERSION,
        "base_key": note.base_key,
        "known": note.known,
        "inputs": note.inputs.as_json(),
        "read": note.configured.read.as_json(),
        "rules": note.configured.rules.as_json(),
        "made": sorted(note.configured.made),
        "spare": sorted(note.configured.spare),
        "declared": note.declared.as_json(),
        "install": note.install.as_json(),
        "products": note.products,
        "generated": note.generated,
        "deps": note.deps,
        "answer": note.answer,
        "news": list(note.news),
        "misread": note.misread,
    }
    write_checksummed(tree / NOTE, said)


def stamps(tree: Path, names: Iterable[str]) -> dict[str, Stamp]:
    """The stamps of those of the files `names`, relative to the tree, that are there."""
    found = {}
    for name in names:
        try:
            status = os.lstat(tree / name)
        except (OSError, ValueError):
            continue
        found[name] = stamp_of(status)
    return found


def delete_files(tree: Path, names: Iterable[str]) -> bool:
    """Delete the files `names`, relative to the tree, and nothing outside of it: False when there
    is one outside."""
    all_inside = True
    for name in names:
        path = tree / name
        if path.is_symlink() or path.is_file():
            if _is_inside(path, tree):
                path.unlink()
            else:
                all_inside = False
    return all_inside


def delete_configuration(tree: Path) -> None:
    """Take away what CMake remembers: the next configuration is as if it were the first.

    Objects stay: Ninja compiles those anew whose command lines change.  What tells what they
    depend on stays too, until CMake has succeeded.
    """
    delete(tree / "CMakeCache.txt")
    folder = tree / "CMakeFiles"
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.suffix != ".dir" and path.name != "rules.ninja":
            delete(path)


def delete(path: Path) -> None:
    """Delete a file, link or directory, if it is there."""
    if path.is_dir() and not path.is_symlink():
        # Under another name first: a delete that is interrupted leaves no half of it behind.
        gone = path.with_name(f".{path.name}.gone")
        remove_tree(gone)
        path.rename(gone)
        remove_tree(gone)
    else:
        remove_tree(path)


def _is_inside(path: Path, tree: Path) -> bool:
    """Whether `path` lies in the tree, also when links in the tree lead elsewhere."""
    if not Path(os.path.normpath(path)).is_relative_to(tree):
        return False
    return Path(os.path.realpath(path.parent)).is_relative_to(os.path.realpath(tree))


def _stamp_from(said: list[int]) -> Stamp:
    inode, size, modified, changed = map(int, said)
    return inode, size, modified, changed
