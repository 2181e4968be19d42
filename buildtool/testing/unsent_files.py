"""Explains tests that failed since the device does not have files of this machine."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator

from buildtool.core.value import Value
from buildtool.testing.path_map import PathMap

SEARCHED = 1 << 16
"""Characters at the end of the output of a test that are searched for paths."""
MOST = 3
"""Files that are named for one test."""
# A path without the number of a line after it, which assertions print.
_PART = r"[^\s:;,=|\"'`<>()\[\]]"
_BEFORE = f"(?<!{_PART})"
_PATH = rf"({_PART}++)(?!:\d|\(\d)"
TEST_FILES = "add it to 'test-files' of [host.{}]"
ARGUMENT = "name it in an argument or in ENVIRONMENT of the test"


class SentFiles(Value):
    """What the device has in its directory `place` for the tests of `component`: the files `sent`.

    `paths` maps directories of this machine to those in `place` that mirror them.  A device that
    `is_here` also has the files of this machine, by their own paths.
    """

    component: str
    place: str
    paths: PathMap
    sent: Collection[str]
    is_here: bool

    def explain(self, output: str, folder: str) -> list[str]:
        """A line for each file of this machine that the device does not have, and that a test,
        which works in `folder`, names in its `output`."""
        remedies: dict[str, str] = {}
        for path, is_mapped in self._paths(output[-SEARCHED:], folder):
            file = os.path.normpath(path.rstrip("."))
            place = self.paths.path(file)
            # os.path: the text of a test can be any, and too long for a path.
            if place and not (is_mapped and place in self.sent) and os.path.isfile(file):  # noqa: PTH113
                by_glob = is_mapped and place.split("/")[2] in ("source", "build")
                remedies[file] = TEST_FILES.format(self.component) if by_glob else ARGUMENT
        return [f"the device has no {file}: {what}" for file, what in remedies.items()][:MOST]

    def _paths(self, text: str, folder: str) -> Iterator[tuple[str, bool]]:
        """The paths in `text` as those of this machine, and whether `paths` has mapped them: if
        not, a program has looked for a file of this machine on the device."""
        for here, there in self.paths.directories.items():
            for name in re.findall(f"{_BEFORE}{re.escape(f'{self.place}/{there}')}/{_PATH}", text):
                yield f"{here}/{name}", True
            for name in re.findall(f"{_BEFORE}{re.escape(here)}/{_PATH}", text):
                if not self.is_here:
                    yield f"{here}/{name}", False
        for name in re.findall(f"{_BEFORE}{_PATH}", text):
            if ("." in name or "/" in name) and not name.startswith("/"):
                yield f"{folder}/{name}", True
