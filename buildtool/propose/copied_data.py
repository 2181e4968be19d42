"""Finds the data of a tree's tests that CMake copies into the build tree when it configures."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from pathlib import Path

from buildtool.propose.cmake_calls import CMakeCall
from buildtool.propose.configure import Configured
from buildtool.propose.options import has_tests

NO_DATA = (".cmake", ".in", ".h", ".hpp", ".pc")
MAX_PATTERNS = 8


def copied_data(configured: Configured) -> tuple[tuple[str, ...], str]:
    """The globs of `test-files` for files that `file(COPY)` and `configure_file(COPYONLY)` put in
    the build tree of a component with tests, and where the first such call is; () and "" if none.
    """
    found: dict[str, str] = {}
    for call in configured.calls if has_tests(configured) else ():
        for place in _copies(call, configured.step.tree):
            pattern = str(place.relative_to(configured.step.tree))
            if place.is_dir():
                found.setdefault(f"{pattern}/**/*", call.where)
            elif place.is_file() and place.suffix not in NO_DATA:
                folder = posixpath.dirname(pattern)
                found.setdefault(f"{folder}/*{place.suffix}" if folder else pattern, call.where)
    kept = [p for p in found if p.endswith("/*") or f"{posixpath.dirname(p)}/*" not in found]
    patterns = tuple(kept[:MAX_PATTERNS])
    return patterns, found[patterns[0]] if patterns else ""


def _copies(call: CMakeCall, tree: Path) -> Iterator[Path]:
    """The places in the build tree that a command copies to."""
    words = call.words
    here = tree / posixpath.dirname(call.file)
    if call.name == "file" and words[0] == "COPY" and "DESTINATION" in words:
        sources = words[1 : words.index("DESTINATION")]
        places = [here / call.after("DESTINATION") / Path(name).name for name in sources]
    elif call.name == "configure_file" and "COPYONLY" in words:
        place = here / words[1]
        places = [place / Path(words[0]).name if place.is_dir() else place]
    else:
        places = []
    normal = (Path(posixpath.normpath(place)) for place in places)
    yield from (place for place in normal if place.is_relative_to(tree) and place != tree)
