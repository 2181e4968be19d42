"""Configure presets of an existing tree, as far as they tell which side they are for.

Source of the format: cmake-presets(7).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from buildtool.project.archs import HEXAGON_ARCHS

MAX_PRESETS = 500
_WORD = re.compile(r"[a-z0-9]+")
_DSP_WORDS = {"dsp", "cdsp", "adsp", "hexagon", "htp", "skel", "skels", "qurt", "npu", "hvx"}
_ELSEWHERE = {"android", "windows", "win", "msvc", "macos", "darwin", "ios", "x86", "x64", "wasm"}
_LIKED = ("host", "arm64", "aarch64", "linux", "ubuntu", "default", "release")
_ARCH = re.compile(r"(?<![a-z0-9])v[0-9]{2}(?![0-9])")


@dataclass(frozen=True, slots=True)
class ConfigurePreset:
    """A visible configure preset, with what it inherits: texts of its cache variables."""

    name: str
    cache: Mapping[str, str] = field(default_factory=dict)
    toolchain: str = ""

    @property
    def archs(self) -> tuple[str, ...]:
        """The DSP archs that its name or a cache variable is about."""
        said = [*_ARCH.findall(self.name.lower()), *self.cache.values()]
        return tuple(arch for arch in HEXAGON_ARCHS if arch in said)

    @property
    def arch_variables(self) -> tuple[str, ...]:
        return tuple(name for name, value in self.cache.items() if value in HEXAGON_ARCHS)

    @property
    def words(self) -> set[str]:
        return set(_WORD.findall(self.name.lower()))

    @property
    def is_dsp(self) -> bool:
        told = self.archs or self.words & _DSP_WORDS
        return bool(told) or "hexagon" in self.toolchain.lower()

    @property
    def family(self) -> str:
        """Its name with `{arch}` for the arch."""
        return _ARCH.sub("{arch}", self.name)


def configure_presets(text: str) -> tuple[ConfigurePreset, ...]:
    """The visible configure presets in the text of a presets file; none where it is not one."""
    try:
        rows = json.loads(text)["configurePresets"]
        known = {row["name"]: row for row in rows[:MAX_PRESETS] if isinstance(row["name"], str)}
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return ()
    return tuple(
        _preset(name, known)
        for name, row in known.items()
        if not row.get("hidden") and name.isprintable()
    )


def _preset(name: str, known: Mapping[str, Any]) -> ConfigurePreset:
    cache: dict[str, str] = {}
    toolchain = ""
    waiting, seen = [name], set[str]()
    while waiting:
        row = known.get(waiting.pop(0))
        if not isinstance(row, dict) or row["name"] in seen:
            continue
        seen.add(row["name"])
        variables = row.get("cacheVariables")
        for key, value in variables.items() if isinstance(variables, dict) else ():
            plain = value.get("value") if isinstance(value, dict) else value
            if isinstance(plain, str | bool):
                cache.setdefault(str(key), str(plain))
        if isinstance(row.get("toolchainFile"), str):
            toolchain = toolchain or row["toolchainFile"]
        inherits = row.get("inherits", [])
        parents = inherits if isinstance(inherits, list) else [inherits]
        waiting += [parent for parent in parents if isinstance(parent, str)][:MAX_PRESETS]
    return ConfigurePreset(name, cache, toolchain)


def skel_preset(presets: Iterable[ConfigurePreset]) -> tuple[str, str]:
    """The preset for skels, with `{arch}` in it where there is one an arch; and why.

    One that leaves the arch open is preferred, where those for the archs add nothing else.
    """
    fit = [preset for preset in presets if preset.is_dsp]
    plain = [preset for preset in fit if not preset.archs]
    by_arch = [preset for preset in fit if preset.archs and preset.family != preset.name]
    families = list(dict.fromkeys(preset.family for preset in by_arch))
    for preset in plain:
        others = [_but_arch(other) for other in by_arch]
        if not others or all(other == _but_arch(preset) for other in others):
            return preset.name, f"the configure preset {preset.name!r}"
    if len(families) == 1:
        names = ", ".join(preset.name for preset in by_arch)
        return families[0], f"configure presets {names}"
    return "", ""


def _but_arch(preset: ConfigurePreset) -> dict[str, str]:
    return {name: value for name, value in preset.cache.items() if value not in HEXAGON_ARCHS}


def host_preset(presets: Iterable[ConfigurePreset]) -> tuple[str, str]:
    """The preset for the ARM64 side, and why; "" where none or several would do."""
    fit = [p for p in presets if not p.is_dsp and not p.words & _ELSEWHERE]
    if len(fit) > 1:
        for word in _LIKED:
            if liked := [preset for preset in fit if word in preset.words]:
                fit = liked if len(liked) == 1 else []
                break
    if len(fit) != 1:
        return "", ""
    return fit[0].name, f"the configure preset {fit[0].name!r}"
