"""Reject compile flags that the profile's compiler cannot honour before anything is built."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from buildtool.drivers.cmake.file_api import BuildTree, CMakeTarget
from buildtool.toolchains.profile import Profile, ProfileError
from buildtool.toolchains.unsupported_flags import ZigLinkerRule, find_unsupported, left_out

if TYPE_CHECKING:
    from buildtool.toolchains.unsupported_flags import UnsupportedRule


def dropped_flags(tree: BuildTree, profile: Profile) -> str:
    """A note about flags of the tree that the profile drops; "" if there are none."""
    texts = [flag for target in tree.targets for group in target.groups for flag in group.flags]
    texts += [word for t in tree.targets for fragment in t.link for word in fragment.arguments]
    found = [f for f in profile.dropped if any(t == f or t.startswith(f"{f}=") for t in texts)]
    if not found:
        return ""
    these = "this flag" if len(found) == 1 else "these flags"
    return f"{', '.join(found)}: ignored; only the Hexagon SDK's compiler has {these}."


def dropped_arguments(tree: BuildTree, profile: Profile) -> str:
    """A note about linker arguments of the tree that links leave out; "" if there are none."""
    if not _is_zig(profile):
        return ""
    found = {argument for t in tree.targets for argument in left_out(_link_flags(t))}
    if not found:
        return ""
    return (
        f"{', '.join(sorted(found))}: left out; zig's linker does not have it, and what it links is"
        " the same without it."
    )


def missing_openmp(tree: BuildTree, profile: Profile) -> str:
    """A note if the tree looked for OpenMP, which zig does not have; "" if not."""
    if not _is_zig(profile):
        return ""
    entries = (tree.build / "CMakeCache.txt").read_text(encoding="utf-8", errors="replace")
    if not re.search(r"^OpenMP_(C|CXX)_FLAGS:STRING=NOTFOUND$", entries, re.MULTILINE):
        return ""
    return (
        "OpenMP was searched for and not found, because zig has no OpenMP library: loops of the"
        ' project may run on one core.\n  → toolchain = "gcc" or "clang" in the target.'
    )


def check_flags(tree: BuildTree, rules: Sequence[UnsupportedRule], profile: str) -> None:
    """Check the compile flags and the link line of every target of a configured tree
    against `rules`.

    Raises `ProfileError` with target, flag, reason and remedy.
    """
    for target in tree.targets:
        if refusal := find_unsupported(rules, _link_flags(target)):
            path, line = target.where
            raise ProfileError(
                f"{target.name} links with {refusal.flag}, which {profile} cannot do",
                why=f"{refusal.reason} (the target is defined in {path}:{line})",
                remedy=refusal.remedy,
            )
        for group in target.groups:
            if refusal := find_unsupported(rules, group.flags):
                sources = ", ".join(path.name for path in group.sources[:3])
                more = ", …" if len(group.sources) > 3 else ""
                raise ProfileError(
                    f"{target.name} asks for {refusal.flag}, which {profile} cannot do",
                    why=f"{refusal.reason} (in the flags of {sources}{more})",
                    remedy=refusal.remedy,
                )


def _link_flags(target: CMakeTarget) -> list[str]:
    return [word for fragment in target.link for word in fragment.arguments]


def _is_zig(profile: Profile) -> bool:
    return any(isinstance(rule, ZigLinkerRule) for rule in profile.unsupported)
