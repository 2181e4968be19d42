"""Explains tests that failed since the device does not have files of this machine."""

from __future__ import annotations

import glob
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence

from buildtool.core.value import Value
from buildtool.testing.deployment import PathMap

SEARCHED = 1 << 16
"""Characters at the end of the output of a test that are searched for paths."""
MOST = 3
"""Files that are named for one test."""
# A path without the number of a line after it, which assertions print.
_PART = r"[^\s:;,=|\"'`<>()\[\]]"
_BEFORE = f"(?<!{_PART})"
_PATH = rf"({_PART}++)(?!:\d|\(\d)"
TEST_FILES = "add it to 'test-files' of [{}]"
ARGUMENT = "name it in an argument or in ENVIRONMENT of the test"


class UnsentFile(Value):
    """A file or directory of this machine that a test looked for on the device in vain; `by_glob`
    says whether `test-files` can name it."""

    path: str
    by_glob: bool


class SentFiles(Value):
    """The files `sent` to the directory `place` of the device for the tests of a component, whose
    `table` in the project file is "host.NAME" or "dsp.NAME".

    `paths` maps directories of this machine to those in `place` that mirror them.  A device that
    `is_here` also has the files of this machine, by their own paths.
    """

    table: str
    place: str
    paths: PathMap
    sent: set[str]
    is_here: bool

    def unsent(self, output: str, folder: str, missing: Iterable[str]) -> list[UnsentFile]:
        """The files of this machine that the device does not have, and that a test, which works in
        `folder`, names in its `output`, or that are among the `missing` paths of the device."""
        found: dict[str, UnsentFile] = {}
        for path, is_mapped in self._paths(output[-SEARCHED:], folder):
            file = os.path.normpath(path.rstrip("."))
            place = self.paths.path(file)
            # os.path: the text of a test can be any, and too long for a path.
            if place and not (is_mapped and place in self.sent) and os.path.isfile(file):  # noqa: PTH113
                found.setdefault(place, UnsentFile(file, is_mapped and _has_globs(place)))
        for file in self._here(missing):
            place = self.paths.path(file)
            if place and os.path.exists(file):  # noqa: PTH110
                found.setdefault(place, UnsentFile(file, _has_globs(place)))
        return list(found.values())

    def _here(self, missing: Iterable[str]) -> Iterator[str]:
        """The paths of this machine that are mirrored at `missing` paths of the device."""
        for path in missing:
            for here, there in self.paths.directories.items():
                if path.startswith(f"{self.place}/{there}/"):
                    yield here + path.removeprefix(f"{self.place}/{there}")

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


class Hints:
    """The files that tests did not find on the device, and how to send them.

    `folders` are the directories to which the patterns of `test-files` are relative, and `patterns`
    those that the component has.
    """

    def __init__(self, sent: SentFiles, folders: Sequence[str], patterns: Sequence[str]) -> None:
        self._sent = sent
        self._folders = folders
        self._patterns = patterns
        self._unsent: dict[str, list[UnsentFile]] = {}

    def add(self, test: str, output: str, folder: str, missing: Iterable[str]) -> list[str]:
        """Add what a test did not find, see `SentFiles.unsent`; returns a line for each of the
        first files."""
        found = self._sent.unsent(output, folder, missing)
        if found:
            self._unsent[test] = found
        add = TEST_FILES.format(self._sent.table)
        return [
            f"the device has no {path}: {add if by_glob else ARGUMENT}"
            for path, by_glob in found[:MOST]
        ]

    def note_fetched(self, paths: Iterable[str]) -> None:
        """Note files of this machine that tests have written on the device."""
        self._sent.sent.update(map(self._sent.paths.path, paths))

    def proposal(self) -> str:
        """The key of the project file that sends what all tests did not find; "" without any."""
        every = (file for found in self._unsent.values() for file in found)
        found = sorted({self._pattern(file) for file in every} - {""})
        patterns = [each for each in found if not any(each.startswith(f"{one}/") for one in found)]
        if not patterns:
            return ""
        count = len(self._unsent)
        tests = f"{count} tests look" if count > 1 else "one test looks"
        texts = json.dumps([*self._patterns, *patterns], ensure_ascii=False)
        return (
            f"{tests} for files that the device does not have. In buildtool.toml:\n"
            f"  [{self._sent.table}]\n  test-files = {texts}"
        )

    def _pattern(self, file: UnsentFile) -> str:
        """The pattern of `test-files` for a file: in a directory of data, it is for all files there
        that have the same ending."""
        path = file.path
        folder = next((each for each in self._folders if path.startswith(f"{each}/")), "")
        if not folder or not file.by_glob:
            return ""
        inside, _, name = path.removeprefix(f"{folder}/").rpartition("/")
        ending = os.path.splitext(name)[1]  # noqa: PTH122 - of text
        whole = not inside or not ending or os.path.isdir(path)  # noqa: PTH112
        return f"{glob.escape(inside)}/{glob.escape(name) if whole else f'*{ending}'}".lstrip("/")


def _has_globs(place: str) -> bool:
    """Whether `test-files` can name what the device has at `place`."""
    return place.split("/")[2] in ("source", "build")
