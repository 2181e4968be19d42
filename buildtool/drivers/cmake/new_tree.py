"""Configure again: in a new, empty build tree at the path of the one that was there.

What CMake wrote before, and what rules made that no longer exist, then does not ship.  The former
tree is set aside first.  When CMake has succeeded, those of its products move into the new tree
that a rule there declares; Ninja compares the commands with those in its log, and makes the others
again.

The former tree has a record until products leave it.  So a build that finds one with a record
continues with it, as if CMake had not run, and deletes one without a record.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.drivers.cmake import fetched
from buildtool.drivers.cmake.leftovers import undeclared_files
from buildtool.drivers.cmake.ninja_log import keep_outputs
from buildtool.drivers.cmake.scan.header_names import objects_that_ask_for, read_source
from buildtool.drivers.cmake.scan.ninja import REGENERATION, BuildRule
from buildtool.drivers.cmake.tree_files import FINGERPRINT, delete, is_own
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
    fetched.give_back(tree, former)
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
    fetched.carry_external(tree, former, now, complete=not undeclared)
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
