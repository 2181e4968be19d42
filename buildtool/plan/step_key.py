"""A step's key: everything that is known before it runs and shapes what it makes.

The fields have names, so that a key can say why it is another one.  No field holds a path of this
clone, so that another clone has the same key.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from buildtool import __version__
from buildtool.core.files import file_digest, value_digest
from buildtool.inputs.roots import Roots
from buildtool.plan.environment import let_through
from buildtool.plan.plan import CMakeStep
from buildtool.sdk.cmake import CMake

KEY_VERSION = 2
"""Another number when what a key means changes: nothing of before is then taken."""


def step_fields(
    step: CMakeStep, cmake: CMake, roots: Roots, needs: Mapping[str, str], packages: str
) -> dict[str, Any]:
    """The named fields of the step's key.

    `needs` are the digests of the outputs that it builds on, by step; `packages` names the Conan
    packages, if any.  A launcher is left out: it changes who compiles, not what comes out.
    """

    def said(texts: Mapping[str, str]) -> dict[str, str]:
        return {name: _named(text, roots) for name, text in texts.items()}

    profile = step.profile
    own = step.toolchain_file
    return {
        "version": KEY_VERSION,
        "component": {
            "name": step.component,
            "arch": step.arch or "",
            "source": roots.named(step.source),
            "inputs": list(step.inputs),
        },
        "profile": {
            "name": profile.name,
            "tools": profile.identity,
            "settings": said(profile.settings),
            "variables": said(profile.variables),
            "environment": said(profile.environment),
            "runtime": sorted(profile.runtime),
            "cdsprpc": profile.cdsprpc.digest if profile.cdsprpc else "",
            "digest": profile.digest,
        },
        "shell": profile.shell.digest if profile.shell else "",
        "cmake": {
            "build type": step.build_type,
            "defines": said(dict(step.defines)),
            "preset": step.preset,
            "preset files": _preset_files(step, roots) if step.preset else {},
            "targets": list(step.targets),
            "artifacts": list(step.artifacts),
            "install": step.install,
            "toolchain file": roots.named(own) if own else "",
        },
        "environment": said(let_through(step.environment)),
        "tools": {"buildtool": __version__, "cmake and ninja": cmake.identity},
        "needs": dict(needs),
        "packages": packages,
    }


def _preset_files(step: CMakeStep, roots: Roots) -> dict[str, str]:
    from buildtool.plan.presets import preset_files  # noqa: PLC0415 - most have no presets

    return {roots.named(file): file_digest(file) for file in preset_files(step.source)}


def step_key(fields: Mapping[str, Any]) -> str:
    """sha256 of the fields, as sorted JSON."""
    return value_digest(fields)


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """The fields that differ: their names (`cmake.defines.LEVEL`), old and new; "" for none."""
    if before == now:
        return []
    old, new = _flat(before), _flat(now)
    return [
        (name, _text(old.get(name), new.get(name)), _text(new.get(name), old.get(name)))
        for name in sorted({**old, **new})
        if old.get(name) != new.get(name)
    ]


def _flat(fields: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in fields.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{prefix}{name}.")
        else:
            flat[prefix + name] = value
    return flat


def _text(value: Any, beside: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if value == "" and beside is None:
        return '""'  # it is there, and empty
    return "" if value is None else str(value)


def _named(text: str, roots: Roots) -> str:
    """`text` with the paths in it by their roots."""
    for name, place in sorted(roots.places.items(), key=lambda root: -len(str(root[1]))):
        if str(place) in text:
            text = re.sub(rf"{re.escape(str(place))}(?![\w.+-])", f"{{{name}}}", text)
    return text
