"""Where CMake's find_ commands looked, and what they found, from its configure log.

Source: cmake-configure-log(7), events find-v1 and find_package-v1.  The log is YAML; of it only
the few shapes that CMake writes are read: an event begins with `kind:`, keys are indented by four
spaces, texts stand in double quotes.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from buildtool.core.files import read_regular
from buildtool.drivers.cmake.scan.input_collector import InputCollector, literal
from buildtool.drivers.cmake.scan.path_filter import PROBES

MAX_BYTES = 256 << 20
_KEY = re.compile(r"    (\w+):(?: (.*))?$")
_ITEM = re.compile(r"      - (\".*\")$")
_CANDIDATE = re.compile(r"        path: (\".*\")$")
_FOUND = re.compile(r"      path: (\".*\")$")
_PART = re.compile(r"      ([\w{}]+):(?: (\".*\"))?$")
_PART_ITEM = re.compile(r"        - (\".*\")$")
_LISTS = ("backtrace", "names", "searched_directories", "candidates")
_PARTED = ("settings", "search_context")
# Where the system has its packages is searched too; there, what CMake lists as tried must do.
_SYSTEM = ("CMAKE_SYSTEM_PREFIX_PATH", "CMAKE_INSTALL_PREFIX", "ENV{PATH}")
_LIBRARIES = ("lib*", "share", "lib/*")


@dataclass(slots=True)
class _Event:
    kind: str
    values: dict[str, str] = field(default_factory=dict)
    lists: dict[str, list[str]] = field(default_factory=dict)


def read_finds(log: Path, found: InputCollector) -> None:
    """Add to `found` where CMake looked in vain, and what it found; a log that is not there says
    that nothing was looked for."""
    for event in _events(log):
        trace = event.lists.get("backtrace", ())
        if trace and PROBES.search(trace[0]):
            continue
        if event.kind == "find_package-v1":
            _package(event, found)
        else:
            _find(event, found)


def _find(event: _Event, found: InputCollector) -> None:
    mode, names = event.values.get("mode", ""), event.lists.get("names", [])
    for path in event.lists.get("searched_directories", ()):
        if mode == "library" and path.endswith("/"):
            for name in names:
                for file in (name, f"lib{name}.so", f"lib{name}.a"):
                    found.existence(path + file)
        elif path.startswith("/"):
            found.existence(path)
    place = event.values.get("found", "")
    if not place.startswith("/"):
        return
    if mode == "program":  # it may have a part in the build
        found.content(place)
    elif mode == "path":
        for name in names:
            if os.path.lexists(f"{place}/{name}"):
                found.existence(f"{place}/{name}")
    else:
        found.existence(place)


def _package(event: _Event, found: InputCollector) -> None:
    for path in event.lists.get("candidates", ()):
        if path.startswith("/"):
            found.existence(path)
    # The log leaves out directories that there are not.
    prefixes = dict.fromkeys(
        path.rstrip("/")
        for part, paths in event.lists.items()
        for path in paths
        if part.startswith(("settings/hints", "settings/search_paths", "search_context/"))
        and part.rpartition("/")[2] not in _SYSTEM
        and path.startswith("/")
    )
    for name in event.lists.get("settings/names") or [event.values.get("name", "")]:
        for pattern in _package_files(name) if name else ():
            for prefix in prefixes:
                found.listing(pattern, prefix)


def _package_files(name: str) -> Iterator[str]:
    """Where below a prefix find_package() looks, as globs.  Source: its reference, "Config Mode
    Search Procedure"; directories are compared without regard to case."""
    any_case = "".join(f"[{c.lower()}{c.upper()}]" if c.isalpha() else literal(c) for c in name)
    named = f"{any_case}*/"
    folders = ["", "[cC][mM]ake/", f"[cC][mM]ake/{named}"]
    for library in _LIBRARIES:
        folders += [f"{library}/cmake/{named}", f"{library}/{named}", f"{library}/{named}cmake/"]
    for folder in folders:
        yield f"{folder}{any_case}*onfig.cmake"
        yield f"{named}{folder}{any_case}*onfig.cmake"
    for library in _LIBRARIES:
        yield f"{library}/cps/{any_case}.cps"
        yield f"{library}/cps/{named}{any_case}.cps"


def _events(log: Path) -> Iterator[_Event]:
    try:
        text = read_regular(log, MAX_BYTES).decode(errors="surrogateescape")
    except OSError:
        return
    event: _Event | None = None
    key = part = ""
    for line in text.split("\n"):
        if line.startswith("    kind: "):
            if event:
                yield event
            kind = _text(line[len("    kind: ") :])
            event = _Event(kind) if kind in ("find-v1", "find_package-v1") else None
        elif not event:
            continue
        elif match := _KEY.match(line):
            key, part = match[1], ""
            event.values[key] = _text(match[2] or "")
        elif key == "found" and (match := _FOUND.match(line)):
            event.values[key] = _text(match[1])
        elif key in _PARTED and (match := _PART.match(line)):
            part = f"{key}/{match[1]}"
            event.lists[part] = [_text(match[2])] if match[2] else []
        elif key in _PARTED and part and (match := _PART_ITEM.match(line)):
            event.lists[part].append(_text(match[1]))
        elif key in _LISTS and (match := _ITEM.match(line) or _CANDIDATE.match(line)):
            event.lists.setdefault(key, []).append(_text(match[1]))
    if event:
        yield event


def _text(quoted: str) -> str:
    if quoted.startswith('"'):
        try:
            return str(json.loads(quoted))  # a text in quotes is the same in JSON and YAML
        except ValueError:
            return quoted.strip('"')
    return quoted
