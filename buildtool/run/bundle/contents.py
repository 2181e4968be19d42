"""The files of a bundle, without secrets."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any

from buildtool.core.errors import BuildtoolError
from buildtool.core.value import Value
from buildtool.project.read import FILE_NAME, ProjectError
from buildtool.project.tables import parse_tables, read_toml
from buildtool.run.bundle.record import RunRecord
from buildtool.run.bundle.redact import (
    Redactor,
    redactor,
    secrets_in,
)
from buildtool.run.bundle.run_document import run_document
from buildtool.run.device_logs import DeviceLogs, read_logs


class BundleContents(Value):
    """The `files` of a bundle by name; `missing` says why others are not part of it."""

    files: Mapping[str, bytes]
    missing: Mapping[str, str]
    document: Mapping[str, Any]


def contents_of(record: RunRecord) -> BundleContents:
    """The files for `record`; `document` is that of run.json."""
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
    makers: dict[str, Callable[[RunRecord], Any]] = {
        "build.json": _build,
        "release.json": _release,
        "device.json": _device,
    }
    for name, make in makers.items():
        try:
            made = make(record)
        except (BuildtoolError, OSError, ValueError) as error:
            missing[name] = str(error)
        else:
            files[name] = _json(redact.value(made))
    logs = _logs(record)
    files |= {name: redact.part(data) for name, data in logs.logs.items()}
    missing |= logs.missing
    return BundleContents(
        {name: data for name, data in files.items() if data or name.startswith("std")},
        {name: redact.text(why) for name, why in missing.items()},
        document,
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


def _release(record: RunRecord) -> Mapping[str, Any]:
    if not record.built:
        return {}
    from buildtool.release.document import release_document  # noqa: PLC0415 - after a failure only
    from buildtool.release.source import find_source  # noqa: PLC0415 - after a failure only

    project, (build, release) = record.project, record.built
    source = find_source(project.root, project.state, lambda _: None)
    return release_document(project, build, release, source, {})


def _device(record: RunRecord) -> Mapping[str, Any]:
    """The facts about the device as they are remembered."""
    if not record.ready or record.ready.site.device.transport.direct:
        return {}
    from buildtool.device.facts import remembered_facts  # noqa: PLC0415 - after a failure only

    facts = remembered_facts(record.ready.site.device)
    return facts.as_json() if facts else {}


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
