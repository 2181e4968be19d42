"""Parse a link line: the libraries that it names."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path

from buildtool.core.value import Value
from buildtool.drivers.cmake.file_api import LinkFragment

MAX_RESPONSE = 4 << 20
MAX_DEPTH = 8  # of response files that name response files
_WITH_VALUE = {"-soname", "--soname", "-h", "-rpath", "-rpath-link", "--rpath", "-o", "-e", "-T"}
_WITH_VALUE |= {"--version-script", "--dependency-file", "-Map", "-z", "-m", "-target", "-u"}
_DIRECTORY = ("--library-path=", "-L")
_LIBRARY = ("--library=", "-l")


class LinkLine(Value):
    """A link line: the directories of -L in search order, the names of -l ("cdsprpc", or
    ":libcdsprpc.so" for a file name), and the files that it names by path."""

    directories: tuple[Path, ...]
    names: tuple[str, ...]
    files: tuple[Path, ...]

    def libraries(self) -> Iterator[Path]:
        """The files that exist; a name that no directory has is a library of the compiler."""
        yield from (file for file in self.files if file.is_file())
        for name in self.names:
            files = [name[1:]] if name.startswith(":") else [f"lib{name}.so", f"lib{name}.a"]
            candidates = (folder / file for folder in self.directories for file in files)
            found = next((path for path in candidates if path.is_file()), None)
            if found:
                yield found


def read_link_line(fragments: Iterable[LinkFragment], folder: Path) -> LinkLine:
    """The link line of `fragments`, whose relative paths start at `folder`."""
    words = [word for fragment in fragments for word in fragment.arguments]
    directories, names, files = [], [], []
    waiting = list(_expanded(words, folder, MAX_DEPTH))
    waiting.reverse()
    while waiting:
        word = waiting.pop()
        if word in _WITH_VALUE:
            waiting = waiting[:-1]
        elif value := _value(word, waiting, _DIRECTORY):
            directories.append(folder / value)
        elif value := _value(word, waiting, _LIBRARY):
            names.append(value)
        elif not word.startswith("-"):
            files.append(folder / word)
    return LinkLine(tuple(directories), tuple(names), tuple(files))


def _value(word: str, following: list[str], options: tuple[str, str]) -> str:
    """The value of an option, in the same word or in the next of `following`; "" if `word` is
    neither of `options`."""
    long, short = options
    if word.startswith(long):
        return word.removeprefix(long)
    if word in (long.rstrip("="), short):
        return following.pop() if following else ""
    # -Lfoo and -lfoo: no long option starts with one of these and a single dash.
    return word.removeprefix(short) if word.startswith(short) else ""


def _expanded(words: Iterable[str], folder: Path, depth: int) -> Iterator[str]:
    """The words, with linker options (`-Wl,a,b`, `-Xlinker a`) and response files expanded."""
    for word in words:
        if word.startswith("-Wl,"):
            yield from _expanded(word.split(",")[1:], folder, depth)
        elif word.startswith("@") and depth and (folder / word[1:]).is_file():
            with (folder / word[1:]).open(encoding="utf-8", errors="replace") as stream:
                text = stream.read(MAX_RESPONSE)
            try:
                yield from _expanded(shlex.split(text), folder, depth - 1)
            except ValueError:
                yield word
        elif word != "-Xlinker":
            yield word
