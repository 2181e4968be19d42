"""Sysroots: a device's FastRPC library, DSP shell and C library, copied from the device.

`buildtool sysroot pull` writes each into a directory in the user's cache:

facts.json    a description of the device, and every file with size and sha256
root/         the files, at their paths on the device
"""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path

from buildtool.core.cache import cache_dir
from buildtool.core.errors import UsageError
from buildtool.core.file_stamp import is_settled, stamp_of
from buildtool.core.files import file_digest, has_content, value_digest, write_if_changed
from buildtool.sdk.sysroot_facts import FACTS, SysrootFacts, damaged_error, read_facts
from buildtool.sdk.tool_search import FoundTool, Problem, ToolMissingError

ROOT = "root"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class Sysroot(FoundTool, kw_only=True):
    """A pulled sysroot; `where` is its directory, `version` the version of the device's libcdsprpc.

    `platform` is `ubuntu-aarch64` or `android`; `soname` and `exports` are those of the device's
    libcdsprpc, `library` is its path below `root`; `glibc` ("2.35"), `soc` ("QCS6490") and `arch`
    ("v68") are "" if unknown; `shell_exports` are the symbols that the DSP shell exports to skels;
    `has_libc` says whether the sysroot has the headers, start files and linker scripts of the C
    library.
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
