"""The environment that build tools run in: named variables only, so that a stray CFLAGS,
CMAKE_PREFIX_PATH or TARGET of the caller's shell cannot change what is built."""

from __future__ import annotations

import os
from collections.abc import Iterable

from buildtool.core.cache import cache_dir
from buildtool.core.safe_path import check_path

PASSED_ON = ("HOME", "LOGNAME", "PATH", "TERM", "TMPDIR", "USER")
"""What tools need to run at all.  It shapes no output: these differ between people who are to
share what they build, and a program that CMake finds through PATH is an input by its content."""
SHAPING = ("SOURCE_DATE_EPOCH",)
"""What shapes outputs by agreement; see reproducible-builds.org.  A project may name more."""
FIXED = {"LANG": "C.UTF-8"}
"""One language for all: messages are read by this tool, and names are sorted by it."""


def build_environment(shaping: Iterable[str] = ()) -> dict[str, str]:
    """What every build tool sees: `PASSED_ON`, the variables called `shaping`, `FIXED`, and caches
    of this tool's own.

    Raises `UnsafePathError` for a directory of temporary files that a tool would misread.
    """
    environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    if temporary := environment.get("TMPDIR"):
        # With -flto, GCC writes a Makefile with names of temporary files, unquoted.
        check_path(temporary, "temporary files", "Set TMPDIR to a directory without it.")
    zig_cache = str(cache_dir() / "zig")
    return {
        **environment,
        **let_through(shaping),
        **FIXED,
        "BUILDTOOL_CACHE": str(cache_dir()),
        "ZIG_GLOBAL_CACHE_DIR": zig_cache,
        "ZIG_LOCAL_CACHE_DIR": zig_cache,
    }


def let_through(names: Iterable[str]) -> dict[str, str]:
    """The variables of the caller's that steps depend on: `SHAPING` and `names`."""
    return {name: os.environ[name] for name in (*SHAPING, *names) if name in os.environ}
