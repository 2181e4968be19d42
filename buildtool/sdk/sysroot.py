"""Sysroots: a device's FastRPC library, DSP shell and C library, copied from the device.

`buildtool sysroot pull` writes each into a directory in the user's cache:

facts.json    a description of the device, and every file with size and sha256
root/         the files, at their paths on the device

`facts.json` of a pulled sysroot has a description of the device, and the list of files.

It is validated like all external input: other programs can write to the cache.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from buildtool.core.cache import cache_dir
from buildtool.core.errors import UsageError
from buildtool.core.files import (
    file_digest,
    has_content,
    is_digest,
    is_settled,
    read_regular,
    stamp_of,
    value_digest,
    write_if_changed,
)
from buildtool.core.value import Value
from buildtool.project.model import PLATFORMS
from buildtool.sdk.tool_search import FoundTool, Problem, ToolMissingError, ToolUnfitError

ROOT = "root"
_AS_THEY_ARE = ("platform", "soname", "library", "glibc", "soc", "model", "arch", "has_libc")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class Sysroot(FoundTool, kw_only=True):
    """A pulled sysroot; `where` is its directory, `version` that of the device's libcdsprpc."""

    name: str
    source: str
    platform: str  # `ubuntu-aarch64` or `android`
    soname: str  # of the device's libcdsprpc
    exports: frozenset[str]  # of the device's libcdsprpc
    library: str  # the path of the device's libcdsprpc below `root`
    shells: tuple[str, ...] = ()
    glibc: str = ""  # "2.35"; this and the next are "" if unknown
    soc: str = ""  # "QCS6490"
    model: str = ""
    arch: str = ""  # "v68"
    shell_exports: frozenset[str] = frozenset()  # the symbols that the DSP shell exports to skels
    has_libc: bool = False  # it has the headers, start files and linker scripts of the C library

    @property
    def root(self) -> Path:
        """The directory with the device's files, at their paths on the device."""
        return self.where / ROOT


def sysroots_dir() -> Path:
    """The directory of the pulled sysroots."""
    return cache_dir() / "sysroots"


