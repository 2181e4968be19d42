"""The packages that `conan install` installed: their directories, shared libraries and skels.

Source: Conan's reference of `conan install --format=json`; the first node is the component itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from buildtool.core.elf.read import is_elf, read_elf
from buildtool.drivers.conan.home import read_json, unexpected_output
from buildtool.project.archs import HEXAGON_ARCHS


@dataclass(frozen=True, slots=True)
class InstallGraph:
    """`generators` is the directory of the files that were generated for the component, `packages`
    are the directories of the packages, `runtime` their shared libraries by SONAME, `skels` what
    they have for the DSP, by its path in a release: `dsp/<arch>/<name>`."""

    generators: Path
    packages: tuple[Path, ...]
    runtime: dict[str, Path]
    skels: dict[str, Path]


def read_graph(file: Path) -> InstallGraph:
    """Parse Conan's graph.  Raises `ToolError` if it is not as expected."""
    data = read_json(file)
    try:
        component, *others = data["graph"]["nodes"].values()
        packages = [n for n in others if n["context"] == "host" and n["package_folder"]]
        return InstallGraph(
            generators=Path(component["generators_folder"]),
            packages=tuple(Path(node["package_folder"]) for node in packages),
            runtime=dict(pair for node in reversed(packages) for pair in _shared_libraries(node)),
            skels=dict(pair for node in reversed(packages) for pair in _skels(node)),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise unexpected_output(file, repr(error)) from error


def _shared_libraries(node: dict[str, Any]) -> Iterator[tuple[str, Path]]:
    """SONAMEs and paths of the shared libraries in a package.

    A package may also name directories of the system: the device has their libraries.
    """
    for folder in _directories(node, "libdirs"):
        for file in sorted(folder.glob("*.so*")):
            if file.is_file() and is_elf(file):
                yield read_elf(file).soname or file.name, file.resolve()


def _skels(node: dict[str, Any]) -> Iterator[tuple[str, Path]]:
    """The files of a package for the DSP: libraries in directories of archs, in its resources."""
    for folder in _directories(node, "resdirs"):
        for arch in HEXAGON_ARCHS:
            for file in sorted(folder.glob(f"{arch}/*.so*")):
                if file.is_file() and is_elf(file):
                    yield f"dsp/{arch}/{file.name}", file.resolve()


def _directories(node: dict[str, Any], kind: str) -> list[Path]:
    """The directories of one kind that are in the package."""
    root = Path(node["package_folder"])
    found = {Path(d) for part in node["cpp_info"].values() for d in part[kind] or ()}
    return sorted(folder for folder in found if folder.is_relative_to(root))
