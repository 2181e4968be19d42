"""A step's key: everything that is known before the step runs and has an influence on its outputs.

The fields have names, so that the reason for another key can be told.  No field holds a path of
this clone, so that another clone has the same key.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from buildtool import __version__
from buildtool.core.files import file_digest, value_digest
from buildtool.inputs.roots import Roots
from buildtool.plan.component_step import FilesStep
from buildtool.plan.environment import let_through
from buildtool.plan.plan import CMakeStep, Step

KEY_VERSION = 4
"""Increased when the meaning of a key changes: results of earlier versions are not used then."""


def step_fields(step: Step, needs: Mapping[str, str], packages: str) -> dict[str, Any]:
    """The named fields of the step's key.

    `needs` are the digests of the outputs of the steps that it needs, by step; `packages` is the
    key of its Conan packages, "" for none.  The compiler launcher is not a field: it does not
    affect the outputs.
    """
    if isinstance(step, FilesStep):
        return _files_fields(step)
    roots = step.roots

    def said(texts: Mapping[str, str]) -> dict[str, str]:
        return {name: _named(text, roots) for name, text in texts.items()}

    profile = step.profile
    own = step.toolchain_file
    return {
        "version": KEY_VERSION,
        "component": {
            "name": step.component,
            "arch": step.arch or "",
            "source": roots.name_of(step.source),
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
            "toolchain file": roots.name_of(own) if own else "",
        },
        "environment": said(let_through(step.environment)),
        "tools": {"buildtool": __version__, "cmake and ninja": step.cmake.identity},
        "needs": dict(needs),
        # The one that is searched first comes first.
        **({"order of needs": [name for name, _ in step.needs]} if len(step.needs) > 1 else {}),
        "packages": packages,
    }


def _files_fields(step: FilesStep) -> dict[str, Any]:
    """Of the profile, only what the files are checked against is of interest."""
    profile = step.profile
    return {
        "version": KEY_VERSION,
        "component": {
            "name": step.component,
            "arch": step.arch or "",
            "files": list(step.files),
            "tree": step.folder,
            "links": dict(step.links),
        },
        "profile": {
            "platform": profile.platform,
            "glibc": profile.settings.get("GLIBC", ""),
            "runtime": sorted(profile.runtime),
            "cdsprpc": profile.cdsprpc.digest if profile.cdsprpc else "",
        },
        "shell": profile.shell.digest if profile.shell else "",
        "tools": {"buildtool": __version__},
    }


def _preset_files(step: CMakeStep, roots: Roots) -> dict[str, str]:
    from buildtool.plan.presets import preset_files  # noqa: PLC0415 - most have no presets

    return {roots.name_of(file): file_digest(file) for file in preset_files(step.source)}


def step_key(fields: Mapping[str, Any]) -> str:
    """sha256 of the fields, as sorted JSON."""
    return value_digest(fields)


def base_key(fields: Mapping[str, Any]) -> str:
    """sha256 of those fields after whose change a build tree is deleted: no tool reports what in
    the tree depends on them."""
    names = ("version", "profile", "environment", "tools", "packages")
    return value_digest([fields["component"]["inputs"], *(fields[name] for name in names)])


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """The fields that differ: name (`cmake.defines.LEVEL`), old and new value ("" for none)."""
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
        return '""'  # present, and empty
    return "" if value is None else str(value)


def _named(text: str, roots: Roots) -> str:
    """`text` with each root in it replaced by its name."""
    for name, place in sorted(roots.directories.items(), key=lambda root: -len(str(root[1]))):
        if str(place) in text:
            text = re.sub(rf"{re.escape(str(place))}(?![\w.+-])", f"{{{name}}}", text)
    return text
