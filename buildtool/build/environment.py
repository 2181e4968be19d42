"""The environment that build tools run in: named variables only, so that a stray CFLAGS,
CMAKE_PREFIX_PATH or TARGET of the caller's shell cannot change what is built."""

from __future__ import annotations

import os

from buildtool.core.cache import cache_dir

PASSED_ON = ("HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "TERM", "TMPDIR", "TZ", "USER")


def build_environment() -> dict[str, str]:
    """The variables in `PASSED_ON`, and one zig cache of this tool's own."""
    environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    zig_cache = str(cache_dir() / "zig")
    environment["ZIG_GLOBAL_CACHE_DIR"] = zig_cache
    environment["ZIG_LOCAL_CACHE_DIR"] = zig_cache
    return environment
