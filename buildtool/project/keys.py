"""How a class describes the keys of a table of a TOML file: each field has a type and a `Key`.

Also the values that keys of several tables have: paths of files of the project, and the supported
Hexagon generations.
"""

from __future__ import annotations

import typing
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

from buildtool.core.safe_path import misread
from buildtool.core.value import Value

Strings = tuple[str, ...]
Define = str | bool | int
NO_DEFINES: Mapping[str, Define] = {}
Violation = tuple[tuple[str, ...], str, str]
"""The invalid key, the problem, and what to do."""

MAX_NAME = 255
"""Bytes of the longest name of a file.  Source: NAME_MAX in linux/limits.h."""
HEXAGON_ARCHS = ("v68", "v69", "v73", "v75", "v79", "v81")
"""Arch names.  The hex digits are the low byte of `e_flags` in ELF files and of ARCH_VER."""


class Key(Value):
    """A key: its meaning, and the values that it accepts, if not all.

    A list may contain a value twice if it `repeats`.
    """

    doc: str
    choices: tuple[str, ...] = ()
    repeats: bool = False


# Keys of everything that runs a program on a device.
Args = Annotated[Strings, Key("its arguments", repeats=True)]
Env = Annotated[Mapping[str, Define], Key("environment variables that it gets")]
Cwd = Annotated[str, Key("its working directory in the release; default: the top")]


def keys(record: Any) -> dict[str, tuple[Any, Key]]:
    """The type and the key of each field of `record`, by the field's name."""
    hints = typing.get_type_hints(record, include_extras=True)
    return {name: (hint.__origin__, hint.__metadata__[0]) for name, hint in hints.items()}


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


def arch_number(arch: str) -> int:
    """`v73` → 0x73, the value in `e_flags`; `v67t`, with the tiny core → 0x67."""
    return int(arch.removeprefix("v").removesuffix("t"), 16)


def has_ieee(arch: str) -> bool:
    """Whether HVX of `arch` has instructions with results in the IEEE format.  The newer ones
    compute in qf, and convert."""
    return arch_number(arch) < 0x79
