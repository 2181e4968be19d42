"""`replay.json` of a bundle: what `run --replay` repeats."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from buildtool.cache.bounded_json import parse
from buildtool.core.errors import BuildtoolError
from buildtool.core.files import is_digest
from buildtool.core.value import Value
from buildtool.project.model import Run
from buildtool.project.runs import LONGEST
from buildtool.project.tables import NAME as PLAIN_NAME
from buildtool.run.bundle.record import RunRecord
from buildtool.run.bundle.redact import Redactor, is_secret
from buildtool.run.program import variables

NAME = "replay.json"
SCHEMA = 1
MAX_BYTES = 4 << 20
"""Linux limits a command line with its variables to about half of this."""
STRICT = ("", "back", "front")


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
    `soc` ("" if unknown).

    The program of `run` is "" for the only one.  `masked_arguments` are the numbers of the words of
    the command, and `masked_env` the names of the variables, whose values were secrets.  `strict`
    and `expect_dsp` are fields of `DeviceChoice`.
    """

    project: str
    target: str
    release: str
    soc: str
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
        "soc": ready.soc if ready else "",
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
        return _read(parse(data))
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise ReplayError(
            f"{shown} is damaged, or of another version of buildtool",
            why=f"{type(error).__name__}: {error}",
            remedy="Copy the archive again, or capture the run again.",
        ) from error


def _read(document: Any) -> ReplayFile:
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