def check_sysroot_name(name: str) -> str:
    """Return `name`; raises `UsageError` if it is not valid as the name of a sysroot."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is not a valid name for a sysroot",
            why="a name has at most 64 letters, digits, . _ - and starts with a letter or digit",
            remedy="Choose another name: buildtool sysroot pull DEVICE --name NAME",
        )
    return name


def sysroot_names() -> list[str]:
    """The names of all pulled sysroots."""
    return sorted(
        path.parent.name
        for path in sysroots_dir().glob(f"*/{FACTS}")
        if _NAME.fullmatch(path.parent.name)
    )


def find_sysroot(name: str) -> Sysroot:
    """The pulled sysroot `name`, with all its files verified.

    Raises `UsageError` for an invalid name, `ToolMissingError` if it was not pulled,
    `ToolUnfitError` if it is damaged.
    """
    where = sysroots_dir() / check_sysroot_name(name)
    if not (where / FACTS).is_file():
        have = ", ".join(sysroot_names()) or "none"
        raise ToolMissingError(
            f"there is no sysroot {name!r}",
            why=f"{where / FACTS} does not exist; pulled so far: {have}",
            remedy=f"Pull it from the device: buildtool sysroot pull DEVICE --name {name}",
        )
    facts = read_facts(where)
    _verify(where, facts)
    return _sysroot(where, facts)


def _sysroot(where: Path, facts: SysrootFacts) -> Sysroot:
    device = facts.device
    problems = []
    if not device["shells"]:
        problems.append(
            Problem(
                "the device has no DSP shell in libcdsprpc's search path",
                "Install the device's DSP firmware package, and pull the sysroot again.",
            )
        )
    return Sysroot(
        where=where,
        version=device["version"],
        identity=facts.identity,
        problems=tuple(problems),
        name=where.name,
        source=facts.source,
        exports=frozenset(device["exports"]),
        shells=tuple(device["shells"]),
        shell_exports=frozenset(device["shell_exports"]),
        **{name: device[name] for name in _AS_THEY_ARE},
    )


def _verify(where: Path, facts: SysrootFacts) -> None:
    """Check that every file of `facts` exists with its content; fast if no file was touched."""
    rows, newest = [], 0
    for file in facts.files:
        path = where / ROOT / file.path
        try:
            status = path.lstat()
        except OSError as error:
            raise damaged_error(where, f"{file.path}: {error.strerror}") from error
        newest = max(newest, status.st_ctime_ns)
        rows.append([file.path, *stamp_of(status)])
    stamp = value_digest([facts.identity, rows])
    marker = where / "verified"
    if has_content(marker, stamp.encode()):
        return
    for file in facts.files:
        path = where / ROOT / file.path
        if file.link:
            same = path.is_symlink() and os.readlink(path) == file.link  # noqa: PTH115 - as text
        else:
            same = not path.is_symlink() and path.is_file()
            same = same and path.stat().st_size == file.size and _digest(where, path) == file.sha256
        if not same:
            raise damaged_error(where, f"{file.path} has changed since it was pulled")
    if is_settled(newest):
        with contextlib.suppress(OSError):  # a read-only cache is verified each time
            write_if_changed(marker, stamp)


def _digest(where: Path, path: Path) -> str:
    try:
        return file_digest(path)
    except OSError as error:
        raise damaged_error(where, f"{path.relative_to(where / ROOT)}: {error.strerror}") from error


SCHEMA = 1
FACTS = "facts.json"
MAX_BYTES = 32 << 20
SONAME = re.compile(r"[A-Za-z0-9_][\w.+-]{0,254}", re.ASCII)  # a file name, so no path
SYMBOL = re.compile(r"[A-Za-z_.$][\w.$]{0,1023}", re.ASCII)


class PulledFile(Value):
    """A file below the root: a regular file with size and sha256, or a link and its target."""

    path: str
    size: int = 0
    sha256: str = ""
    link: str = ""

    def as_json(self) -> dict[str, Any]:
        if self.link:
            return {"path": self.path, "link": self.link}
        return {"path": self.path, "size": self.size, "sha256": self.sha256}


class SysrootFacts(Value):
    """The content of `facts.json`; `device` has the fields of `Sysroot` about the device."""

    name: str
    source: str
    when: str
    device: Mapping[str, Any]
    files: tuple[PulledFile, ...] = ()

    @property
    def identity(self) -> str:
        """A digest of the device and its files, without the time and the way of the transfer."""
        files = sorted((file.as_json() for file in self.files), key=lambda row: str(row["path"]))
        return value_digest({"device": dict(self.device), "files": files})

    def as_json(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "name": self.name,
            "from": self.source,
            "when": self.when,
            "device": dict(self.device),
            "files": [file.as_json() for file in self.files],
        }


def read_facts(where: Path) -> SysrootFacts:
    """Read and validate `facts.json` of the sysroot in `where`; raises `ToolUnfitError`."""
    try:
        data = read_regular(where / FACTS, MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise damaged_error(where, f"{FACTS} is larger than {MAX_BYTES >> 20} MiB")
        document = json.loads(data)
        if document["schema"] != SCHEMA:
            raise damaged_error(
                where, f"its schema is {document['schema']!r}, this buildtool's {SCHEMA}"
            )
        facts = SysrootFacts(
            name=json_text(document["name"]),
            source=json_text(document["from"]),
            when=json_text(document["when"]),
            device={key: _checked_fact(key, value) for key, value in document["device"].items()},
            files=tuple(_file(row) for row in document["files"]),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise damaged_error(where, f"{FACTS}: {type(error).__name__}: {error}") from error
    missing = _FACT_TYPES.keys() - facts.device.keys()
    if missing:
        raise damaged_error(where, f"{FACTS} lacks {', '.join(sorted(missing))}")
    return facts


def damaged_error(where: Path, why: str) -> ToolUnfitError:
    """The error for a sysroot that has changed since it was pulled."""
    return ToolUnfitError(
        f"the sysroot {where.name!r} is damaged",
        why=f"{why} ({where})",
        remedy=f"Pull it again: buildtool sysroot pull DEVICE --name {where.name}",
    )


def is_relative_inside(path: str) -> bool:
    """Whether `path` is relative and stays below its base directory."""
    parts = PurePosixPath(path).parts
    return bool(parts) and not path.startswith("/") and ".." not in parts and "\0" not in path


def _file(row: Any) -> PulledFile:
    path = json_text(row["path"])
    if not is_relative_inside(path):
        raise ValueError(f"a file outside the sysroot: {path!r}")
    if "link" in row:
        return PulledFile(path, link=json_text(row["link"]))
    size, sha256 = row["size"], json_text(row["sha256"])
    if not isinstance(size, int) or not is_digest(sha256):
        raise ValueError(f"{path}: no size and sha256")
    return PulledFile(path, size, sha256)


_FACT_TYPES: Mapping[str, type] = {
    **dict.fromkeys(("platform", "soname", "version", "library", "glibc", "soc"), str),
    **dict.fromkeys(("model", "arch"), str),
    **dict.fromkeys(("exports", "shells", "shell_exports"), list),
    "has_libc": bool,
}
"""The fields of `Facts.device`."""
_SYMBOLS = ("exports", "shell_exports")
_ANY = re.compile(".*", re.DOTALL)
_FACT_PATTERNS = {
    "platform": re.compile("|".join(PLATFORMS)),
    "soname": SONAME,
    "glibc": re.compile(r"(2\.\d{1,3})?"),
    "arch": re.compile(r"(v[0-9a-f]{1,3})?"),
}


def _checked_fact(key: str, value: Any) -> Any:
    if not isinstance(value, _FACT_TYPES[key]):
        raise ValueError(f"{key} is {value!r}")
    if isinstance(value, list):
        texts = tuple(json_text(item) for item in value)
        if key in _SYMBOLS and not all(map(SYMBOL.fullmatch, texts)):
            raise ValueError(f"{key} has an invalid symbol name")
        return texts
    if isinstance(value, str) and not _FACT_PATTERNS.get(key, _ANY).fullmatch(json_text(value)):
        raise ValueError(f"{key} is {value!r}")
    return value


def json_text(value: Any) -> str:
    """A text of JSON that is not trusted; raises `ValueError`."""
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not a string")
    value.encode()  # JSON can contain lone surrogates, which cannot be printed
    return value
