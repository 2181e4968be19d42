"""Makes a package a second time under other conditions, and explains where the bytes differ.

The second build is of a copy of the sources in another directory, without caches, by one job, with
another umask, time zone, locale and user name; the files of the copy are older.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from buildtool.core.cache import cache_dir
from buildtool.core.errors import BuildtoolError
from buildtool.core.files import file_digest
from buildtool.core.processes.process import ToolError, capture, check
from buildtool.core.value import Value
from buildtool.inputs.roots import shown
from buildtool.plan.plan import Plan
from buildtool.project.model import STATE, Project
from buildtool.release.package import Archive, Packaged

USER = "somebody-else"
TIME_ZONES = ("Pacific/Kiritimati", "America/St_Johns")
DAY = 24 * 3600
SHOWN = 10


class NotReproducibleError(BuildtoolError):
    """A second build has other bytes."""

    code = "not-reproducible"


def verify_reproducible(project: Project, packaged: Packaged) -> None:
    """Make `packaged` again under other conditions.

    Raises `NotReproducibleError` if an archive has other bytes, `ToolError` if the second build
    fails, and `OSError`.
    """
    with tempfile.TemporaryDirectory(prefix="buildtool-a-second-build-") as folder:
        temporary = Path(folder).resolve()
        above = _read_above(packaged)
        levels = max((name.split("/").count("..") for name in above), default=0)
        top = temporary.joinpath(*["above"] * levels, "project")
        git, prefix = _git_directory(project.root)
        copy = top / prefix
        output = packaged.archives[0].path.parent
        # Changes in this directory do not make the sources dirty.
        inside = output.is_relative_to(project.root)
        output = copy / output.relative_to(project.root) if inside else temporary / "archives"
        _copy_sources(project.root, copy, temporary, packaged.archives)
        for name, path in above.items():
            _copy_source(path, Path(os.path.normpath(copy / name)))
        time.sleep(1 - time.time() % 1)  # __TIME__ has whole seconds, and small builds take less
        variables = {"GIT_DIR": git, "GIT_WORK_TREE": str(top)} if git else {}
        _package(project, packaged, copy, output, variables)
        other = copy / STATE / packaged.build.plan.release.relative_to(project.state)
        differ = [
            archive.path.name
            for archive in packaged.archives
            if file_digest(output / archive.path.name) != archive.sha256
        ]
        if differ:
            raise _error(project.root, copy, packaged.build.plan, other, differ)


def _copy_sources(root: Path, copy: Path, temporary: Path, archives: tuple[Archive, ...]) -> None:
    """Copy the project without what was built, in another order of directory entries, to `copy` in
    the directory `temporary`."""
    made = {archive.path for archive in archives}
    for folder, folders, names in os.walk(root):
        here = Path(folder)
        if here == root:
            folders[:] = [name for name in folders if name not in (STATE, ".git")]
        # The directory for temporary files may be in the project.
        folders[:] = [name for name in folders if (here / name).resolve() != temporary]
        target = copy / here.relative_to(root)
        target.mkdir(parents=True)
        for name in sorted(names, reverse=True):
            if here / name not in made and _is_source(here / name):
                _copy_source(here / name, target / name)
        for name in [name for name in folders if (here / name).is_symlink()]:
            (target / name).symlink_to((here / name).readlink())


def _read_above(packaged: Packaged) -> dict[str, Path]:
    """What the steps read above the project: the path relative to the project, and where it is."""
    found: dict[str, Path] = {}
    for result in packaged.build.steps:
        roots = result.step.roots
        for name in result.record.inputs.paths.files if result.record else ():
            if roots.is_parent(name):
                found[shown(name)] = Path(roots.path_of(name))
    return found


def _copy_source(path: Path, target: Path) -> None:
    """Copy a file or link, older than it is; of a directory, make one that is empty."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir() and not path.is_symlink():
        target.mkdir(exist_ok=True)
    elif os.path.lexists(path) and _is_source(path):
        shutil.copy2(path, target, follow_symlinks=False)
        status = target.lstat()
        os.utime(target, (status.st_atime - DAY, status.st_mtime - DAY), follow_symlinks=False)


def _is_source(path: Path) -> bool:
    """Whether `path` is a file or a link: pipes and sockets are of programs that run."""
    mode = path.lstat().st_mode
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode)


def _package(
    project: Project, packaged: Packaged, copy: Path, output: Path, variables: dict[str, str]
) -> None:
    target = packaged.release.target
    build_type = project.targets[target].build_type
    formats = [word for archive in packaged.archives for word in ("--format", archive.format)]
    command = [
        *(sys.executable, "-m", "buildtool", "package", target, *formats),
        *("--output", str(output), "--no-cache", "--jobs", "1", "--build-type", build_type),
        *(["--strict-isa"] if project.targets[target].strict_isa else []),
    ]
    done = capture(command, env=_environment() | variables, cwd=copy, umask=0o077)
    try:
        check(done, "the second build")
    except ToolError as error:
        error.remedy = "It is of a copy of the sources: are there files outside of the project?"
        raise


def _environment() -> dict[str, str]:
    zone = next(zone for zone in TIME_ZONES if zone != os.environ.get("TZ"))
    return {
        **os.environ,
        "BUILDTOOL_CACHE": str(cache_dir()),  # for zig's C libraries
        "TZ": zone,
        "LC_ALL": "C.UTF-8" if os.environ.get("LC_ALL") == "C" else "C",
        "USER": USER,
        "LOGNAME": USER,
        "HOSTNAME": USER,
    }


