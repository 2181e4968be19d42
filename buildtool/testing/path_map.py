"""Paths of this machine in texts, replaced by those that files have on a device."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping

# A path begins a text, or follows what separates it from an option's name, a format or another
# path: --data=/…, --gtest_output=xml:/…, /…:/…, -I/….
_BEFORE = r"(?:^-[A-Za-z]|^|[=:;,\s\"'(\[])"
_ENDS = r"[:;,\"')\]]"
_AFTER = r"(?=[/:;,\s\"')\]]|$)"


class PathMap:
    """The directories of this machine, each with the directory on the device that mirrors it.

    A directory inside another one has precedence.
    """

    def __init__(self, directories: Mapping[str, str]) -> None:
        self.directories = directories
        longest = sorted(directories, key=len, reverse=True)
        self._pattern = f"({_BEFORE})({'|'.join(map(re.escape, longest))}){_AFTER}"

    def path(self, path: str) -> str:
        """The path on the device of the absolute `path`; "" if no directory contains it."""
        path = os.path.normpath(path)
        for directory in sorted(self.directories, key=len, reverse=True):
            if path == directory or path.startswith(f"{directory}/"):
                return self.directories[directory] + path[len(directory) :]
        return ""

    def text(self, text: str) -> str:
        """`text`, an argument or the value of a variable, with its paths replaced."""
        if not self.directories:
            return text
        return re.sub(self._pattern, lambda found: found[1] + self.directories[found[2]], text)

    def named_in(self, text: str) -> Iterator[str]:
        """The paths of this machine in `text` that are in one of the directories."""
        if not self.directories:
            return
        for found in re.finditer(self._pattern, text):
            rest = re.split(_ENDS, text[found.end(2) :], maxsplit=1)[0]
            yield os.path.normpath(found[2] + rest)
