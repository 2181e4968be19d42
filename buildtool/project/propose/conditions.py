"""What the condition of an if() says: of the side that its branch is for, and of a switch."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from buildtool.project.propose.facts import HOST, SKEL

_DSP_SYSTEM = re.compile(r"(?i)\b(qurt|hexagon|qdsp6|generic)\b")
_HOST_SYSTEM = re.compile(r"(?i)\b(android|linux|windows|aarch64)\b")
_DSP_SWITCHES = {"HEXAGON", "QURT", "BUILD_DSP", "BUILD_SKEL", "BUILD_FOR_DSP", "BUILD_FOR_HEXAGON"}
_SYSTEM = re.compile(r"CMAKE_(SYSTEM_NAME|SYSTEM_PROCESSOR)")


def side_of(words: Sequence[str], arch_variables: Collection[str], before: Sequence[str]) -> str:
    """The side that a branch with this condition is for, "" where it does not say.

    `before` are the sides of the branches before it; without a condition it is else().
    """
    if not words:
        return HOST if before and set(before) == {SKEL} else SKEL if before == [HOST] else ""
    names = {word.strip("${}") for word in words}
    told = set()
    if any(_SYSTEM.search(word) for word in words):
        values = " ".join(word for word in words if not _SYSTEM.search(word))
        told |= {SKEL} if _DSP_SYSTEM.search(values) else set()
        told |= {HOST} if _HOST_SYSTEM.search(values) else set()
    compares = {"STREQUAL", "MATCHES", "VERSION_LESS", "GREATER_EQUAL", "EQUAL", "IN_LIST"}
    if names & (_DSP_SWITCHES | set(arch_variables)) and not names & compares:
        told.add(SKEL)
    if "ANDROID" in names:
        told.add(HOST)
    if len(told) != 1 or "NOT" in words[1:]:
        return ""
    side = told.pop()
    if words[0] == "NOT":
        return HOST if side == SKEL else ""
    return side


def switch_of(
    branches: Sequence[tuple[tuple[str, ...], bool, str]], options: Collection[str]
) -> tuple[str, bool] | None:
    """The option that this place depends on, the innermost, and the value that leaves it out."""
    for words, is_else, _ in reversed(branches):
        if is_else or not words or len(words) > 2:
            continue
        name = words[-1].strip("${}")
        if name in options and (len(words) == 1 or words[0] == "NOT"):
            return name, len(words) == 2
    return None
