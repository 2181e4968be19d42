"""Sysroots: what was fetched from a device of its FastRPC library, DSP shell and C library.

`buildtool sysroot pull` writes them, each a directory in the user's cache:

facts.json    what the device is, and every file with size and sha256
root/         the files, at the paths that they have on the device
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from buildtool.core.cache import cache_dir
from buildtool.core.digests import SETTLED_NS
from buildtool.core.errors import UsageError
from buildtool.core.files import file_digest, value_digest, write_if_changed
from buildtool.sdk.found import Found, Problem, ToolMissingError, ToolUnfitError

SCHEMA = 1
FACTS = "facts.json"
ROOT = "root"
MAX_FACTS_BYTES = 32 << 20
PLATFORMS = ("ubuntu-aarch64", "android")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
SONAME = re.compile(r"[A-Za-z0-9_][\w.+-]{0,254}", re.ASCII)  # a file name, so no path
_HEX = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sysroot(Found):
    """A pulled sysroot; `where` is its directory, `version` that of the device's libcdsprpc.

    `platform` is `ubuntu-aarch64` or `android`; `soname` and `exports` are those of the device's
    libcdsprpc, `library` its path below `root`; `glibc` ("2.35"), `soc` ("QCS6490") and `arch`
    ("v68") are empty where the device does not tell; `shell_exports` are the names that its DSP
    shell offers to skels; `has_libc` says that headers, start files and linker scripts of its C
    library are there too.
    """

    name: str
    source: str
    platform: str
    soname: str
    exports: frozenset[str]
    library: str
    shells: tuple[str, ...] = ()
    glibc: str = ""
    soc: str = ""
    model: str = ""
    arch: str = ""
    shell_exports: frozenset[str] = frozenset()
    has_libc: bool = False

    @property
    def root(self) -> Path:
        """The directory that holds the device's files at the device's own paths."""
        return self.where / ROOT


@dataclass(frozen=True, slots=True)
class PulledFile:
    """One file below the root: a regular one with size and sha256, or a link and its target."""

    path: str
    size: int = 0
    sha256: str = ""
    link: str = ""

    def as_json(self) -> dict[str, Any]:
        if self.link:
            return {"path": self.path, "link": self.link}
        return {"path": self.path, "size": self.size, "sha256": self.sha256}


@dataclass(frozen=True, slots=True)
class Facts:
    """What `facts.json` says; `device` are the fields of `Sysroot` that describe the device."""

    name: str
    source: str
    when: str
    device: Mapping[str, Any]
    files: tuple[PulledFile, ...] = field(default=())

    @property
    def identity(self) -> str:
        """What the device is and what was fetched; not when, nor how it was reached."""
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


def sysroots_dir() -> Path:
    """Where pulled sysroots lie."""
    return cache_dir() / "sysroots"


def check_name(name: str) -> str:
    """`name` itself; raises `UsageError` when it cannot be the name of a sysroot."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} cannot be the name of a sysroot",
            why="it names a directory: letters, digits, . _ -, at most 64, no . in front",
            remedy="Choose another: buildtool sysroot pull DEVICE --name NAME",
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
    """The pulled sysroot called `name`, with every file as it was when it was fetched.

    Raises `UsageError` for an impossible name, `ToolMissingError` when it was not pulled,
    `ToolUnfitError` when it is damaged.
    """
    where = sysroots_dir() / check_name(name)
    if not (where / FACTS).is_file():
        have = ", ".join(sysroot_names()) or "none"
        raise ToolMissingError(
            f"there is no sysroot {name!r}",
            why=f"looked for {where / FACTS}; pulled so far: {have}",
            remedy=f"Pull it from the device: buildtool sysroot pull DEVICE --name {name}",
        )
    facts = read_facts(where)
    _verify(where, facts)
    return _sysroot(where, facts)


