"""The environment of build tools: a fixed set of variables, so that a stray CFLAGS,
CMAKE_PREFIX_PATH or TARGET in the caller's shell does not change what is built."""

from __future__ import annotations

import os
from collections.abc import Iterable

from buildtool.core.cache import cache_dir
from buildtool.core.errors import UsageError
from buildtool.core.safe_path import check_path

PASSED_ON = ("HOME", "LOGNAME", "PATH", "TERM", "TMPDIR", "USER")
"""Variables that tools need to run.  They are not part of a step's key: they differ between users
who share a cache, and a program that CMake finds through PATH is an input of the step."""
EPOCH_VARIABLE = "SOURCE_DATE_EPOCH"
LATEST_TIME = 2**32 - 1  # 2106; archive formats store 32 bits
SHAPING = (EPOCH_VARIABLE,)
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
    """The caller's variables that steps depend on: `SHAPING` and `names`, where they are set.

    Raises `UsageError` as `source_date_epoch` does.
    """
    found = {name: os.environ[name] for name in (*SHAPING, *names) if name in os.environ}
    if source_date_epoch() is None:
        found.pop(EPOCH_VARIABLE, None)  # compilers refuse an empty one
    return found


def source_date_epoch() -> int | None:
    """The time of the sources that the caller sets, in seconds since 1970; None if it is not set.

    Raises `UsageError` when the variable is not a time.  Source: reproducible-builds.org,
    "SOURCE_DATE_EPOCH specification".
    """
    text = os.environ.get(EPOCH_VARIABLE, "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 10) or int(text) > LATEST_TIME:
        raise UsageError(
            f"{EPOCH_VARIABLE} is not a time: {text!r}",
            why=f"it must be a number of seconds since 1970, at most {LATEST_TIME}",
            remedy=f"Unset it, or set it to the time of the sources: {EPOCH_VARIABLE}=$(git log -1"
            " --format=%ct)",
        )
    return int(text)
