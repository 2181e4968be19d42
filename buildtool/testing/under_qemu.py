"""Runs a program of a build tree on this machine, under QEMU if it is for ARM64 Linux."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from buildtool.core.elf.file import EM_AARCH64, EM_HEXAGON, elf_header
from buildtool.core.errors import BuildtoolError
from buildtool.core.trees import own_root

CONFIGURATION = "etc/buildtool-sim.conf"  # of an emulated device, see `device.emulated.device`


class CannotRunError(BuildtoolError):
    """A program was built for another machine, which this one cannot emulate."""

    code = "cannot-run"


def run_here(system: str, command: Sequence[str]) -> NoReturn:
    """Become the program of `command`, which was built for `system`.

    QEMU gets the libraries of the emulated device of the project if that is there, else those of
    Debian's cross packages, and the shared libraries of the build tree.  Raises `CannotRunError`.
    """
    program = Path(command[0]).absolute()
    if system == "hexagon" and _machine(program) == EM_HEXAGON:
        raise _cannot_run(program, "it was built for the DSP")
    if system == "native" or _machine(program) != EM_AARCH64:
        _become(command)
    if system == "android":
        raise _cannot_run(program, "it was built for Android, which QEMU's user mode does not run")
    device = next(_emulated_devices(program), None)
    qemu, root = _qemu(program, device)
    from buildtool.sdk.qemu import FORK_SAFE  # noqa: PLC0415 - only for ARM64

    libraries = dict.fromkeys(_library_directories(_tree(program)))
    os.environ.update(FORK_SAFE)
    # QEMU itself must not load them.
    guest = ["-E", f"LD_LIBRARY_PATH={':'.join(libraries)}"] if libraries else []
    _become([str(qemu), "-L", str(root), *guest, str(program), *command[1:]])


def _become(command: Sequence[str]) -> NoReturn:
    try:
        os.execvp(command[0], list(command))
    except OSError as error:
        raise CannotRunError(
            f"{command[0]} cannot be started", why=str(error.strerror), remedy="Check the file."
        ) from error


def _machine(program: Path) -> int | None:
    """The machine that an ELF file is for; None for other files."""
    try:
        header = elf_header(program)
    except OSError:
        return None  # starting it says why
    return header[1] if header else None


def _cannot_run(program: Path, why: str) -> CannotRunError:
    return CannotRunError(
        f"{program} cannot run on this machine",
        why=f"it is a program for the device: {why}",
        remedy="Run tests with `buildtool test DEVICE`. A program that a build runs has to be built"
        " for this machine, or needs QEMU: apt-get install qemu-user libc6-arm64-cross",
    )


def _emulated_devices(program: Path) -> Iterator[Path]:
    """The emulated devices of the project that `program` was built in, the last used one first."""
    state = own_root(program)
    found = (state / "device").glob(f"*/{CONFIGURATION}") if state else ()
    for file in sorted(found, key=lambda file: file.stat().st_mtime, reverse=True):
        yield file.parents[1]


def _qemu(program: Path, device: Path | None) -> tuple[Path, Path]:
    """The emulator, and the directory that it takes for the root of an ARM64 system."""
    if device:
        text = (device / CONFIGURATION).read_text(encoding="utf-8", errors="replace")
        values = dict(line.partition("=")[::2] for line in text.splitlines())
        beside = Path(values.get("qemu", "")).with_name("qemu-aarch64")
        if beside.is_file():
            return beside, device
    from buildtool.sdk.qemu import find_cross_glibc, find_qemu  # noqa: PLC0415 - rarely needed

    try:
        return find_qemu().aarch64, device or find_cross_glibc().directory.parent
    except BuildtoolError as error:
        raise _cannot_run(program, f"{error.message} ({error.why})") from error


def _tree(program: Path) -> Path | None:
    """The build tree of `program`."""
    trees = (folder for folder in program.parents if (folder / "CMakeCache.txt").is_file())
    return next(trees, None)


def _library_directories(tree: Path | None) -> Iterator[str]:
    """The directories of the build tree with shared libraries: programs of a release have the
    RUNPATH that they are installed with."""
    for folder, folders, names in os.walk(tree) if tree else ():
        folders[:] = sorted(name for name in folders if name not in ("CMakeFiles", ".cmake"))
        if any(name.endswith(".so") or ".so." in name for name in names):
            yield folder
