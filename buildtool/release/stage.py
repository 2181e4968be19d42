"""`Built` → a staged tree: what goes onto a device, laid out as it lies there.

bin/ lib/ …        what the ARM64 side installs
dsp/<arch>/        the skels of one DSP arch, side by side
run.sh             starts a program with the right environment
"""

from __future__ import annotations

import hashlib
import itertools
import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from buildtool.build.built import Built
from buildtool.build.disk import RUNS, Disk
from buildtool.core.errors import BuildtoolError
from buildtool.core.files import file_digest, value_digest
from buildtool.toolchains.cdsprpc import is_cdsprpc

RUN_SCRIPT = "run.sh"


class StageError(BuildtoolError):
    """What was built cannot be laid out as a release."""

    code = "stage"


class Staged(NamedTuple):
    """A staged tree: its directory, and an id that is the digest of its file list."""

    target: str
    directory: Path
    id: str
    archs: tuple[str, ...]


def stage(built: Built, disk: Disk) -> Staged:
    """Lay out what `built` ships in the plan's stage directory.

    The directory is replaced as a whole, and only when it is not as it should be: what is in it is
    compared by content.  Raises `StageError` for two files of one name, for one below another, and
    for a libcdsprpc.
    """
    files = _layout(built)
    _refuse_below_files(files)
    script = (Path(__file__).parent / RUN_SCRIPT).read_text()
    directory = built.plan.stage
    wanted = {name: disk.state(path) for name, path in files.items()}
    wanted[RUN_SCRIPT] = hashlib.sha256(script.encode()).hexdigest() + RUNS
    archs = tuple(dict.fromkeys(s.step.arch for s in built.steps if s.step.arch))
    staged = Staged(built.plan.target, directory, value_digest(sorted(wanted.items())), archs)
    if {name: disk.state(f"{directory}/{name}") for name in _files(directory)} == wanted:
        return staged
    for finished in built.steps:
        for name, path in finished.files.items() if finished.step.ships else ():
            _refuse_cdsprpc(finished.step.name, name, path)
    _replace(directory, files, script)
    return staged


def _replace(directory: Path, files: Mapping[str, Path], script: str) -> None:
    import shutil  # noqa: PLC0415 - most of the time it is as it should be
    import tempfile  # noqa: PLC0415

    directory.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(dir=directory.parent, prefix=f".{directory.name}."))
    try:
        for name, path in files.items():
            place = fresh / name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, place)
        (fresh / RUN_SCRIPT).write_text(script)
        (fresh / RUN_SCRIPT).chmod(0o755)
        fresh.chmod(0o755)
        if directory.exists():
            shutil.rmtree(directory)
        fresh.rename(directory)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _files(directory: Path) -> list[str]:
    """Everything below the directory that is none itself: relative paths."""
    return [
        str(Path(folder, name).relative_to(directory))
        for folder, _, names in os.walk(directory)
        for name in names
    ]


def _layout(built: Built) -> dict[str, Path]:
    """Path in the release → file."""
    files: dict[str, Path] = {}
    for finished in built.steps:
        if not finished.step.ships:
            continue
        arch = finished.step.arch
        for name, path in finished.files.items():
            if arch:
                # A skel is found by its bare name, so the tree below its prefix is flattened.
                if ".so" not in path.suffixes:
                    continue
                place = f"dsp/{arch}/{path.name}"
            else:
                place = name if "/" in name else _bare_place(path)
            if place in files and file_digest(files[place]) != file_digest(path):
                raise StageError(
                    f"two files want to be {place}",
                    why=f"{files[place]} and {path} differ",
                    remedy="Give one of them another name.",
                    files=[files[place], path],
                )
            files[place] = path
    return files


def _refuse_below_files(files: Mapping[str, Path]) -> None:
    """Raises `StageError` where one place is to be a file, and a directory for another one."""
    # With what lies in it right behind each place.
    places = sorted((RUN_SCRIPT, *files), key=lambda place: place.replace("/", "\0"))
    for place, after in itertools.pairwise(places):
        if after.startswith(f"{place}/"):
            raise StageError(
                f"{place} is to be a file and a directory",
                why=f"{files.get(place, RUN_SCRIPT)} and {files[after]} ship",
                remedy="Give one of them another name.",
                files=[files[name] for name in (place, after) if name in files],
            )


def _refuse_cdsprpc(step: str, name: str, path: Path) -> None:
    """Raises `StageError` for a libcdsprpc: by its name, what it links to, or its SONAME."""
    from buildtool.core.elf import is_elf, read_elf  # noqa: PLC0415 - most is staged already

    names = [name, path.name, path.resolve().name]
    # Whatever needs it has its name inside as well; only these few are read.
    if not any(map(is_cdsprpc, names)) and is_elf(path) and b"libcdsprpc" in path.read_bytes():
        names.append(read_elf(path).soname)
    if called := next(filter(is_cdsprpc, names), ""):
        raise StageError(
            f"{step} ships {name}" + ("" if is_cdsprpc(name) else f", which is {called}"),
            why="libcdsprpc belongs to the device's system: another copy in front of it"
            f" breaks every session ({path})",
            remedy="Do not install it; link Buildtool::cdsprpc, which is never shipped.",
            files=[path],
        )


def _bare_place(path: Path) -> str:
    """Where a file without a directory of its own goes: libraries to lib/, the rest to bin/."""
    return f"lib/{path.name}" if ".so" in path.suffixes else f"bin/{path.name}"