def _git_directory(root: Path) -> tuple[str, str]:
    """The repository that `root` is in, and the path of `root` in it; both "" outside of one."""
    command = ["git", "-C", str(root), "rev-parse", "--absolute-git-dir", "--show-prefix"]
    try:
        done = capture(command, env=os.environ, timeout=60)
    except ToolError:
        return "", ""  # there is no git
    directory, prefix = (*done.output.split("\n"), "", "")[:2]
    return ("", "") if done.status else (directory, prefix)


def _error(
    root: Path, copy: Path, plan: Plan, other: Path, differ: list[str]
) -> NotReproducibleError:
    lines = list(_differences(root, copy, plan.release, other))
    more = len(lines) - SHOWN
    return NotReproducibleError(
        f"a second build made other bytes: {', '.join(differ)}",
        why="\n".join(lines[:SHOWN] + ([f"and {more} more"] if more > 0 else []))
        or "the files of the release are the same: release.json or the archive's format differs",
        remedy="Leave the suspected input out of the build. Docs: docs/releases.md.",
    )


def _differences(root: Path, copy: Path, one: Path, other: Path) -> Iterator[str]:
    names = {
        "the build directory": str(root),
        "the build directory of the second build": str(copy),
        "the user name": USER,
    }
    ours, theirs = _files(one), _files(other)
    for path in sorted(ours | theirs):
        if path not in theirs:
            yield f"{path}: only in the first build"
        elif path not in ours:
            yield f"{path}: only in the second build"
        elif found := compare(path, one / path, other / path, names):
            yield str(found)


def _files(directory: Path) -> set[str]:
    return {str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file()}


MAX_BYTES = 64 << 20  # of a file; more is compared by digest only
UNKNOWN = "unknown: random numbers, addresses, or another input that differs"
SHOWN_BYTES = 48
_PRINTABLE = re.compile(rb"[\x20-\x7e]+")
_TIME = re.compile(
    rb"\d\d:\d\d|\d{4}-\d\d-\d\d|\b1[6-9]\d{8}\b"
    rb"|(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d"
)


class Difference(Value):
    """The first difference of a file: its section ("" in a file without any), the offset in it,
    what is there in both builds, and the suspected input."""

    path: str
    section: str
    offset: int
    one: bytes
    other: bytes
    suspect: str

    def __str__(self) -> str:
        place = f" in {self.section}" if self.section else ""
        both = f"{_shown(self.one)} became {_shown(self.other)}"
        return f"{self.path}{place} at offset {self.offset:#x}: {both}; suspected: {self.suspect}"


def compare(path: str, one: Path, other: Path, names: Mapping[str, str]) -> Difference | None:
    """The first difference of two files; None if they have the same bytes.

    `names` are the texts that differ between the builds by what they are, such as `user`.
    """
    if min(one.stat().st_size, other.stat().st_size) > MAX_BYTES:
        return Difference(path, "", 0, b"", b"", "not examined: the file is too large")
    first, second = one.read_bytes(), other.read_bytes()
    if first == second:
        return None
    others = _sections(other)
    found = [
        _difference(path, name, data, others[name], names)
        for name, data in _sections(one).items()
        if name in others and data != others[name]
    ]
    # A difference in one section moves others: the one with a known cause is the first cause.
    causes = [difference for difference in found if difference.suspect != UNKNOWN]
    return next(iter(causes or found), None) or _difference(path, "", first, second, names)


def _difference(
    path: str, section: str, one: bytes, other: bytes, names: Mapping[str, str]
) -> Difference:
    at = _first_difference(one, other)
    start, end = _text_around(one, at)
    _, other_end = _text_around(other, at)
    here, there = one[start:end], other[start:other_end]
    return Difference(path, section, at, here, there, _suspect(one, other, here, there, names))


def _first_difference(one: bytes, other: bytes) -> int:
    size = min(len(one), len(other))
    low, high = 0, size  # bisection: comparing slices is fast
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _text_around(data: bytes, at: int) -> tuple[int, int]:
    """The bounds of the text at an offset; of one byte if there is none."""
    start = max(0, at - 4096)
    for run in _PRINTABLE.finditer(data, start, at + 4096):
        if run.start() <= at < run.end() and run.end() - run.start() > 3:
            return run.span()
    return at, min(at + 8, len(data))


def _suspect(one: bytes, other: bytes, here: bytes, there: bytes, names: Mapping[str, str]) -> str:
    for kind, text in names.items():
        if text.encode(errors="surrogateescape") in here + b"\0" + there:
            return kind
    if len(one) == len(other) and sorted(one) == sorted(other):
        return "the order of files, of a directory or a hash table"
    if _TIME.search(here) and _TIME.search(there):
        return "the time of the build (such as __DATE__ or __TIME__)"
    if len(one) != len(other) and not one.strip(b"\0").startswith(other.strip(b"\0")[:8]):
        return "the build directory, whose path has another length"
    return UNKNOWN


def _sections(file: Path) -> dict[str, bytes]:
    """The sections of an ELF file by name; {} for another file."""
    from elftools.elf.elffile import ELFFile  # noqa: PLC0415 - slow to import

    try:
        with file.open("rb") as stream:
            elf: Any = ELFFile(stream)
            return {
                section.name: section.data()
                for section in elf.iter_sections()
                if section["sh_type"] not in ("SHT_NULL", "SHT_NOBITS")
                and section.name != ".note.gnu.build-id"  # the digest of the rest
            }
    except Exception:  # pyelftools raises errors of any type
        return {}


def _shown(data: bytes) -> str:
    """The bytes as text if they are text, else in hex."""
    more = "…" if len(data) > SHOWN_BYTES else ""
    data = data[:SHOWN_BYTES]
    if data and _PRINTABLE.fullmatch(data):
        return f"“{data.decode()}{more}”"
    return (data.hex(" ") or "nothing") + more
