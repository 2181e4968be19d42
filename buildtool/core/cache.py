"""The user's cache directory, which all projects share; it is safe to delete."""

from __future__ import annotations

import os
from pathlib import Path

from buildtool.core.safe_path import check_path
from buildtool.core.value import Value


class Cache(Value):
    """A directory in the cache directory: what it contains, whether its size counts towards the
    limit, and whether builds create it again, so that it may be repaired and cleared."""

    contents: str
    counted: bool = True
    recreated: bool = True


CACHES = {
    "actions": Cache("what steps made"),
    "zig": Cache("compiled by zig"),
    "emulator": Cache("programs of the emulated device"),
    "hexagon-root": Cache("SDK-shaped directories", counted=False),
    "device": Cache("emulated devices"),
    "devices": Cache("facts about devices, and their cards"),
    "probe": Cache("the project of buildtool probe", counted=False),
    "probes": Cache("what devices did when they were probed", counted=False, recreated=False),
    "buildtool-cdsprpc": Cache("import stubs"),
    "digests": Cache("digests of compilers and SDKs"),
    "answers": Cache("answers of compilers"),
    "sdk-archives": Cache("unfinished downloads of SDKs"),
    "debian": Cache("Debian packages for arm64", counted=False),
    "sysroots": Cache("from devices", counted=False, recreated=False),
    "distribute": Cache("compilers for other machines", counted=False),
    "toolchains": Cache("links to compilers", counted=False),
}
"""All directories in the cache directory, by name.  Users may replace them by links."""


def cache_dir() -> Path:
    """`$BUILDTOOL_CACHE`, else `buildtool` in the user's cache directory.

    Source: the XDG Base Directory Specification, which tells programs to ignore a relative path.
    Raises `UnsafePathError` for a path that a tool would misread.
    """
    chosen = os.environ.get("BUILDTOOL_CACHE", "")
    if not chosen:
        users = os.environ.get("XDG_CACHE_HOME", "")
        if not users.startswith("/"):
            users = os.path.expanduser("~/.cache")  # noqa: PTH111
        chosen = f"{users}/buildtool"
    directory = Path(chosen).absolute()
    check_path(directory, "the cache", "Set BUILDTOOL_CACHE to a directory without it in its path.")
    return directory
