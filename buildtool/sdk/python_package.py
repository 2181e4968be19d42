"""Versions and programs of installed Python packages, read from their .dist-info directories.

`importlib.metadata` gives the same, but takes twice as long as a build with nothing to do.
Source: the Python Packaging User Guide, "Recording installed projects".
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from buildtool.core.value import Value


class PythonPackage(Value):
    """An installed package; `record` lists its files, relative to the directory above it."""

    version: str
    record: Path

    def program(self, name: str) -> Path | None:
        """The program `name` among the package's files, with links resolved.

        `cmake` installs a slow Python script and the binary in `data/bin`; this returns the binary.
        """
        try:
            lines = self.record.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:  # a package need not list its files
            return None
        # Each line is a path, its digest, its size; a path with a comma in it is quoted.
        names = (line.rsplit(",", 2)[0].strip('"') for line in lines if f"bin/{name}" in line)
        places = (Path(place) for place in names)
        found = [place for place in places if place.parts[-2:] == ("bin", name)]
        found.sort(key=lambda place: "data" not in place.parts)
        root = self.record.parents[1]
        paths = ((root / place).resolve() for place in found)
        return next((path for path in paths if path.is_file()), None)


def python_package(name: str) -> PythonPackage | None:
    """The installed package `name`, in lower case and without `-`; None if it is not installed."""
    for folder in sys.path:
        try:
            entries = os.listdir(folder or ".")  # noqa: PTH208 - names
        except OSError:
            continue
        for entry in entries:
            if entry.startswith(f"{name}-") and entry.endswith(".dist-info"):
                version = entry.removeprefix(f"{name}-").removesuffix(".dist-info")
                return PythonPackage(version, Path(folder, entry, "RECORD").absolute())
    return None
