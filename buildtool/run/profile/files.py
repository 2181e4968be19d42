"""What is made of a profile: files for people and for other programs, and the text of `--annotate`.

A flame graph in SVG has a box for each call path, as wide as its share of the samples; without
samples, for each function, as wide as its share of the packets.

It needs no scripts: the title of a box is shown when the pointer is over it.

Other tools read the folded stacks of FlameGraph, and Speedscope's JSON.

Sources: stackcollapse-perf.pl and flamegraph.pl of brendangregg/FlameGraph; Speedscope's
file-format-spec.ts.
"""

from __future__ import annotations

import html
import json
import re
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from buildtool.core.escape import escape
from buildtool.core.files import write_if_changed
from buildtool.core.trees import make_directory
from buildtool.core.value import Value
from buildtool.project.tables import suggest
from buildtool.run.profile.module_code import CodeFunction, ModuleCode, SourceLine
from buildtool.run.profile.profile import Profile
from buildtool.run.profile.recording import MAX_WORDS, Packet, disassembled, packets_between

ENDINGS = (".svg", ".folded", ".speedscope.json", ".json")
"""Of the files `dsp` for skels, `host` for programs on a device."""
MAX_SOURCE = 8 << 20
WIDTH, ROW, MARGIN = 1200, 18, 10
"""Pixels."""
HEADER = 44
CHARACTER = 6.7
"""Width of a character of the font, in pixels."""
LEAST = 0.4
"""Width of the narrowest box that is drawn."""
FEW = 20
"""Samples that give no shares: counts of packets are drawn instead, if there are some."""
LETTERS = 3
"""Fewer letters of a name are not written into a box."""
MAX_DEPTH = 100
PACKETS = "packets"
SCHEMA = "https://www.speedscope.app/file-format-schema.json"


def write_files(folder: Path, title: str, profile: Profile) -> tuple[Path, ...]:
    """Write the flame graph, the stacks in both forms, and the functions; raises `OSError`."""
    make_directory(folder)
    side = "host" if profile.tool else "dsp"
    files = tuple(folder / f"{side}{ending}" for ending in ENDINGS)
    subtitle, stacks, unit = _drawn(profile)
    texts = (
        flame_graph(title, subtitle, stacks, unit),
        folded(stacks),
        speedscope(f"{title}, {unit}", stacks),
        json.dumps(profile._replace(files=tuple(map(str, files))).as_json(), indent=1) + "\n",
    )
    for file, text in zip(files, texts, strict=True):
        write_if_changed(file, text)
    return files


def _drawn(profile: Profile) -> tuple[str, Mapping[tuple[str, ...], int], str]:
    """What is drawn, in words, with its stacks and their unit: samples; of a run that was too short
    for these, packets that functions have executed."""
    executed: dict[tuple[str, ...], int] = {
        (row.name,): row.packets for row in profile.functions if row.packets
    }
    if profile.samples >= FEW or not executed:
        return profile.measure, profile.stacks, "samples"
    few = f"{profile.samples} samples are too few"
    return (
        f"{few}: widths are the packets that each function itself has executed",
        executed,
        PACKETS,
    )


class Box(Value):
    """A box: `start` and `samples` are its place and its width in samples, `depth` its row from
    the bottom."""

    name: str
    start: int
    samples: int
    depth: int


def boxes(stacks: Mapping[tuple[str, ...], int]) -> Iterator[Box]:
    """The boxes of stacks, whose outermost function comes first, from left to right."""
    open_boxes: list[tuple[str, int]] = []
    at = 0
    for stack, samples in [*sorted(stacks.items()), ((), 0)]:
        path = stack[:MAX_DEPTH]
        common = 0
        while common < min(len(path), len(open_boxes)) and path[common] == open_boxes[common][0]:
            common += 1
        while len(open_boxes) > common:
            name, start = open_boxes.pop()
            yield Box(name, start, at - start, len(open_boxes) + 1)
        open_boxes += [(name, at) for name in path[common:]]
        at += samples


