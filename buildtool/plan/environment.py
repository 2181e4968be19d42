"""The environment of build tools: a fixed set of variables, so that a stray CFLAGS,
CMAKE_PREFIX_PATH or TARGET in the caller's shell does not change what is built."""

from __future__ import annotations

import os
from collections.abc import Iterable

from buildtool.core.cache import cache_dir
from buildtool.core.safe_path import check_path

PASSED_ON = ("HOME", "LOGNAME", "PATH", "TERM", "TMPDIR", "USER")
"""Variables that tools need to run.  They are not part of a step's key: they differ between users
who share a cache, and a program that CMake finds through PATH is an input of the step."""
SHAPING = ("SOURCE_DATE_EPOCH",)
"""Variables that shape outputs by convention (reproducible-builds.org); a project may name more."""
FIXED = {"LANG": "C.UTF-8"}
"""This program parses messages in English, and the order of names depends on the language."""


def build_environment(shaping: Iterable[str] = ()) -> dict[str, str]:
    """The environment of every build tool: `PASSED_ON`, `SHAPING` and the variables `shaping`,
    `FIXED`, and the directories of this program's caches.

    Raises `UnsafePathError` for a TMPDIR that a tool would misparse.
    """
    environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    if temporary := environment.get("TMPDIR"):
        # With -flto, GCC writes unquoted names of temporary files into a Makefile.
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
    """The caller's variables that steps depend on: `SHAPING` and `names`, where they are set."""
    return {name: os.environ[name] for name in (*SHAPING, *names) if name in os.environ}
