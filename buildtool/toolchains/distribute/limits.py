"""What the engines cannot do for a profile's compiler, for `doctor` and `profile --distribute`."""

from __future__ import annotations

from collections.abc import Iterator

from buildtool.sdk.tool_search import Problem
from buildtool.toolchains.profile import Profile


def limits(profile: Profile, engine: str) -> Iterator[Problem]:
    """Why machines need more than the archive, or why objects are compiled on this machine."""
    if profile.places.get("ZIG"):
        return
    program = profile.compiler.c[0]
    if engine == "distcc":
        yield Problem(
            f"distcc does not send {program}: it needs libraries beside it",
            "Install the same package on each machine; the archive checks it.",
        )
    if profile.platform == "hexagon":
        yield Problem(
            f"{program} compiles on this machine what has debug information: DWARF 5 has digests"
            " of source files, which other machines do not have",
            "Add -gdwarf-4 to the target's flags.",
        )
