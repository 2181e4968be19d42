"""The files of a bundle, without secrets.

`run.json` says how the run ended, and where.
"""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from buildtool import __version__
from buildtool.core.errors import BuildtoolError
from buildtool.core.processes.interrupts import signal_name, signal_of
from buildtool.core.value import Value
from buildtool.device.errors import DeviceError
from buildtool.project.read import FILE_NAME, ProjectError
from buildtool.project.tables import parse_tables, read_toml
from buildtool.run.bundle.record import NAME as RELEASE_PART
from buildtool.run.bundle.record import LeftOut, Part, RunRecord, release_parts
from buildtool.run.bundle.redact import MASK, Redactor, is_secret, redactor, secrets_in
from buildtool.run.bundle.replay import NAME as REPLAY_FILE
from buildtool.run.bundle.replay import replay_document
from buildtool.run.device_logs import DeviceLogs, read_logs

if TYPE_CHECKING:
    from buildtool.device.facts import Facts
    from buildtool.documents.builds import ErrorObject
    from buildtool.release.package import Ingredients

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


class BundleContents(Value):
    """The `files` of a bundle by name, in which secrets are replaced, and the archives in it;
    `missing` says why others are not part of it.  `document` is that of run.json."""

    files: Mapping[str, bytes]
    missing: Mapping[str, str]
    document: Mapping[str, Any]
    parts: Mapping[str, Part]


def contents_of(record: RunRecord, *, release: bool | None = None) -> BundleContents:
    """The contents of the bundle for `record`; `release` as in `release_parts`."""
    missing: dict[str, str] = {}
    tables: Mapping[str, Any] = {}
    file = record.project.root / FILE_NAME
    try:
        project_file = read_toml(file, ProjectError)
        tables = parse_tables(file, project_file, None, ProjectError)
    except ProjectError as error:  # it has been changed: its secrets are unknown
        project_file, missing[FILE_NAME] = "", str(error)
    redact = _redactor(record, tables)
    files = {}
    if record.has_terminal:
        missing["stdout.txt and stderr.txt"] = "with --tty the program had the terminal itself"
    else:
        files = {f"{name}.txt": redact.kept(ends.kept()) for name, ends in record.streams.items()}
    files["messages.txt"] = redact.kept(record.messages.kept())
    document: Mapping[str, Any] = redact.value(run_document(record))
    files["run.json"] = _json(document)
    files[FILE_NAME] = redact.clean(project_file.encode())
    made_of = None
    try:
        made_of = _ingredients(record)
    except BuildtoolError as error:
        missing["release.json"] = str(error)
    makers: dict[str, Callable[[], Any]] = {
        REPLAY_FILE: lambda: replay_document(record, redact),
        "build.json": lambda: _build(record),
        "release.json": lambda: made_of.document() if made_of else {},
        "device.json": lambda: _device(record),
        "card.json": lambda: _card(record),
    }
    for name, make in makers.items():
        try:
            files[name] = _json(redact.value(make()))
        except (BuildtoolError, OSError, ValueError) as error:
            missing[name] = str(error)
    parts: Mapping[str, Part] | LeftOut = {}
    try:
        parts = release_parts(record, made_of, redact, release) if made_of else {}
    except (BuildtoolError, OSError) as error:
        parts = LeftOut(str(error))
    if isinstance(parts, LeftOut):
        missing[RELEASE_PART], parts = parts.why, {}
    logs = _logs(record)
    files |= {name: redact.part(data) for name, data in logs.logs.items()}
    missing |= logs.missing
    return BundleContents(
        {name: data for name, data in files.items() if data or name.startswith("std")},
        {name: redact.text(why) for name, why in missing.items()},
        document,
        parts,
    )


def _redactor(record: RunRecord, tables: Mapping[str, Any]) -> Redactor:
    """Knows the secrets of this process, of the program, and of the project file: as it was read,
    and with the `tables` that it has now."""
    project, request = record.project, record.request
    sources = [dict(os.environ), request.env, record.arguments, request.command, project, tables]
    return redactor(secrets_in(sources, project.header.secrets))


def _json(document: Any) -> bytes:
    """`document` as JSON; nothing for an empty one."""
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n" if document else ""
    return text.encode(errors="backslashreplace")


def _build(record: RunRecord) -> Mapping[str, Any]:
    """The document of a build that failed; empty without one."""
    return record.error.document if isinstance(record.error, BuildtoolError) else {}


def _ingredients(record: RunRecord) -> Ingredients | None:
    """What the release is made of; None if nothing was built."""
    if not record.built:
        return None
    from buildtool.release.document import find_source  # noqa: PLC0415
    from buildtool.release.package import Ingredients  # noqa: PLC0415 - not in most runs

    project, (build, release) = record.project, record.built
    source = find_source(project.root, project.state, lambda _: None)
    return Ingredients(project, build, release, source, ())


def _device(record: RunRecord) -> Mapping[str, Any]:
    """The facts about the device, with the digests of libcdsprpc and the DSP shell."""
    facts = _facts(record)
    return facts.as_json() if facts else {}


def _card(record: RunRecord) -> Mapping[str, Any]:
    """The capability card of the device; raises `DeviceError` without one that is true."""
    facts = _facts(record)
    if not record.ready or not facts:
        return {}
    from buildtool.device.card import card_file, read_card  # noqa: PLC0415 - not in most runs

    device = record.ready.site.device
    card = read_card(card_file(device))
    probe = f"buildtool probe {device.name}"
    if not card:
        raise DeviceError(f"the device was not probed; {probe} makes a card")
    if (card.cdsprpc, card.shell) != (facts.cdsprpc, facts.shell):
        changed = f"libcdsprpc or the DSP shell have changed since {card.date}"
        raise DeviceError(f"{changed}; {probe} makes a new card")
    return card.as_json()


def _facts(record: RunRecord) -> Facts | None:
    """The facts about the device as they are known; None if it was not reached."""
    if not record.ready:
        return None
    from buildtool.device.card import system_files  # noqa: PLC0415 - not in most runs
    from buildtool.device.known_facts import facts_of, remembered_facts  # noqa: PLC0415

    device = record.ready.site.device
    facts = facts_of(device) if device.emulated else remembered_facts(device)
    if not facts:
        return None
    cdsprpc, shell = system_files(device, facts)
    return facts._replace(cdsprpc=cdsprpc, shell=shell)


def _logs(record: RunRecord) -> DeviceLogs:
    if not record.ready:
        return DeviceLogs({}, {"logs of the device": "the run did not get that far"})
    if record.ready.site.device.transport.direct:
        return DeviceLogs({}, {})  # what its DSP logs is part of stderr.txt
    try:
        command = (record.result or record.request).command or ("",)
        return read_logs(record.ready, record.name, command[0], record.seconds)
    except (BuildtoolError, OSError) as error:
        return DeviceLogs({}, {"logs of the device": str(error)})


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
