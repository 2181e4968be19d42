"""CMake and Ninja from their PyPI packages: the binaries inside, not the slow scripts."""

from __future__ import annotations

import importlib.metadata
from dataclasses import dataclass
from pathlib import Path

from buildtool.sdk.found import ToolMissingError


@dataclass(frozen=True, slots=True)
class CMake:
    """A found CMake with the Ninja it drives."""

    program: Path
    ninja: Path
    version: str


def find_cmake() -> CMake:
    """CMake and Ninja of the Python packages `cmake` and `ninja`.

    Raises `ToolMissingError` when one is not installed.
    """
    return CMake(
        program=_installed_binary("cmake"),
        ninja=_installed_binary("ninja"),
        version=importlib.metadata.version("cmake"),
    )


def _installed_binary(package: str) -> Path:
    """The program `package` among the files of the Python package of that name.

    `cmake` installs a Python script beside the binary in `data/bin`; the latter is meant.
    """
    try:
        files = importlib.metadata.files(package) or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    programs = [file for file in files if file.name == package and file.parent.name == "bin"]
    programs.sort(key=lambda file: "data" not in file.parts)
    for file in programs:
        path = Path(str(file.locate())).resolve()
        if path.is_file():
            return path
    raise ToolMissingError(
        f"{package} was not found",
        why=f"the Python package '{package}' is not installed beside buildtool",
        remedy=f"Install it: python -m pip install {package}",
    )
