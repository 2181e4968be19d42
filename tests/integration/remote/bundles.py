"""What is in the bundle that a failed run has left."""

from __future__ import annotations

import json
import stat
import zipfile
from pathlib import Path
from typing import Any

from buildtool.core.value import Value


class Bundle(Value):
    """The files of a bundle, name → bytes, and the bytes of the archive."""

    files: dict[str, bytes]
    data: bytes

    @property
    def run(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.files["run.json"])
        return document

    @property
    def summary(self) -> str:
        return self.files["summary.txt"].decode()


def read_bundle(file: Path) -> Bundle:
    """The bundle, which is whole, has its summary on top, and is its owner's only."""
    with zipfile.ZipFile(file) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        tops = {name.partition("/")[0] for name in names}
        assert len(tops) == 1
        assert names[0].endswith("/summary.txt")
        files = {name.partition("/")[2]: archive.read(name) for name in names}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    return Bundle(files, file.read_bytes())


def bundles_in(project: Path) -> list[Path]:
    """The bundles with names of their own, the oldest first; nothing else is beside them."""
    return sorted((project / ".buildtool" / "bundles").glob("*"))
