"""What `conan install` says it found: directories and shared libraries of the packages.

Source: Conan's reference of `conan install --format=json`; the first node is the component itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from buildtool.core.elf import is_elf, read_elf
from buildtool.core.process import ToolError
from buildtool.drivers.conan.home import AGAIN, read_json


@dataclass(frozen=True, slots=True)
class Found:
    """`generators` is where the component's own files were generated; `packages` are directories,
    `runtime` the shared libraries in them by SONAME."""

    generators: Path
    packages: tuple[Path, ...]
    runtime: dict[str, Path]


def read_graph(file: Path) -> Found:
    """Read Conan's answer.  Raises `ToolError` when it is not understood."""
    answer = read_json(file)
    try:
        own, *others = answer["graph"]["nodes"].values()
        packages = [n for n in others if n["context"] == "host" and n["package_folder"]]
        return Found(
            generators=Path(own["generators_folder"]),
            packages=tuple(Path(node["package_folder"]) for node in packages),
            runtime=dict(pair for node in reversed(packages) for pair in _shared(node)),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ToolError(
            f"Conan's answer in {file} is not understood", why=repr(error), remedy=AGAIN
        ) from error


def _shared(node: dict[str, Any]) -> Iterator[tuple[str, Path]]:
    """The shared libraries in a package; it may also point at directories of the system, which are
    the device's."""
    root = Path(node["package_folder"])
    folders = {Path(d) for part in node["cpp_info"].values() for d in part["libdirs"] or ()}
    for folder in sorted(folders):
        for file in sorted(folder.glob("*.so*")) if folder.is_relative_to(root) else ():
            if file.is_file() and is_elf(file):
                yield read_elf(file).soname or file.name, file.resolve()
