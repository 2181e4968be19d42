"""Reject compile flags that the profile's compiler cannot honour before anything is built."""

from __future__ import annotations

from buildtool.drivers.cmake.file_api import BuildTree
from buildtool.toolchains.profile import Profile, ProfileError
from buildtool.toolchains.unsupported import find_unsupported


def dropped_flags(tree: BuildTree, profile: Profile) -> str:
    """A note about flags of the tree that the profile drops; "" if there are none."""
    texts = [flag for target in tree.targets for group in target.groups for flag in group.flags]
    texts += [word for t in tree.targets for fragment in t.link for word in fragment.arguments]
    found = [f for f in profile.dropped if any(t == f or t.startswith(f"{f}=") for t in texts)]
    if not found:
        return ""
    these = "this flag" if len(found) == 1 else "these flags"
    return f"{', '.join(found)}: ignored; only the Hexagon SDK's compiler has {these}."


def check_flags(tree: BuildTree, profile: Profile) -> None:
    """Check the compile flags of every target of a configured tree.

    Raises `ProfileError` with target, flag, reason and remedy.
    """
    for target in tree.targets:
        for group in target.groups:
            if refusal := find_unsupported(profile.unsupported, group.flags):
                sources = ", ".join(path.name for path in group.sources[:3])
                more = ", …" if len(group.sources) > 3 else ""
                raise ProfileError(
                    f"{target.name} asks for {refusal.flag}, which {profile.name} cannot do",
                    why=f"{refusal.reason} (in the flags of {sources}{more})",
                    remedy=refusal.remedy,
                )
