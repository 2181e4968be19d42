"""`places.toml`: where the files of a sysroot are on devices."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Platform:
    """Directories of libcdsprpc and its file names, directories of DSP shells; in order."""

    libraries: tuple[str, ...]
    names: tuple[str, ...]
    shells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SystemPlaces:
    """The whole table; `android` lists files that only Android has."""

    platforms: Mapping[str, Platform]
    shell_names: tuple[str, ...]
    android: tuple[str, ...]
    properties: tuple[str, ...]
    compatible: tuple[str, ...]
    model: tuple[str, ...]
    soc0: tuple[str, ...]


def _read() -> SystemPlaces:
    table = tomllib.loads((Path(__file__).parent / "places.toml").read_text(encoding="utf-8"))
    return SystemPlaces(
        platforms={
            name: Platform(*(tuple(table[name][key]) for key in ("libraries", "names", "shells")))
            for name in ("ubuntu-aarch64", "android")
        },
        shell_names=tuple(table["shell"]["names"]),
        **{key: tuple(paths) for key, paths in table["facts"].items()},
    )


PLACES = _read()
