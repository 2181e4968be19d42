"""Finds the data of a tree's tests: what CMake copies into the build tree when it configures, and
files that the sources of programs name."""

from __future__ import annotations

import glob
import os
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

from buildtool.propose.cmake_calls import NESTED_BUILD_COMMANDS, CMakeCall
from buildtool.propose.configure import Configured
from buildtool.propose.options import has_tests

NO_DATA = (".cmake", ".in", ".h", ".hpp", ".pc")
MAX_PATTERNS = 8
MAX_SOURCES = 500
MAX_BYTES = 1 << 20  # of a source
_INCLUDE = re.compile(r"(?m)^[ \t]*#[ \t]*include.*$")
_LITERAL = re.compile(r'"([^"\\\n]{1,200})"')


def opened_data(configured: Configured) -> tuple[tuple[str, ...], str]:
    """The globs of `test-files` for files that string literals of programs name relative to the
    working directory of a test in the source directory, and what sets that directory; () and "" if
    there are none.  A missing file in a directory there is one that a test writes."""
    source = configured.step.source
    folders = _working_directories(configured)
    named = [
        (path, where)
        for text in (_literals(configured) if folders else ())
        for folder, where in folders.items()
        if (path := os.path.normpath(folder / text)).startswith(f"{source}/")
    ]
    found: dict[str, str] = {}
    for path, where in named:
        if os.path.isfile(path):  # noqa: PTH113 - pathlib raises if it is too long
            place = Path(path).relative_to(source)
            inside = glob.escape(str(place.parent))
            whole = inside == "." or not place.suffix
            pattern = glob.escape(str(place)) if whole else f"{inside}/*{place.suffix}"
            found.setdefault(pattern, where)
    known = {posixpath.dirname(pattern) for pattern in found}
    for path, where in named:
        above = Path(path).parent
        inside = glob.escape(str(above.relative_to(source)))
        is_file = os.path.isdir(above) and not os.path.isdir(path)  # noqa: PTH112
        if is_file and above not in (source, *folders) and inside not in known:
            found.setdefault(f"{inside}/*", where)
    patterns = tuple(found)[:MAX_PATTERNS]
    return patterns, found[patterns[0]] if patterns else ""


def _working_directories(configured: Configured) -> dict[Path, str]:
    """The directories of sources that tests work in, and what sets them."""
    step = configured.step
    named = (
        (Path(os.path.normpath(folder)), call.where)
        for call in configured.calls
        if call.name not in NESTED_BUILD_COMMANDS and has_tests(configured)
        if (folder := call.after("WORKING_DIRECTORY")).startswith("/")
    )
    return {
        folder: where
        for folder, where in named
        if folder.is_relative_to(step.source) and not folder.is_relative_to(step.tree)
    }


def _literals(configured: Configured) -> Iterator[str]:
    """The string literals in the sources of the tree's programs, each once."""
    programs = [target for target in configured.model.targets if target.kind == "EXECUTABLE"]
    sources = dict.fromkeys(path for target in programs for path in target.sources)
    known: set[str] = set()
    for path in list(sources)[:MAX_SOURCES]:
        if path.is_file() and path.stat().st_size <= MAX_BYTES:
            text = path.read_text(encoding="utf-8", errors="replace")
            known.update(_LITERAL.findall(_INCLUDE.sub("", text)))
    yield from sorted(known)


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
