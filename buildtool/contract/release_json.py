"""`release.json` → what the release promises.

The document lies in the release, so it is as little trusted as the files are.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from buildtool.contract.subject import RELEASE_FILE, Promise, PromisedFile, PromisedStep
from buildtool.core.errors import BuildtoolError
from buildtool.core.files import is_digest, read_regular
from buildtool.project.keys import HEXAGON_ARCHS
from buildtool.project.model import PLATFORMS
from buildtool.sdk.sysroot import is_relative_inside, json_text

SCHEMA = 1
MAX_BYTES = 64 << 20
_MODES = ("0644", "0755")
_GLIBC = re.compile(r"2\.\d{1,3}")


class ReleaseFileError(BuildtoolError):
    """A release.json is damaged, or of another version."""

    code = "release-file"


def read_promise(directory: Path, shown: str = "") -> Promise:
    """The promise of the release in `directory`; errors call it `shown`, by default its path.

    Raises `ReleaseFileError`.
    """
    file = directory / RELEASE_FILE
    try:
        data = read_regular(file, MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise ValueError(f"it is larger than {MAX_BYTES >> 20} MiB")
        return promise_of(json.loads(data))
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise ReleaseFileError(
            f"{shown or directory}/{RELEASE_FILE} is damaged, or of another version of buildtool",
            why=f"{type(error).__name__}: {error}",
            remedy="Make the release again, or copy it again.",
        ) from error


def promise_of(document: Any) -> Promise:
    """The promise in the document of a release.

    Raises `ValueError`, `LookupError`, `TypeError` or `AttributeError` for an invalid one.
    """
    if document["schema"] != SCHEMA:
        raise ValueError(f"its schema is {document['schema']!r}, this buildtool's {SCHEMA}")
    target = document["target"]
    files: dict[str, PromisedFile] = {}
    links: dict[str, str] = {}
    parts = [part["files"] for part in _dict(document["slices"]).values()]
    for rows in (*parts, document.get("licenses", [])):
        for row in _list(rows):
            path = _path(row["path"])
            if path in files or path in links:
                raise ValueError(f"{path!r} is listed twice")
            if "link" in row:
                links[path] = json_text(row["link"])
            else:
                files[path] = _file(row)
    return Promise(
        platform=_one_of(target["platform"], PLATFORMS),
        archs=tuple(_one_of(arch, HEXAGON_ARCHS) for arch in _list(target["archs"])),
        glibc=_glibc(target["glibc"]),
        api=_number(target["api"] or 0),
        files=files,
        links=links,
        # The steps of an ARM64 side may exist for other components only.
        steps=tuple(_step(row) for row in _list(document["steps"]) if row["arch"]),
        system_libraries=frozenset(map(json_text, _list(target["system_libraries"]))),
    )


def _file(row: Any) -> PromisedFile:
    digest = json_text(row["sha256"])
    if not is_digest(digest):
        raise ValueError(f"{digest!r} is not a sha256")
    step = json_text(row["step"] or "")
    return PromisedFile(_one_of(row["mode"], _MODES), _number(row["size"]), digest, step)


def _step(row: Any) -> PromisedStep:
    arch = _one_of(row["arch"], HEXAGON_ARCHS)
    return PromisedStep(json_text(row["name"]), json_text(row["component"]), arch)


def _path(value: Any) -> str:
    path = json_text(value)
    if not is_relative_inside(path) or Path(path).as_posix() != path:
        raise ValueError(f"a path outside the release: {path!r}")
    return path


def _glibc(value: Any) -> str:
    if value is not None and not _GLIBC.fullmatch(json_text(value)):
        raise ValueError(f"{value!r} is not a version of glibc")
    return value or ""


def _one_of(value: Any, known: Any) -> str:
    if value not in known:
        raise ValueError(f"{value!r} is none of {', '.join(known)}")
    return json_text(value)


def _number(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{value!r} is not a number")
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{value!r} is not a list")
    return value


def _dict(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{value!r} is not an object")
    return value
