"""Validation of the keys that name files of the project."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from buildtool.core.safe_path import misread

Violation = tuple[tuple[str, ...], str, str]
"""The invalid key, the problem, and what to do."""

MAX_NAME = 255
"""Bytes of the longest name of a file.  Source: NAME_MAX in linux/limits.h."""


def file_violations(root: Path, path: str, at: tuple[str, ...], what: str) -> Iterator[Violation]:
    """Check an optional key that names a file of the project."""
    if not path:
        return
    yield from path_violations(root, path, at)
    if not (root / path).is_file():
        yield at, f"there is no file {path!r}", f"Set it to {what} file, relative to this file."


def path_violations(root: Path, path: str, at: tuple[str, ...]) -> Iterator[Violation]:
    """Check a key that names a file or directory of the project; tools get this path."""
    yield from inside_violations(path, at)
    yield from unsafe_path_violations(root / path, at)


def unsafe_path_violations(path: Path, at: tuple[str, ...]) -> Iterator[Violation]:
    if wrong := misread(path):
        yield at, f"the path contains {wrong[0]}: {wrong[1]}", "Rename it, and change this key."


def inside_violations(path: str, at: tuple[str, ...]) -> Iterator[Violation]:
    if any(len(part.encode(errors="surrogateescape")) > MAX_NAME for part in path.split("/")):
        yield at, f"a name in the path has more than {MAX_NAME} bytes", "Rename it."
    if not path or path.startswith("/") or ".." in path.split("/"):  # a Path takes far longer
        yield (
            at,
            f"{path!r} is not a path inside the project",
            "Use a path below the directory of this file.",
        )