def read_facts(where: Path) -> Facts:
    """`facts.json` of the sysroot in `where`, checked; raises `ToolUnfitError`."""
    try:
        with (where / FACTS).open("rb") as stream:
            data = stream.read(MAX_FACTS_BYTES + 1)
        if len(data) > MAX_FACTS_BYTES:
            raise damaged(where, f"{FACTS} is larger than {MAX_FACTS_BYTES >> 20} MiB")
        said = json.loads(data)
        if said["schema"] != SCHEMA:
            raise damaged(where, f"its schema is {said['schema']!r}, this buildtool's {SCHEMA}")
        facts = Facts(
            name=_text(said["name"]),
            source=_text(said["from"]),
            when=_text(said["when"]),
            device={key: _checked(key, value) for key, value in said["device"].items()},
            files=tuple(_file(row) for row in said["files"]),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise damaged(where, f"{FACTS}: {type(error).__name__}: {error}") from error
    missing = _SHAPES.keys() - facts.device.keys()
    if missing:
        raise damaged(where, f"{FACTS} does not tell {', '.join(sorted(missing))}")
    return facts


def damaged(where: Path, why: str) -> ToolUnfitError:
    """The error for a sysroot that is not as it was pulled."""
    return ToolUnfitError(
        f"the sysroot {where.name!r} is damaged",
        why=f"{why} ({where})",
        remedy=f"Pull it again: buildtool sysroot pull DEVICE --name {where.name}",
    )


def inside(path: str) -> bool:
    """Whether `path` is relative and stays below the directory that it starts from."""
    parts = PurePosixPath(path).parts
    return bool(parts) and not path.startswith("/") and ".." not in parts and "\0" not in path


def _sysroot(where: Path, facts: Facts) -> Sysroot:
    device = facts.device
    problems = []
    if not device["shells"]:
        problems.append(
            Problem(
                "the device has no DSP shell where libcdsprpc looks for it",
                "Install the device's DSP firmware package, and pull again.",
            )
        )
    return Sysroot(
        where=where,
        version=device["version"],
        identity=facts.identity,
        problems=tuple(problems),
        name=where.name,
        source=facts.source,
        platform=device["platform"],
        soname=device["soname"],
        exports=frozenset(device["exports"]),
        library=device["library"],
        shells=tuple(device["shells"]),
        glibc=device["glibc"],
        soc=device["soc"],
        model=device["model"],
        arch=device["arch"],
        shell_exports=frozenset(device["shell_exports"]),
        has_libc=device["has_libc"],
    )


def _verify(where: Path, facts: Facts) -> None:
    """Every file of `facts` is there with its content; cheap when nothing was touched."""
    rows, newest = [], 0
    for file in facts.files:
        path = where / ROOT / file.path
        try:
            status = path.lstat()
        except OSError as error:
            raise damaged(where, f"{file.path}: {error.strerror}") from error
        newest = max(newest, status.st_ctime_ns)
        rows.append([file.path, status.st_ino, status.st_size, status.st_mtime_ns])
        rows[-1].append(status.st_ctime_ns)
    stamp = value_digest([facts.identity, rows])
    note = where / "verified"
    if note.is_file() and note.read_bytes() == stamp.encode():
        return
    for file in facts.files:
        path = where / ROOT / file.path
        if file.link:
            same = path.is_symlink() and os.readlink(path) == file.link  # noqa: PTH115 - as text
        else:
            same = not path.is_symlink() and path.is_file()
            same = same and path.stat().st_size == file.size and file_digest(path) == file.sha256
        if not same:
            raise damaged(where, f"{file.path} is not what was fetched")
    if time.time_ns() - newest > SETTLED_NS:
        write_if_changed(note, stamp)


def _file(row: Any) -> PulledFile:
    path = _text(row["path"])
    if not inside(path):
        raise ValueError(f"a file outside of it: {path!r}")
    if "link" in row:
        return PulledFile(path, link=_text(row["link"]))
    size, sha256 = row["size"], _text(row["sha256"])
    if not isinstance(size, int) or not _HEX.fullmatch(sha256):
        raise ValueError(f"{path}: no size and sha256")
    return PulledFile(path, size, sha256)


_SHAPES: Mapping[str, type] = {
    "platform": str,
    "soname": str,
    "exports": list,
    "version": str,
    "library": str,
    "shells": list,
    "glibc": str,
    "soc": str,
    "model": str,
    "arch": str,
    "shell_exports": list,
    "has_libc": bool,
}
"""The fields of `Facts.device`."""
_TEXTS = {
    "platform": re.compile("|".join(PLATFORMS)),
    "soname": SONAME,
    "glibc": re.compile(r"(2\.\d{1,3})?"),
    "arch": re.compile(r"(v[0-9a-f]{1,3})?"),
}


def _checked(key: str, value: Any) -> Any:
    if not isinstance(value, _SHAPES[key]):
        raise ValueError(f"{key} is {value!r}")
    if isinstance(value, list):
        return tuple(_text(item) for item in value)
    if key in _TEXTS and not _TEXTS[key].fullmatch(_text(value)):
        raise ValueError(f"{key} is {value!r}")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is no text")
    return value
