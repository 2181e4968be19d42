"""CMake presets of build trees, for plain `cmake --preset` and for editors.

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
"""Written where a user has a CMakeUserPresets.json, which may include it."""
VERSION = 4
MINIMUM = {"major": 3, "minor": 23, "patch": 0}
MARK = "buildtool"
"""The key below `vendor` that holds the digest of a file that this program wrote."""
UNSET = ("ASMFLAGS", "CC", "CFLAGS", "CXX", "CXXFLAGS", "CMAKE_PREFIX_PATH", "LDFLAGS")
"""Variables of the caller that would affect a first configuration."""
MAX_BYTES = 4 << 20
MAX_FILES = 100


class Preset(Value):
    """The preset of one build tree; `base` is the component's preset that it inherits from."""

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
    """A presets file with `presets`, marked as written by this program; it includes `include`."""
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
    """Whether `file` is an unchanged presets file that this program wrote."""
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
    """The files that define the presets of the directory `source`, included files too, without the
    files that this program wrote."""
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
            continue  # CMake reports what is wrong with it
    return list(found)


def empty_written(source: Path) -> None:
    """Remove all presets from the files that this program wrote into the directory `source`.

    CMake reads these files too, and accepts no preset at all when one of them inherits from a
    preset that no longer exists.
    """
    for name in (USER_PRESETS, INCLUDED_PRESETS):
        if written_here(source / name):
            write_if_changed(source / name, presets_text([]))


def _cache_variable(key: str, value: str) -> tuple[str, Any]:
    """The entry of a cache variable; `NAME:TYPE`, as on CMake's command line, has a type."""
    name, _, kind = key.partition(":")
    return name, {"type": kind, "value": _literal(value)} if kind else _literal(value)


def _literal(text: str) -> str:
    """`text` with dollar signs escaped, which begin a macro in a presets file."""
    return text.replace("$", "${dollar}")
