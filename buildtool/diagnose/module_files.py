"""Finds the debug files of the modules of a crash by name, and whether they are of that build.

A crash on a device names libraries, but has no build-ids.  Its call trace has addresses and, for
each, an exported function and the distance from it: in the right debug file the same function is at
the same distance.

Functions and lines of code come from the debug information that a release leaves out.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Protocol

from buildtool.core.elf.debug_file import CodePlace, DebugFile, open_debug_file
from buildtool.core.value import Value
from buildtool.diagnose.crash_lines import CrashBlock, TracedCall
from buildtool.diagnose.crash_report import StackFrame

MAX_ENTRIES = 50_000
"""Of files and directories that are looked at."""
MAX_CANDIDATES = 32
PAGE = 4096
SHELL = "fastrpc_shell"
"""How the name of the program that loads libraries begins; nobody has its debug information."""
SYMBOLS, NAME, OTHER, MISSING = "symbols", "name", "other-build", "missing"

_open = lru_cache(maxsize=4)(open_debug_file)  # several crashes are often of one library


class ModuleFile(Value):
    """The debug file of a module.

    `match` is SYMBOLS if functions of the call trace are where the crash has them, NAME if only the
    name is known to be right, OTHER if a function is elsewhere, so that `file` is not used, and
    MISSING without any.  `base` is where the module is loaded, None if that is not known.  `others`
    are further files that would do as well.
    """

    module: str
    match: str
    path: Path | None
    file: DebugFile | None
    base: int | None
    others: tuple[Path, ...] = ()


class ModuleFiles:
    """Looks up places in the modules of a crash, in debug files below `directories`: those named
    after a module, and modules that are not stripped."""

    def __init__(self, block: CrashBlock, directories: Sequence[Path]) -> None:
        self._block = block
        self._directories = directories

    @cached_property
    def modules(self) -> Mapping[str, ModuleFile]:
        """The modules of the crash by name, first the one that crashed; not the shell."""
        block = self._block
        names = [block.module.name] if block.module else []
        names += [call.module for call in block.calls]
        wanted = [*dict.fromkeys(name for name in names if not name.startswith(SHELL))]
        found = _candidates(self._directories, wanted)
        return {name: self._choose(name, found[name]) for name in wanted}

    def places(self, frame: StackFrame, *, call: bool) -> tuple[CodePlace, ...]:
        """The function at `frame` and those inlined there, by the files of modules."""
        module = self.modules.get(frame.module)
        return places_in(module.file, frame, call=call) if module else ()

    def offset(self, module: str, address: int) -> int | None:
        """The link-time address in `module`; None if it is not known, or not in it."""
        shell = self._block.shell
        if shell and module == shell.name:
            base: int | None = shell.address
        else:
            base = self.modules[module].base if module in self.modules else None
        return address - base if base is not None and address >= base else None

    def _choose(self, name: str, paths: Iterable[Path]) -> ModuleFile:
        block = self._block
        base = block.module.address if block.module and block.module.name == name else None
        calls = [call for call in block.calls if call.module == name and call.symbol]
        found: list[ModuleFile] = []
        for path in paths:
            if file := _open(path):
                match, at = _compare(file, calls, base)
                used = file if match != OTHER else None
                found.append(ModuleFile(name, match, path, used, at))
        if not found:
            return ModuleFile(name, MISSING, None, None, base)
        best = min(found, key=lambda module: (SYMBOLS, NAME, OTHER).index(module.match))
        others = (m.path for m in found if m.match == best.match and m is not best and m.path)
        return best._replace(others=tuple(others))


def _compare(
    file: DebugFile, calls: Sequence[TracedCall], base: int | None
) -> tuple[str, int | None]:
    """Whether the functions of `calls` are in `file` where the crash has them, and where the module
    is loaded, which is `base` if that is known."""
    starts: dict[str, set[int]] = {}
    for address, _, name in file.symbols:
        starts.setdefault(name, set()).add(address)
    named = [call for call in calls if call.symbol in starts]
    if not named:
        return (OTHER if starts and calls else NAME), base
    possible = None if base is None else {base}
    for call in named:
        bases = {call.address - call.offset - start for start in starts[call.symbol]}
        possible = bases if possible is None else possible & bases
    possible = {each for each in possible or () if each >= 0 and each % PAGE == 0}
    return (SYMBOLS, min(possible)) if possible else (OTHER, base)


def _candidates(directories: Sequence[Path], modules: Sequence[str]) -> dict[str, list[Path]]:
    """The files for each of `modules`: those of earlier directories first, then the newest."""
    names = {f"{module}{suffix}": module for module in modules for suffix in ("", ".debug")}
    found: dict[str, list[Path]] = {module: [] for module in modules}
    seen: set[str] = set()
    for directory in directories:
        here: list[tuple[float, Path, str]] = []
        for path in _files(directory, names):
            real = os.path.realpath(path)
            if real not in seen and len(seen) < MAX_CANDIDATES and path.is_file():
                seen.add(real)
                here.append((-path.stat().st_mtime, path, names[path.name]))
        for _, path, module in sorted(here):
            found[module].append(path)
    return found


def _files(directory: Path, names: Mapping[str, str]) -> Iterator[Path]:
    """The files with these names below `directory`, also behind links to directories."""
    seen: set[str] = set()
    count = 0
    for folder, folders, files in os.walk(directory, followlinks=True):
        real = os.path.realpath(folder)
        count += len(files) + len(folders)
        if real in seen or count > MAX_ENTRIES:
            folders.clear()
            continue
        seen.add(real)
        yield from (Path(folder, name) for name in files if name in names)


class Places(Protocol):
    """Where functions and lines of code are looked up."""

    def places(self, frame: StackFrame, *, call: bool) -> tuple[CodePlace, ...]:
        """The function at `frame`, after the functions that are inlined there; () if unknown.
        `call`: the frame is the return address of a call, so that the call is before it."""


class DebugFiles:
    """The debug information of a release, in the directory `folder`: `.build-id/12/3456….debug`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: dict[str, DebugFile | None] = {}

    def places(self, frame: StackFrame, *, call: bool) -> tuple[CodePlace, ...]:
        """The function at `frame` and those inlined there, by the release's debug information."""
        return places_in(self._file(frame), frame, call=call)

    def function(self, frame: StackFrame, name: str) -> CodePlace | None:
        """Where the function `name` of the module of `frame` begins; None if that is not known."""
        file = self._file(frame)
        for start, _, symbol in file.symbols if file else ():
            at = frame._replace(offset=start)
            if symbol == name and (places := places_in(file, at, call=False)):
                return places[-1]
        return None

    def _file(self, frame: StackFrame) -> DebugFile | None:
        if not frame.build_id:
            return None
        if frame.build_id not in self._open:
            self._open[frame.build_id] = open_debug_file(
                self._folder / ".build-id" / frame.build_id[:2] / f"{frame.build_id[2:]}.debug"
            )
        return self._open[frame.build_id]


def places_in(file: DebugFile | None, frame: StackFrame, *, call: bool) -> tuple[CodePlace, ...]:
    """The function at `frame` in the module of `file`, after the functions that are inlined there;
    () if unknown."""
    if file is None or frame.offset is None:
        return ()
    try:
        return file.places(frame.offset - 4 if call else frame.offset)
    except Exception:  # pyelftools raises anything for a malformed file
        return ()
