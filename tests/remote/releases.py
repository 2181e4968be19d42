"""Releases made of given files, and what of them is on a device."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from buildtool.deploy.contents import STORE
from buildtool.release.slices import Release, ReleaseFile, ReleaseLink, in_slices
from tests.command_line import REPOSITORY

Files = Mapping[str, bytes | int]
"""Path → content, or the size of a sparse file; files in bin/ have the mode 0755, others 0644."""
NO_LINKS: Mapping[str, str] = {}
NO_MODES: Mapping[str, int] = {}
RUN_SH = (REPOSITORY / "buildtool/release/run.sh").read_bytes()


def make_release(
    directory: Path,
    files: Files,
    links: Mapping[str, str] = NO_LINKS,
    modes: Mapping[str, int] = NO_MODES,
) -> Release:
    """A release in the new directory `directory`, with `run.sh` and without skels."""
    rows = []
    for path, content in {"run.sh": RUN_SH, **files}.items():
        file = directory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        mode = modes.get(path, 0o755 if path.startswith("bin/") or path == "run.sh" else 0o644)
        if isinstance(content, int):
            with file.open("wb") as stream:
                stream.truncate(content)
        else:
            file.write_bytes(content)
        file.chmod(mode)
        rows.append(ReleaseFile(path, mode, file.stat().st_size, digest_of(file)))
    for path, target in links.items():
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        (directory / path).symlink_to(target)
    slices = in_slices(rows, [ReleaseLink(*link) for link in links.items()], [])
    return Release("sim", directory, directory, slices)


def digest_of(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def contents_of(directory: Path) -> dict[str, str]:
    """What is in a directory, in the form of `Contents`; links into a store are the files there."""
    found = {}
    for folder, names, files in os.walk(directory):
        for name in [*files, *(name for name in names if Path(folder, name).is_symlink())]:
            file = Path(folder, name)
            in_store = file.is_symlink() and f"../{STORE}/" in str(file.readlink())
            if file.is_symlink() and not in_store:
                state = f"-> {file.readlink()}"
            elif file.is_file():
                state = f"{file.stat().st_mode & 0o7777:o} {digest_of(file)}"
            else:
                state = "something else"
            found[str(file.relative_to(directory))] = state
    return found
