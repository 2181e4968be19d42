"""Selects the configure preset of a CMake project for each side, by its name."""

from __future__ import annotations

import re
from collections.abc import Sequence

from buildtool.propose.target_sides import archs_of, with_arch

_WORD = re.compile(r"[a-z0-9]+")
_HEXAGON = {"dsp", "cdsp", "adsp", "hexagon", "htp", "skel", "skels", "qurt", "npu", "hvx"}
_ELSEWHERE = {"android", "windows", "win", "msvc", "macos", "darwin", "ios", "x86", "x64", "wasm"}
_PREFERRED = ("host", "arm64", "aarch64", "linux", "ubuntu", "default", "release")


def skel_preset(names: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """The preset for skels, and its archs.

    The name contains `{arch}` if there is one preset for each arch.  The archs are () for a single
    preset without an arch.  The name is "" if there is none, or no unique one.
    """
    fit = [name for name in names if _words(name) & _HEXAGON or archs_of([name])]
    named = [(name, archs) for name in fit if (archs := archs_of([name]))]
    families = list(dict.fromkeys(with_arch(name, archs[0]) for name, archs in named))
    if len(families) == 1:
        return families[0], archs_of(fit)
    return (fit[0], ()) if len(fit) == 1 else ("", ())


def host_preset(names: Sequence[str]) -> str:
    """The preset for the ARM64 side; "" if there is none, or no unique one."""
    fit = [name for name in names if not _words(name) & (_HEXAGON | _ELSEWHERE)]
    fit = [name for name in fit if not archs_of([name])]
    if len(fit) > 1:
        for word in _PREFERRED:
            if liked := [name for name in fit if word in _words(name)]:
                fit = liked
                break
    return fit[0] if len(fit) == 1 else ""


def _words(name: str) -> set[str]:
    return set(_WORD.findall(name.lower()))
