"""Match names against one component of a glob, between two slashes.

Source: the reference of CMake's file(GLOB), and experiments.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

_SPECIAL = r"[*?\[]"
_LITERAL = r"\[([*?\[])\]"  # a special character that stands for itself


def only_name(part: str) -> str | None:
    """The only name that a component of a pattern matches; None if it may match several."""
    name = re.sub(_LITERAL, r"\1", part)
    return None if re.search(_SPECIAL, re.sub(_LITERAL, "", part)) else name


@functools.cache
def name_matcher(part: str) -> Callable[[bytes], object]:
    """A function that tests whether a name, as bytes, matches one component of a pattern."""
    try:
        return re.compile(_expression(encoded(part)), re.DOTALL).fullmatch
    except (ValueError, re.error):
        return lambda _: None  # a reversed range: CMake matches nothing either


def encoded(name: str) -> bytes:
    """The bytes of a name."""
    return name.encode(errors="surrogateescape")  # six times as fast as os.fsencode


def _expression(part: bytes) -> bytes:
    parts, at = [b""], 0  # between the asterisks
    while at < len(part):
        char = part[at : at + 1]
        at += 1
        if char == b"*":
            parts.append(b"")
        elif char == b"?":
            parts[-1] += b"."
        elif char == b"[" and (end := _bracket_end(part, at)) >= 0:
            parts[-1] += _bracket(part[at:end])
            at = end + 1
        else:
            parts[-1] += re.escape(char)
    first, *middle = parts
    if not middle:
        return first
    last = middle.pop()
    # If the earliest match of a part does not lead to a match of the whole, no later one does; to
    # try those too may take exponential time.
    return first + b"".join(b"(?>.*?%b)" % part for part in middle if part) + b".*" + last


def _bracket_end(part: bytes, at: int) -> int:
    """The end of the bracket expression whose content starts at `at`; -1 if it has no end, so that
    the bracket is a literal character."""
    if part[at : at + 1] in (b"!", b"^"):
        at += 1
    return part.find(b"]", at + 1 if part[at : at + 1] == b"]" else at)


def _bracket(inside: bytes) -> bytes:
    negated = inside[:1] in (b"!", b"^")
    inside = inside[1:] if negated else inside
    allowed: set[int] = set()
    at = 0
    while at < len(inside):
        if inside[at] == ord("-") and 0 < at < len(inside) - 1:
            low, high = inside[at - 1] + 1, inside[at + 1]
            if low > high + 1:
                raise ValueError("a reversed range")
            allowed.update(range(low, high + 1))
            at += 2
        else:
            allowed.add(inside[at])
            at += 1
    if not allowed:
        return b"." if negated else b"(?!)"
    return b"[" + (b"^" if negated else b"") + b"".join(b"\\x%02x" % c for c in allowed) + b"]"
