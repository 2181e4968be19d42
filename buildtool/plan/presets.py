"""Build trees as CMake presets: what plain `cmake --preset` and editors configure them with.

Source of the format: cmake-presets(7).  Version 4 is the first with `include` (CMake 3.23).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from buildtool.core.files import value_digest, write_if_changed
from buildtool.core.value import Value

PRESETS = "CMakePresets.json"
USER_PRESETS = "CMakeUserPresets.json"
INCLUDED_PRESETS = "CMakeUserPresets-buildtool.json"
"""For a person who has a CMakeUserPresets.json, to include from there."""
VERSION = 4
MINIMUM = {"major": 3, "minor": 23, "patch": 0}
MARK = "buildtool"
"""The key below `vendor` that holds the digest of what this project wrote."""
UNSET = ("ASMFLAGS", "CC", "CFLAGS", "CXX", "CXXFLAGS", "CMAKE_PREFIX_PATH", "LDFLAGS")
"""Variables of the caller's that would shape a first configuration."""
MAX_BYTES = 4 << 20
MAX_FILES = 100


class Preset(Value):
    """One build tree: `base` is a preset of the component's own that it starts from."""

    name: str
    title: str
    tree: Path
    cmake: Path
    cache: Mapping[str, str]
    environment: Mapping[str, str]
    base: str = ""
    targets: tuple[str, ...] = ()

    def configure(self) -> dict[str, Any]:
        cache = dict(self.cache)
        toolchain = cache.pop("CMAKE_TOOLCHAIN_FILE")
        environment: dict[str, str | None] = dict.fromkeys(UNSET)
        environment |= {name: _literal(value) for name, value in self.environment.items()}
        preset: dict[str, Any] = {
            "name": self.name,
            "displayName": self.title,
            "generator": "Ninja",
            "binaryDir": _literal(str(self.tree)),
            "cmakeExecutable": _literal(str(self.cmake)),
            "toolchainFile": _literal(toolchain),
            "cacheVariables": dict(_cache_variable(*entry) for entry in cache.items()),
            "environment": environment,
        }
        return {**preset, "inherits": self.base} if self.base else preset

    def build(self) -> dict[str, Any]:
        preset: dict[str, Any] = {"name": self.name, "configurePreset": self.name}
        return {**preset, "targets": list(self.targets)} if self.targets else preset


def presets_text(presets: Iterable[Preset], include: Sequence[str] = ()) -> str:
    """A presets file with `presets`, marked as written here; `include` are files that it needs."""
    presets = list(presets)
    content: dict[str, Any] = {
        "version": VERSION,
        "cmakeMinimumRequired": MINIMUM,
        **({"include": list(include)} if include else {}),
        "configurePresets": [preset.configure() for preset in presets],
        "buildPresets": [preset.build() for preset in presets],
    }
    marked = {**content, "vendor": {MARK: {"digest": value_digest(content)}}}
    return json.dumps(marked, indent=2) + "\n"


def written_here(file: Path) -> bool:
    """Whether `file` is a presets file that `presets_text` made and nobody has edited since."""
    if file.is_symlink() or not file.is_file():
        return False
    try:
        with file.open("rb") as stream:
            content = json.loads(stream.read(MAX_BYTES))
        mark = content.pop("vendor")
        return bool(mark == {MARK: {"digest": value_digest(content)}})
    except (OSError, ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return False


def preset_files(source: Path) -> list[Path]:
    """The files that the presets of the directory `source` come from, without those that were
    written here: what they include, too."""
    found: dict[Path, None] = {}
    waiting = [source / USER_PRESETS, source / PRESETS]
    while waiting and len(found) < MAX_FILES:
        file = waiting.pop()
        if file in found or written_here(file) or not file.is_file():
            continue
        found[file] = None
        try:
            with file.open("rb") as stream:
                included = json.loads(stream.read(MAX_BYTES)).get("include", [])
            waiting += [file.parent / name for name in included if isinstance(name, str)]
        except (OSError, ValueError, RecursionError, TypeError, AttributeError):
            continue  # CMake will say what is wrong with it
    return list(found)


def empty_written(source: Path) -> None:
    """Take every preset out of the files that were written here into the directory `source`.

    CMake reads them before any preset of the component's own, and refuses them all once one
    starts from a preset that is no longer there.
    """
    for name in (USER_PRESETS, INCLUDED_PRESETS):
        if written_here(source / name):
            write_if_changed(source / name, presets_text([]))


def _cache_variable(key: str, value: str) -> tuple[str, Any]:
    """`NAME:TYPE`, as a definition may be written on CMake's command line, is a name and a type."""
    name, _, kind = key.partition(":")
    return name, {"type": kind, "value": _literal(value)} if kind else _literal(value)


def _literal(text: str) -> str:
    """`text` as it stands in a presets file, where a dollar sign may begin a macro."""
    return text.replace("$", "${dollar}")
