"""A project file for a directory of prebuilt files, which has no CMake project."""

from __future__ import annotations

import os
import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from pathlib import Path

from buildtool.contract.subject import platform_of
from buildtool.core.elf.file import EM_AARCH64, EM_HEXAGON, ET_DYN, ET_EXEC, elf_header
from buildtool.core.elf.read import Elf, ElfError, read_elf
from buildtool.project.keys import HEXAGON_ARCHS, arch_number
from buildtool.propose.cmake_tree import MAX_DEPTH
from buildtool.propose.proposal import Line, Proposal, Table, Unknown

MAX_ENTRIES = 20_000  # by name and header only
MAX_FILES = 1000  # ELF files that are read
SKIPPED = {"node_modules", "venv", "__pycache__"}
_ARCH = re.compile(rf"(?<![A-Za-z0-9])({'|'.join(HEXAGON_ARCHS)})(?![A-Za-z0-9])")
_SPECIAL = re.compile(r"([*?\[])")
Files = dict[str, Elf]
"""ELF files by path relative to the directory."""


def has_prebuilt_files(root: Path) -> bool:
    """Whether there is an ARM64 or a Hexagon file below `root`."""
    return next(_elf_paths(root), None) is not None


def propose_prebuilt(root: Path, name: str) -> Proposal:
    """A project file for the prebuilt files below `root`; without tables if there are none.

    Compiles and runs nothing.
    """
    hosts, skels = Files(), Files()
    for path in _elf_paths(root):
        try:
            elf = read_elf(root / path)
        except ElfError:
            continue
        (skels if elf.machine == EM_HEXAGON else hosts)[path] = elf
        if len(hosts) + len(skels) == MAX_FILES:
            break
    tables = list[Table]()
    if hosts:
        line = Line("files", tuple(_host_patterns(hosts)))
        tables.append(Table(f"host.{name}", f"{len(hosts)} ARM64 files", (line,)))
    archs, unknown = tuple[str, ...](), tuple[Unknown, ...]()
    if skels:
        patterns, archs, unknown = _skel_patterns(skels)
        lines = (Line("files", tuple(patterns)), Line("archs", archs, "those that there are"))
        tables.append(Table(f"skel.{name}-dsp", f"{len(skels)} Hexagon files", lines))
    if not tables:
        return Proposal((), ())
    android = [path for path, elf in hosts.items() if platform_of(elf) == "android"]
    platform = "android" if android else "ubuntu-aarch64"
    target = "phone" if android else "sim"
    header = (Line("name", name), *((Line("default-target", target),) if android else ()))
    targeted = (Line("platform", platform), Line("archs", archs))
    why = f"{android[0]} is built for Android" if android else ""
    tables.append(Table(f"target.{target}", why, targeted))
    return Proposal((Table("project", "", header), *tables), unknown)


def _elf_paths(root: Path) -> Iterator[str]:
    """The ARM64 and Hexagon programs and libraries below `root`, without links and hidden ones."""
    seen = 0
    for folder, folders, names in os.walk(root):
        depth = Path(folder).relative_to(root).parts
        deeper = sorted(folders) if len(depth) < MAX_DEPTH else []
        folders[:] = [n for n in deeper if _is_plain(n) and n not in SKIPPED]
        for name in sorted(names):
            seen += 1
            if seen > MAX_ENTRIES:
                return
            path = Path(folder, name)
            if not _is_plain(name) or path.is_symlink() or not path.is_file():
                continue
            try:
                header = elf_header(path)
            except OSError:
                continue
            if header and header[0] in (ET_EXEC, ET_DYN) and header[1] in (EM_AARCH64, EM_HEXAGON):
                yield path.relative_to(root).as_posix()


def _is_plain(name: str) -> bool:
    return name.isprintable() and not name.startswith(".")


def _host_patterns(files: Collection[str]) -> Iterator[str]:
    """A glob for the libraries of each directory, with their links, and the programs."""
    folders = dict.fromkeys(posixpath.dirname(path) for path in files if _is_library(path))
    for folder in folders:
        yield posixpath.join(_literal(folder), "*.so*")
    yield from (_literal(path) for path in files if not _is_library(path))


def _is_library(path: str) -> bool:
    return ".so" in Path(path).suffixes


def _skel_patterns(files: Files) -> tuple[list[str], tuple[str, ...], tuple[Unknown, ...]]:
    """Globs in which {arch} replaces the arch, the archs that all of them have, and what is left
    out because it is not there for these."""
    archs: dict[str, set[str]] = defaultdict(set)
    for path, elf in files.items():
        pattern, arch = _with_arch(path, elf.hexagon_arch)
        archs[pattern].add(arch)
    every = set.intersection(*archs.values())
    wanted = every or max(archs.values(), key=len)
    lost = [pattern for pattern, known in archs.items() if not wanted <= known]
    unknown = tuple(
        Unknown(
            f"{pattern} is there for {', '.join(sorted(archs[pattern]))} only",
            "Give it a component of its own, or add the files for the other archs.",
        )
        for pattern in lost
    )
    kept = [pattern for pattern in archs if pattern not in lost]
    return kept, tuple(arch for arch in HEXAGON_ARCHS if arch in wanted), unknown


def _with_arch(path: str, arch: str) -> tuple[str, str]:
    """A glob for a Hexagon file that is compiled for `arch`, and the arch that it is there for.

    A directory that is named after an arch may have libraries for older ones.
    """
    folder, name = posixpath.split(path)
    found = _ARCH.search(folder)
    if found and arch_number(arch) <= arch_number(found[1]):
        pattern = _literal(folder).replace(found[1], "{arch}")
        return f"{pattern}/*.so*", found[1]
    found = _ARCH.search(name)
    if found and found[1] == arch:
        return posixpath.join(_literal(folder), _literal(name).replace(arch, "{arch}")), arch
    return _literal(path), arch


def _literal(path: str) -> str:
    """The glob that matches this path only."""
    return _SPECIAL.sub(r"[\1]", path)