def flame_graph(
    title: str,
    subtitle: str,
    stacks: Mapping[tuple[str, ...], int],
    unit: str = "samples",
    width: int = WIDTH,
) -> str:
    """The document; without stacks, it says that there are none.  Their numbers are of `unit`."""
    total = sum(stacks.values())
    scale = (width - 2 * MARGIN) / max(total, 1)
    drawn = [Box("all", 0, total, 0), *boxes(stacks)] if total else []
    drawn = [box for box in drawn if box.samples * scale >= LEAST]
    rows = max((box.depth for box in drawn), default=0) + 1
    height = HEADER + rows * ROW + MARGIN
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        f' width="{width}" height="{height}" font-family="monospace" font-size="11">',
        f"<title>{_text(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text x="{MARGIN}" y="18" font-size="14">{_text(title)}</text>',
        f'<text x="{MARGIN}" y="34" fill="#555">{_text(subtitle)}</text>',
    ]
    if not total:
        lines.append(f'<text x="{MARGIN}" y="{HEADER + 14}">no samples</text>')
    for box in drawn:
        x, y = MARGIN + box.start * scale, height - MARGIN - (box.depth + 1) * ROW
        wide = box.samples * scale
        share = f"{box.samples:,} of {total:,} {unit}, {100 * box.samples / total:.1f} %"
        letters = int((wide - 4) / CHARACTER)
        name = box.name if len(box.name) <= letters else f"{box.name[: letters - 1]}…"
        label = f'<text x="{x + 2:.1f}" y="{y + 13}">{_text(name)}</text>'
        lines.append(
            f"<g><title>{_text(box.name)}: {share}</title>"
            f'<rect x="{x:.1f}" y="{y}" width="{wide:.1f}" height="{ROW - 1}"'
            f' fill="{_colour(box.name)}" rx="1"/>{label if letters >= LETTERS else ""}</g>'
        )
    return "\n".join([*lines, "</svg>", ""])


def _colour(name: str) -> str:
    """A warm colour that depends on the name only."""
    number = zlib.crc32(name.encode("utf-8", "replace"))
    return f"hsl({number % 45 + 10},{number // 45 % 25 + 65}%,{number // 1125 % 12 + 66}%)"


def _text(text: str) -> str:
    """Text that XML may have, which excludes most control characters."""
    return html.escape("".join(c if c.isprintable() else "?" for c in text), quote=False)


def folded(stacks: Mapping[tuple[str, ...], int]) -> str:
    """A line for each stack: its functions, the outermost first, and its number."""
    lines = (
        f"{';'.join(escape(name).replace(';', ':').replace(chr(10), ' ') for name in stack)} {n}\n"
        for stack, n in stacks.items()
    )
    return "".join(sorted(lines))


def speedscope(name: str, stacks: Mapping[tuple[str, ...], int]) -> str:
    """A document of the stacks that speedscope.app opens."""
    frames: dict[str, int] = {}
    samples = [
        [frames.setdefault(function, len(frames)) for function in stack] for stack in sorted(stacks)
    ]
    weights = [stacks[stack] for stack in sorted(stacks)]
    document = {
        "$schema": SCHEMA,
        "name": name,
        "exporter": "buildtool",
        "activeProfileIndex": 0,
        "shared": {"frames": [{"name": function} for function in frames]},
        "profiles": [
            {
                "type": "sampled",
                "name": name,
                "unit": "none",
                "startValue": 0,
                "endValue": sum(weights),
                "samples": samples,
                "weights": weights,
            }
        ],
    }
    return json.dumps(document, indent=1) + "\n"


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
    code = disassembled(file, function.start, function.end) if file else ""
    found: dict[int, str] = {}
    start = None
    for address, text in re.findall(r"^ *([0-9a-f]{1,8}):[ \t]+(.{0,200})$", code, re.M):
        if text.startswith("{") or start is None:
            start = int(address, 16)
        words = re.sub(r"[{} \t]+", " ", text).strip().replace(" :endloop", "; endloop")
        found[start] = f"{found[start]}; {words}" if start in found else words
        if "}" in text:
            start = None
    return found
