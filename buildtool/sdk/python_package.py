"""Python packages beside this one: their versions and programs, as their .dist-info directories
tell.

`importlib.metadata` tells the same, in twice the time that a build with nothing to do takes.
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
        """The program `name` among its files, links followed.

        `cmake` installs a slow Python script beside the binary in `data/bin`; the latter is meant.
        """
        try:
            lines = self.record.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:  # a package need not say what its files are
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
    """The installed package `name`, which is in lower case and has no `-`."""
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
