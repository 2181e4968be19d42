"""Dependency files of compilers: what they contain, and which paths Ninja misparses in them.

Determined by experiment for each byte that a path may contain, with GCC 12, clang 14 and 22,
`cmake -E cmake_transform_depfile` of CMake 4 and Ninja 1.13:

- Ninja ends a path at a control character and at any of ``* ; < > \\ ^ ` |``: it reads `a^b` as the
  paths `a` and `b`.  It drops a `:` at the end of a path.
- All of them write a space as `\\ `, `#` as `\\#` and `$` as `$$`; GCC writes a tab as `\\` and a
  tab.
- Clang and CMake write a slash for a backslash; CMake splits a path at a tab, and drops a carriage
  return at its end.  Such a dependency file does not show what was read.

`core.safe_path` rejects such characters in the path of a project; files in it may have any name.
"""

from __future__ import annotations

UNREADABLE = frozenset(map(chr, (*range(1, 32), 127))) | frozenset("*;<>\\^`|")
"""The characters that Ninja does not read as part of a path."""
# The bytes that every tool reads and writes literally, and the space, which separates paths.
_PLAIN = bytes({*range(32, 256)} - {*map(ord, UNREADABLE)} - {*b":#$"})
_LINE_CONTINUATION = b" \\\n"


def is_plain(data: bytes) -> bool:
    """Whether a dependency file is a single rule in which no byte can be misparsed."""
    plain = data.replace(_LINE_CONTINUATION, b" ").translate(None, _PLAIN)
    return b": " in data and plain == b":\n"


def prerequisites(data: bytes) -> tuple[str, ...] | None:
    """The paths after the first colon of a dependency file, in order, as they were passed to the
    compiler; None when the file is ambiguous.

    Rules without prerequisites, as `-MP` writes them, add nothing.
    """
    _, _, rest = data.replace(_LINE_CONTINUATION, b" ").partition(b": ")
    first, *lines = rest.split(b"\n")
    paths = _paths(first)
    if not paths:
        return None
    targets = {path + b":" for path in paths}
    others = [_paths(line) for line in lines if line]
    if any(not found or found[1:] or found[0] not in targets for found in others):
        return None
    return tuple(path.decode(errors="surrogateescape") for path in paths)


def _paths(line: bytes) -> list[bytes] | None:
    """The unescaped paths of a line; None when it is ambiguous."""
    if b"\0" in line:
        return None
    if b"\\" not in line and b"$" not in line:
        return [word for word in line.split(b" ") if word]
    line = line.replace(b"\\ ", b"\0").replace(b"\\#", b"#").replace(b"\\\t", b"\t")
    if b"\\" in line or b"$" in line.replace(b"$$", b""):
        return None
    words = line.replace(b"$$", b"$").split(b" ")
    return [word.replace(b"\0", b" ") for word in words if word]
