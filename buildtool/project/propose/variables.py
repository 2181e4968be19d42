"""Variables of CMake files, as far as their values are plain to see."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Mapping

from buildtool.project.propose.language import Argument

SOURCE, BUILD = "\0source", "\0build"
"""What the directories of the tree and of a build tree stand for; no file has a NUL in it."""
ARCH_VARIABLES = ("DSP_VERSION", "DSP_ARCH", "HEXAGON_ARCH", "HEXAGON_VERSION", "HTP_ARCH")
"""Names that public projects give the DSP arch; never bound to a value while reading."""
MAX_TEXT = 1 << 14  # of one expanded argument
MAX_ITEMS = 2_000  # of one expanded list
_REFERENCE = re.compile(r"\$\{([A-Za-z0-9_./+-]*+)\}")
_NESTED = re.compile(r"\$\{[^{}]*+\$\{")  # a variable in the name of one
_ANY_REFERENCE = re.compile(r"\$(?:ENV|CACHE)?\{([A-Za-z0-9_./+-]*+)\}")


def expand(text: str, values: Mapping[str, str], keep: Collection[str]) -> str:
    """`text` with the known variables replaced, except those in `keep`; others are left.

    Once only, as CMake does: variables in a value are not variables any more.
    """
    for _ in range(2 if _NESTED.search(text) else 1):
        parts, length, at = [], 0, 0
        for match in _REFERENCE.finditer(text):
            name = match[1]
            value = match[0] if name in keep else values.get(name, match[0])
            parts += [text[at : match.start()], value]
            length += match.start() - at + len(value)
            at = match.end()
            if length > MAX_TEXT:
                break
        text = "".join([*parts, text[at:]])[:MAX_TEXT]
    return text


def words(
    arguments: Iterable[Argument], values: Mapping[str, str], keep: Collection[str]
) -> tuple[str, ...]:
    """The arguments as a command gets them: expanded, and lists taken apart."""
    found: list[str] = []
    for argument in arguments:
        text = argument.text if argument.literal else expand(argument.text, values, keep)
        found += [text] if argument.whole else [word for word in text.split(";") if word]
        if len(found) > MAX_ITEMS:
            break
    return tuple(found[:MAX_ITEMS])


def references(text: str) -> list[str]:
    """The names of the variables that `text` reads."""
    return _ANY_REFERENCE.findall(text)


def below(path: str, directory: str, base: str = SOURCE) -> str | None:
    """A path of the tree, relative to it; None for one elsewhere, or one that is not known.

    A relative `path` is taken from `directory`, which is relative to the tree itself.
    """
    if path.startswith(base + "/") or path == base:
        path = path[len(base) + 1 :]
    elif path.startswith(("/", "\0")) or "$" in path:
        return None
    else:
        path = f"{directory}/{path}"
    path = posixpath.normpath(path or ".")
    return None if "$" in path or "\0" in path or path.startswith(("..", "/")) else path
