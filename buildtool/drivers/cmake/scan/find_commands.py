"""Where CMake's find_ commands searched, and what they found, from CMake's configure log."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from buildtool.drivers.cmake.scan.configure_log import Event
from buildtool.drivers.cmake.scan.input_collector import InputCollector, escape_glob

# CMake also searches the system's prefixes; of these only the candidates that it lists count.  In
# those to ignore it does not search.
_SYSTEM_PREFIXES = ("CMAKE_SYSTEM_PREFIX_PATH", "CMAKE_INSTALL_PREFIX", "ENV{PATH}")
_IGNORED = (
    *("CMAKE_IGNORE_PATH", "CMAKE_IGNORE_PREFIX_PATH"),
    *("CMAKE_SYSTEM_IGNORE_PATH", "CMAKE_SYSTEM_IGNORE_PREFIX_PATH"),
)
_LIBRARY_DIRECTORIES = ("lib*", "share", "lib/*")


def add_searches(events: Iterable[Event], found: InputCollector) -> None:
    """Add to `found` the paths where CMake searched in vain, and those that it found."""
    for event in events:
        if event.kind == "find_package-v1":
            _add_package(event, found)
        elif event.kind == "find-v1":
            _add_search(event, found)


def _add_search(event: Event, found: InputCollector) -> None:
    """find_file(), find_library(), find_path() and find_program()."""
    mode, names = event.values.get("mode", ""), event.lists.get("names", [])
    for path in event.lists.get("searched_directories", ()):
        if mode == "library" and path.endswith("/"):
            for name in names:
                for file in (name, f"lib{name}.so", f"lib{name}.a"):
                    found.add_existence(path + file)
        elif path.startswith("/"):
            found.add_existence(path)
    result = event.values.get("found", "")
    if not result.startswith("/"):
        return
    if mode == "program":  # the build may run it
        found.add_content(result)
    elif mode == "path":
        for name in names:
            if os.path.lexists(f"{result}/{name}"):
                found.add_existence(f"{result}/{name}")
    else:
        found.add_existence(result)


def _add_package(event: Event, found: InputCollector) -> None:
    """find_package()."""
    for path in event.lists.get("candidates", ()):
        if path.startswith("/"):
            found.add_existence(path)
    # The candidates do not include those in directories that do not exist.
    prefixes = dict.fromkeys(
        path.rstrip("/")
        for key, paths in event.lists.items()
        for path in paths
        if key.startswith(("settings/hints", "settings/search_paths", "search_context/"))
        and key.rpartition("/")[2] not in (*_SYSTEM_PREFIXES, *_IGNORED)
        and path.startswith("/")
    )
    for name in event.lists.get("settings/names") or [event.values.get("name", "")]:
        for pattern in _package_files(name) if name else ():
            for prefix in prefixes:
                found.add_listing(pattern, prefix)


def _package_files(name: str) -> Iterator[str]:
    """Where find_package() searches below a prefix, as globs.  Source: its reference, "Config Mode
    Search Procedure"; directory names are case-insensitive there."""
    any_case = "".join(f"[{c.lower()}{c.upper()}]" if c.isalpha() else escape_glob(c) for c in name)
    named = f"{any_case}*/"
    folders = ["", "[cC][mM]ake/", f"[cC][mM]ake/{named}"]
    for library in _LIBRARY_DIRECTORIES:
        folders += [f"{library}/cmake/{named}", f"{library}/{named}", f"{library}/{named}cmake/"]
    for folder in folders:
        yield f"{folder}{any_case}*onfig.cmake"
        yield f"{named}{folder}{any_case}*onfig.cmake"
    for library in _LIBRARY_DIRECTORIES:
        yield f"{library}/cps/{any_case}.cps"
        yield f"{library}/cps/{named}{any_case}.cps"
