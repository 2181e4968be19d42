"""`run.json` of a bundle: the run, how it ended, and where."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from buildtool import __version__
from buildtool.core.errors import BuildtoolError
from buildtool.core.processes.signals import signal_name, signal_of
from buildtool.core.value import Value
from buildtool.run.bundle.record import RunRecord
from buildtool.run.bundle.redact import MASK, is_secret

if TYPE_CHECKING:
    from buildtool.documents.errors import ErrorObject

SCHEMA = 1
PREFIXES = (
    *("ADB_", "ANDROID_", "BUILDTOOL_", "CI_", "CMAKE_", "CONAN_", "GITHUB_", "GITLAB_"),
    *("HEXAGON_", "LC_", "NINJA_", "RUNNER_", "XDG_"),
)
NAMES = frozenset(
    {
        *("CC", "CFLAGS", "CI", "CXX", "CXXFLAGS", "HOME", "HOSTNAME", "LANG", "LDFLAGS", "PATH"),
        *("SHELL", "SOURCE_DATE_EPOCH", "TERM", "TMPDIR", "TZ", "USER"),
    }
)
"""The variables of this process that a bundle has: those with these names, those whose names begin
with `PREFIXES`, and those of `environment` in the project file."""


def run_document(record: RunRecord) -> dict[str, Any]:
    """The document of a run, in which the values of variables whose names look like secrets are
    masked."""
    project, request, result = record.project, record.request, record.result
    ready = record.ready
    number = signal_of(result.status) if result else 0
    secret = project.header.secrets
    return {
        "schema": SCHEMA,
        "command_line": [*record.arguments],
        "directory": str(Path.cwd()),
        "project": project.name,
        "device": record.device,
        "address": ready.site.device.transport.address if ready else None,
        "soc": (ready.soc or None) if ready else None,
        "arch": (ready.deployment.arch or None) if ready else None,
        "target": record.built[1].target if record.built else None,
        "platform": project.targets[record.built[1].target].platform if record.built else None,
        "release": record.built[1].id if record.built else None,
        "deployment": ready.deployment.id if ready else None,
        "run": record.name,
        "command": [*(result.command if result else request.command)],
        "cwd": request.cwd,
        "timeout": request.timeout or None,
        "farf": bool(request.farf),
        "forward": [ports._asdict() for ports in (result or request).forward],
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.begun)),
        "seconds": round(result.seconds if result else record.seconds, 3),
        "status": result.status if result else None,
        "signal": signal_name(number) if number else None,
        "dsp_crash": result.dsp_crash if result else "",
        "finding": result.finding.as_json() if result and result.finding else None,
        "error": _error(record.error),
        "environment": {
            "program": _masked(request.env, secret),
            "here": _masked(_own_variables(project.header.environment), secret),
        },
        "versions": _versions(record),
    }


def _error(error: Exception | None) -> ErrorObject | None:
    if error is None:
        return None
    if isinstance(error, BuildtoolError):
        return error.as_json()
    return BuildtoolError(f"{type(error).__name__}: {error}").as_json()


def _masked(variables: Mapping[str, str], secret: Collection[str]) -> dict[str, str]:
    return {
        name: MASK.decode() if is_secret(name, secret) else value
        for name, value in sorted(variables.items())
    }


def _own_variables(wanted: Collection[str]) -> dict[str, str]:
    return {
        name: value
        for name, value in os.environ.items()
        if name in NAMES or name in wanted or name.startswith(PREFIXES)
    }


def _versions(record: RunRecord) -> dict[str, str]:
    versions = {
        "buildtool": __version__,
        "python": platform.python_version(),
        "system": platform.platform(),
    }
    if record.built:
        plan = record.built[0].plan
        if plan.cmake_steps:
            versions["cmake"] = plan.cmake_steps[0].cmake.version
        for step in plan.steps:
            compiler = step.profile.compiler
            versions[f"compiler of {step.name}"] = f"{compiler.kind} {compiler.version}"
    if record.ready:
        transport = record.ready.site.device.transport
        fields = transport._asdict() if isinstance(transport, Value) else {}
        if version := fields.get("version") or fields.get("protocol"):
            versions[type(transport).__name__.lower()] = str(version)
        if transport.direct:
            from buildtool.sdk.qemu import find_qemu  # noqa: PLC0415 - for sim only

            versions["qemu"] = find_qemu(record.project.tool("qemu")).version
    return versions
