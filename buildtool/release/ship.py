"""Copies one output into a release, and its debug information beside it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from buildtool.core.elf.read import is_elf
from buildtool.core.files import file_digest, temporary_file
from buildtool.release.slices import ReleaseFile, ShippedOutput
from buildtool.release.split_debug import CannotSplitError, Split, split


def ship(output: ShippedOutput, place: str, root: Path, debug: Path) -> ReleaseFile:
    """Copy `output` to `place` below `root`, without debug information, which goes below `debug`.

    Raises `OSError`.
    """
    path = root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    # A library of a toolchain or package can have any mode.
    mode = 0o755 if output.path.stat().st_mode & 0o100 else 0o644
    parts = _without_debug(output.path, path, place, debug)
    path.chmod(mode)
    return ReleaseFile(
        place,
        mode,
        path.stat().st_size,
        file_digest(path),
        output.step.name,
        parts.build_id if parts else "",
    )


def _without_debug(source: Path, path: Path, place: str, debug: Path) -> Split | None:
    """Copy `source` to `path`; None for a file that has to ship as it is."""
    if is_elf(source):
        with temporary_file(debug) as fresh:
            try:
                parts = split(source, path, fresh)
            except CannotSplitError:
                pass
            else:
                if parts.has_debug:
                    _name(fresh, debug / f"{place}.debug", parts.build_id, debug)
                return parts
    shutil.copyfile(source, path)
    return None


def _name(file: Path, named: Path, build_id: str, debug: Path) -> None:
    """Move the debug file to where GDB and LLDB look for it, and make the link `named` to it.

    Source: GDB manual, "Separate Debug Files".
    """
    place = debug / ".build-id" / build_id[:2] / f"{build_id[2:]}.debug"
    for folder in (place.parent, named.parent):
        folder.mkdir(parents=True, exist_ok=True)
    file.chmod(0o644)
    file.replace(place)
    named.symlink_to(os.path.relpath(place, named.parent))
