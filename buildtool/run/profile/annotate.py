"""A function with its packets: how often each was executed, and how many instructions it has."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from buildtool.core.processes.process import capture
from buildtool.project.validate import suggest
from buildtool.run.profile.module_code import CodeFunction, ModuleCode, SourceLine
from buildtool.run.profile.packets import MAX_WORDS, Packet, packets_between
from buildtool.run.profile.profile import Profile
from buildtool.run.undecoded import FEATURES

SECONDS = 20
"""How long the disassembler may take."""
MAX_SOURCE = 8 << 20


def annotate(profile: Profile, name: str, root: Path) -> str:
    """The text for all functions with this name, or a suggestion if no skel has one; sources are
    read below `root`."""
    parts = [
        "\n".join(_Annotation(profile, skel, code, function, root).lines())
        for skel, code in profile.code.items()
        for function in code.functions_named(name)
    ]
    if not parts:
        known = {found for code in profile.code.values() for found in code.names}
        return (
            f"--annotate {name}: no skel of this release has such a function; one that is inlined"
            f" everywhere has no code of its own. {suggest(name, known) if known else ''}"
        ).rstrip()
    return "\n\n".join(parts)


class _Annotation:
    def __init__(
        self, profile: Profile, skel: str, code: ModuleCode, function: CodeFunction, root: Path
    ) -> None:
        self._profile, self._skel, self._code = profile, skel, code
        self._function, self._root = function, root
        self._counts: Mapping[Packet, int] = profile.packets.get(skel, {})
        self._packets = tuple(packets_between(function.start, function.end, code.word_at))
        self._sources: dict[str, list[str]] = {}

    def lines(self) -> Iterator[str]:
        function, packets = self._function, self._packets
        yield f"{function.name}, {self._skel}+0x{function.start:x}, {len(packets)} packets"
        yield self._summary()
        yield ""
        at = self._profile.at
        total = sum(at.get((self._skel, packet.address), 0) for packet in packets)
        code = _disassembly(self._code.path, function)
        shown = SourceLine()
        yield f"{'samples':>7}  {'executed':>13}  insns  address"
        for packet in packets:
            line = self._code.line_at(packet.address)
            if line != shown and line.line:
                yield f"{line.short}  {self._source(line)}".rstrip()
                shown = line
            samples = at.get((self._skel, packet.address), 0)
            share = f"{100 * samples / total:.1f}%" if samples else ""
            times = f"{self._counts.get(packet, 0):,}" if not self._profile.uncounted else "?"
            yield (
                f"{share:>7}  {times:>13}  {packet.instructions}/{MAX_WORDS}   "
                f"{packet.address:>6x}  {code.get(packet.address, '')}"
            ).rstrip()

    def _summary(self) -> str:
        counts = [(packet, self._counts.get(packet, 0)) for packet in self._packets]
        executed = sum(times for _, times in counts)
        if self._profile.uncounted:
            return f"executed packets are not counted: {self._profile.uncounted}"
        if not executed:
            return "was not executed"
        instructions = sum(times * packet.instructions for packet, times in counts)
        hvx = sum(times * packet.hvx for packet, times in counts)
        partial = sum(times for packet, times in counts if packet.instructions < MAX_WORDS)
        return (
            f"{executed:,} packets executed, {instructions / executed:.2f} instructions in each,"
            f" {hvx / executed:.2f} of HVX; {100 * partial / executed:.1f} % are not full"
        )

    def _source(self, line: SourceLine) -> str:
        if line.path not in self._sources:
            self._sources[line.path] = _read_lines(self._root / line.path)
        source = self._sources[line.path]
        return source[line.line - 1].strip() if line.line <= len(source) else ""


def _read_lines(file: Path) -> list[str]:
    try:
        if file.is_file() and file.stat().st_size <= MAX_SOURCE:
            return file.read_text(encoding="utf-8", errors="replace").split("\n")
    except (OSError, ValueError):
        pass
    return []


def _disassembly(file: Path | None, function: CodeFunction) -> dict[int, str]:
    """The packets of a function by their addresses, if LLVM's disassembler is installed."""
    program = shutil.which("llvm-objdump")
    if not (program and file):
        return {}
    done = capture(
        [
            *(program, "-d", "--no-show-raw-insn", f"--mattr={FEATURES}"),
            *(f"--start-address={function.start}", f"--stop-address={function.end}", str(file)),
        ],
        env=os.environ,
        timeout=SECONDS,
    )
    found: dict[int, str] = {}
    start = None
    for address, text in re.findall(r"^ *([0-9a-f]{1,8}):[ \t]+(.{0,200})$", done.output, re.M):
        if text.startswith("{") or start is None:
            start = int(address, 16)
        words = re.sub(r"[{} \t]+", " ", text).strip().replace(" :endloop", "; endloop")
        found[start] = f"{found[start]}; {words}" if start in found else words
        if "}" in text:
            start = None
    return found
