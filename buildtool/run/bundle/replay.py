"""Opens a bundle to repeat its run: reads `replay.json`, and verifies and unpacks the release.

A bundle comes from somebody else: nothing in it is used before it is checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from buildtool.contract.release_json import promise_of
from buildtool.contract.subject import Promise
from buildtool.core.errors import BuildtoolError
from buildtool.core.files import is_digest, open_regular, parse_bounded
from buildtool.core.lock import held_temporary_directory
from buildtool.core.value import Value
from buildtool.device.facts import CDSP
from buildtool.project.model import Header, Project, Run, Target
from buildtool.project.runs import LONGEST
from buildtool.project.tables import NAME as PLAIN_NAME
from buildtool.release.document import NAME as RELEASE_FILE
from buildtool.release.slices import Release, ReleaseFile, ReleaseLink, in_slices
from buildtool.release.supply_chain.verify import MAX_DOCUMENT, parse_document, verify_archive
from buildtool.release.unpack import entries, is_archive, members, unpack
from buildtool.run.bundle.record import DEBUG_NAME, RunRecord
from buildtool.run.bundle.record import NAME as RELEASE_PART
from buildtool.run.bundle.redact import Redactor, is_secret
from buildtool.run.program import variables

PREFIX = "buildtool-replay-"
NAME = "replay.json"
SCHEMA = 1
MAX_BYTES = 4 << 20
"""Linux limits a command line with its variables to about half of this."""
STRICT = ("", "back", "front")
LIMITS = {NAME: MAX_BYTES, RELEASE_FILE: MAX_DOCUMENT, RELEASE_PART: 0, DEBUG_NAME: 0}
"""The files of a bundle that are read, and the bytes that they may have; 0 for any number."""


class Replay(Value):
    """The run of the bundle `path`: `file` says what is repeated.

    `project` and `release` are for it alone; both are None for a bundle without the release.
    `listed` are the files of the release: path → digest, or target of a link; empty if the bundle
    does not list them.
    """

    path: Path
    file: ReplayFile
    project: Project | None
    release: Release | None
    listed: dict[str, str]


@contextmanager
def opened_replay(path: Path) -> Iterator[Replay]:
    """The run of the bundle `path`, or of an unpacked one whose `replay.json` is `path`, for the
    block.  Raises `ReplayError`, `VerifyError`, `ArchiveError`, and `OSError` if it cannot be
    read."""
    with held_temporary_directory(PREFIX) as folder:
        try:
            replay = _opened(path, folder)
        except BuildtoolError as error:  # the place of the release here says nothing
            error.message = error.message.replace(str(folder), str(path))
            raise
        yield replay


def _opened(path: Path, folder: Path) -> Replay:
    directory, place = path.parent, path
    if is_archive(path):
        _extract(path, folder)
        directory, place = folder, folder / NAME
    if not place.is_file():
        raise _no_replay(path)
    file = parse_replay(_read(place, MAX_BYTES), str(path))
    archive = directory / RELEASE_PART
    if not archive.is_file():
        return Replay(path, file, None, None, _listed(directory / RELEASE_FILE))
    found = verify_archive(archive, None)
    unpacked = folder / "unpacked"
    unpack(archive, unpacked, sha256=found.sha256)
    (top, *others) = unpacked.iterdir()
    if others or not (top / RELEASE_FILE).is_file():
        raise ReplayError(f"{archive} does not have its files in one directory")
    promise = promise_of(found.release)
    debug = folder / "debug"
    if (directory / DEBUG_NAME).is_file():
        unpack(directory / DEBUG_NAME, debug)
    release = _release(promise, file, top, debug / "debug")
    if release.id != file.release:
        raise ReplayError(
            f"{path} has another release than the one that ran",
            why=f"the id of its files is {release.id}, {NAME} names {file.release}",
            remedy="Do not use it. Get the archive again from who captured the run.",
        )
    return Replay(path, file, _project(promise, file, folder), release, {})


def _no_replay(path: Path) -> ReplayError:
    if is_archive(path):
        return ReplayError(
            f"{path} has no {NAME}",
            why="nothing was built before the run failed, or it is not a bundle of a run",
            remedy="Its README.txt says what happened.",
        )
    return ReplayError(
        f"{path} is not a file",
        remedy=f"Name an archive of buildtool capture or run --bundle, or its file {NAME}.",
    )


def _read(file: Path, limit: int) -> bytes:
    """At most one byte more than `limit`."""
    with open_regular(file, follow=True) as stream:
        return stream.read(limit + 1)


def _extract(bundle: Path, folder: Path) -> None:
    """Write the files of `LIMITS` from the archive `bundle` to `folder`; raises `ArchiveError`."""
    entries(bundle)  # checks all of it before anything is written
    with open_regular(bundle, follow=True) as stream:
        for entry, content in members(stream, bundle):
            _, _, name = entry.path.partition("/")
            if entry.kind != "file" or name not in LIMITS:
                continue
            if LIMITS[name] and entry.size > LIMITS[name]:
                raise ReplayError(f"{name} in {bundle} has {entry.size:,} bytes, which is too much")
            with (folder / name).open("xb") as file:
                file.writelines(content)


def _listed(file: Path) -> dict[str, str]:
    """The files in `release.json`; empty if there is none, or if secrets were replaced in it."""
    if not file.is_file():
        return {}
    document: Any = parse_document(file, _read(file, MAX_DOCUMENT))
    try:
        promise = promise_of(document)
    except (ValueError, LookupError, TypeError, AttributeError):
        return {}
    return {path: row.sha256 for path, row in (promise.files or {}).items()} | dict(promise.links)


def _release(promise: Promise, file: ReplayFile, directory: Path, debug: Path) -> Release:
    files = [
        ReleaseFile(path, int(row.mode, 8), (directory / path).stat().st_size, row.sha256, row.step)
        for path, row in (promise.files or {}).items()
    ]
    links = [ReleaseLink(path, target) for path, target in promise.links.items()]
    return Release(file.target, directory, debug, in_slices(files, links, promise.archs or ()))


def _project(promise: Promise, file: ReplayFile, folder: Path) -> Project:
    """A project with nothing but the target of the release."""
    target = Target(platform=promise.platform, archs=promise.archs or ())
    if promise.glibc:
        target = target._replace(glibc=promise.glibc)
    target = target._replace(api=promise.api or target.api)
    header = Header(name=file.project, default_target=file.target)
    return Project(folder / "project", header, {}, {}, {file.target: target})


class ReplayError(BuildtoolError):
    """A bundle cannot be replayed."""

    code = "replay"


class ReplayData(Value):
    """A file of `[data.NAME]`, which a bundle does not contain: its path in the release."""

    path: str
    sha256: str
    size: int


class ReplayFile(Value):
    """What is repeated: `run`, of the release with the id `release`, on a device with the SoC
    `soc` ("" if unknown), on its DSP `domain`.

    The program of `run` is "" for the only one.  `masked_arguments` are the numbers of the words of
    the command, and `masked_env` the names of the variables, whose values were secrets.  `strict`
    and `expect_dsp` are fields of `DeviceChoice`.
    """

    project: str
    target: str
    release: str
    soc: str
    domain: str
    run: Run
    masked_arguments: tuple[int, ...]
    masked_env: tuple[str, ...]
    strict: str
    expect_dsp: bool
    data: tuple[ReplayData, ...]


def replay_document(record: RunRecord, redact: Redactor) -> Mapping[str, Any]:
    """The document for `record`, {} if nothing was built; raises `ReplayError` if it would lack
    secrets that cannot be given again."""
    if not record.built:
        return {}
    request, release, ready = record.request, record.built[1], record.ready
    command = record.result.command if record.result else request.command
    words = [redact.text(word) for word in command]
    secret = record.project.header.secrets
    env = {
        name: value
        for name, value in request.env.items()
        if not is_secret(name, secret) and redact.text(value) == value
    }
    document = {
        "schema": SCHEMA,
        "project": record.project.name,
        "target": release.target,
        "release": release.id,
        "soc": ready.soc.partition("-")[0] if ready else "",
        "domain": ready.site.device.domain if ready else CDSP,
        "command": words,
        "masked_arguments": [
            number for number, word in enumerate(command) if words[number] != word
        ],
        "env": env,
        "masked_env": sorted(request.env.keys() - env.keys()),
        "cwd": request.cwd,
        "timeout": request.timeout,
        "farf": bool(request.farf),
        "dsp_may_crash": request.dsp_may_crash,
        "strict": record.choice.strict,
        "expect_dsp": record.choice.expect_dsp,
        "data": [
            {"path": file.path, "sha256": file.sha256, "size": file.size}
            for file in (ready.deployment.data if ready else ())
        ],
    }
    if redact.value(document) != document:
        raise ReplayError("a name, path or digest in it contains the value of a secret")
    return document


def parse_replay(data: bytes, shown: str) -> ReplayFile:
    """The file with these bytes, which errors call `shown`; raises `ReplayError`."""
    try:
        if len(data) > MAX_BYTES:
            raise ValueError(f"it is larger than {MAX_BYTES >> 20} MiB")
        return _parse_files(parse_bounded(data))
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise ReplayError(
            f"{shown} is damaged, or of another version of buildtool",
            why=f"{type(error).__name__}: {error}",
            remedy="Copy the archive again, or capture the run again.",
        ) from error


def _parse_files(document: Any) -> ReplayFile:
    if document["schema"] != SCHEMA:
        raise ValueError(f"its schema is {document['schema']!r}, this buildtool's {SCHEMA}")
    words = [_text(word) for word in _list(document["command"])]
    env = {_variable(name): _text(value) for name, value in document["env"].items()}
    timeout = document["timeout"]
    if isinstance(timeout, bool) or not 0 <= timeout <= LONGEST:
        raise ValueError(f"{timeout!r} is not a number of seconds up to {LONGEST:,}")
    if not is_digest(document["release"]):
        raise ValueError(f"{document['release']!r} is not the id of a release")
    if document["strict"] not in STRICT:
        raise ValueError(f"{document['strict']!r} is not a value of strict")
    return ReplayFile(
        project=_plain(document["project"]),
        target=_plain(document["target"]),
        release=document["release"],
        soc=_text(document["soc"]),
        domain=_plain(document.get("domain", CDSP)),  # older ones do not name it
        run=Run(
            program=words[0] if words else "",
            args=tuple(words[1:]),
            env=variables(env),
            cwd=_text(document["cwd"]),
            timeout=f"{timeout:.3f}s" if timeout else "",
            farf=_truth(document["farf"]),
            dsp_may_crash=_truth(document["dsp_may_crash"]),
        ),
        masked_arguments=tuple(_number(row) for row in _list(document["masked_arguments"])),
        masked_env=tuple(_variable(name) for name in _list(document["masked_env"])),
        strict=document["strict"],
        expect_dsp=_truth(document["expect_dsp"]),
        data=tuple(
            ReplayData(_text(row["path"]), _digest(row["sha256"]), _number(row["size"]))
            for row in _list(document["data"])
        ),
    )


def _text(value: Any) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise ValueError(f"{value!r} is not a text without NUL characters")
    value.encode(errors="surrogateescape")  # JSON can contain other lone surrogates
    return value


def _plain(value: Any) -> str:
    if not re.fullmatch(PLAIN_NAME, _text(value)):
        raise ValueError(f"{value!r} is not a name")
    return str(value)


def _digest(value: Any) -> str:
    if not is_digest(value):
        raise ValueError(f"{value!r} is not a sha256 in hex")
    return str(value)


def _variable(name: Any) -> str:
    if not _text(name) or "=" in name:
        raise ValueError(f"{name!r} is not the name of a variable")
    return str(name)


def _number(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{value!r} is not a number")
    return value


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{value!r} is neither true nor false")
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{value!r} is not a list")
    return value
