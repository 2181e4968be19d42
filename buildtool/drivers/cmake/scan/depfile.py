"""Dependency files of compilers: what is in them, and which paths Ninja cannot read from them.

Found by experiment, for each byte that a path may have, with GCC 12, clang 14 and 22, CMake 4's
`cmake -E cmake_transform_depfile` and Ninja 1.13:

- Ninja ends a path at a control character and at any of ``* ; < > \\ ^ ` |``: `a^b` becomes `a`
  and `b`.  It reads a path that ends in `:` as one without.
- All of them write a space as `\\ `, `#` as `\\#`, `$` as `$$`; GCC a tab as `\\` and a tab.
- Clang and CMake write a slash for a backslash, CMake splits at a tab, and leaves out a carriage
  return at the end.  From these dependency files nobody can tell what was read.

`core.safe_path` keeps such characters out of the paths of projects; names below them may have any.
"""

from __future__ import annotations

UNREADABLE = frozenset(map(chr, (*range(1, 32), 127))) | frozenset("*;<>\\^`|")
"""The characters that Ninja does not read as part of a path."""
# The bytes that mean themselves to everybody, and the space, which separates paths.
_PLAIN = bytes({*range(32, 256)} - {*map(ord, UNREADABLE)} - {*b":#$"})
_CONTINUED = b" \\\n"


def is_plain(data: bytes) -> bool:
    """Whether a dependency file is one rule in which no byte can be misread."""
    return b": " in data and data.replace(_CONTINUED, b" ").translate(None, _PLAIN) == b":\n"


def prerequisites(data: bytes) -> tuple[str, ...] | None:
    """The paths in a dependency file behind the first colon, in order, as the compiler was given
    them; None when the file does not say for certain.

    Rules without prerequisites, as of `-MP`, add nothing.
    """
    _, _, rest = data.replace(_CONTINUED, b" ").partition(b": ")
    first, *lines = rest.split(b"\n")
    paths = _paths(first)
    if not paths:
        return None
    known = {path + b":" for path in paths}
    others = [_paths(line) for line in lines if line]
    if any(not found or found[1:] or found[0] not in known for found in others):
        return None
    return tuple(path.decode(errors="surrogateescape") for path in paths)


def _paths(line: bytes) -> list[bytes] | None:
    if b"\0" in line:
        return None
    if b"\\" not in line and b"$" not in line:
        return [word for word in line.split(b" ") if word]
    line = line.replace(b"\\ ", b"\0").replace(b"\\#", b"#").replace(b"\\\t", b"\t")
    if b"\\" in line or b"$" in line.replace(b"$$", b""):
        return None
    words = line.replace(b"$$", b"$").split(b" ")
    return [word.replace(b"\0", b" ") for word in words if word]
