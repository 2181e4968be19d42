"""Verifies the emulated device's programs in the user's cache."""

from __future__ import annotations

import os
from pathlib import Path

from buildtool.cache.disk_usage import DiskUsage, disk_usage
from buildtool.cache.emulator_cache import INSTALL, lock_of, state_of, trees
from buildtool.core.lock import try_lock
from buildtool.core.trees import remove_tree
from buildtool.core.value import Value
from buildtool.engine.record import changed_outputs, read_record
from buildtool.inputs.file_states import FileStates


def is_whole(tree: Path) -> bool:
    """Whether the programs built in `tree` are unchanged; keeps the digests for the next time."""
    file_states = FileStates(state_of(tree) / "digests")
    whole = not _wrong(tree, file_states)
    file_states.save()
    return whole


class Checked(Value):
    """How much `verify` has checked, and the paths of damaged files."""

    checked: DiskUsage
    wrong: tuple[Path, ...]


def verify(folder: Path) -> Checked:
    """Compare all files with their recorded digests; deletes damaged programs, which are rebuilt
    when they are needed."""
    files = size = 0
    wrong: list[Path] = []
    for tree in trees(folder):
        if not (state_of(tree).is_dir() and os.path.lexists(tree / INSTALL)):
            continue  # rebuilt when it is needed
        with try_lock(lock_of(tree)) as lock:
            if lock is None:
                continue  # it is being built
            found = _wrong(tree, FileStates())
            there = disk_usage(tree / INSTALL)
            files, size = files + there.files, size + there.bytes
            wrong += found
            if found:
                remove_tree(tree / INSTALL)
    return Checked(DiskUsage(files, size), tuple(wrong))


def _wrong(tree: Path, file_states: FileStates) -> list[Path]:
    """The damaged files; the whole output when there is no record of it."""
    output = tree / INSTALL
    records = [read_record(file) for file in (state_of(tree) / "steps").glob("*.json")]
    if not records or None in records:
        return [output]
    return [
        output / name
        for record in records
        if record
        for name, _ in changed_outputs(record.outputs, output, file_states)
    ]
