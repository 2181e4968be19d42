"""A flame graph in SVG: a box for each call path, as wide as its share of the samples.

It needs no scripts: the title of a box is shown when the pointer is over it.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from html import escape

from buildtool.core.value import Value

WIDTH, ROW, MARGIN = 1200, 18, 10
"""Pixels."""
HEADER = 44
CHARACTER = 6.7
"""Width of a character of the font, in pixels."""
LEAST = 0.4
"""Width of the narrowest box that is drawn."""
LETTERS = 3
"""Fewer letters of a name are not written into a box."""
MAX_DEPTH = 100


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


def flame_graph(title: str, subtitle: str, stacks: Mapping[tuple[str, ...], int]) -> str:
    """The document; without stacks, it says that there are none."""
    total = sum(stacks.values())
    scale = (WIDTH - 2 * MARGIN) / max(total, 1)
    drawn = [Box("all", 0, total, 0), *boxes(stacks)] if total else []
    drawn = [box for box in drawn if box.samples * scale >= LEAST]
    rows = max((box.depth for box in drawn), default=0) + 1
    height = HEADER + rows * ROW + MARGIN
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}"'
        f' width="{WIDTH}" height="{height}" font-family="monospace" font-size="11">',
        f"<title>{_text(title)}</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        f'<text x="{MARGIN}" y="18" font-size="14">{_text(title)}</text>',
        f'<text x="{MARGIN}" y="34" fill="#555">{_text(subtitle)}</text>',
    ]
    if not total:
        lines.append(f'<text x="{MARGIN}" y="{HEADER + 14}">no samples</text>')
    for box in drawn:
        x, y = MARGIN + box.start * scale, height - MARGIN - (box.depth + 1) * ROW
        width = box.samples * scale
        share = f"{box.samples:,} of {total:,} samples, {100 * box.samples / total:.1f} %"
        letters = int((width - 4) / CHARACTER)
        name = box.name if len(box.name) <= letters else f"{box.name[: letters - 1]}…"
        label = f'<text x="{x + 2:.1f}" y="{y + 13}">{_text(name)}</text>'
        lines.append(
            f"<g><title>{_text(box.name)}: {share}</title>"
            f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{ROW - 1}"'
            f' fill="{_colour(box.name)}" rx="1"/>{label if letters >= LETTERS else ""}</g>'
        )
    return "\n".join([*lines, "</svg>", ""])


def _colour(name: str) -> str:
    """A warm colour that depends on the name only."""
    number = zlib.crc32(name.encode("utf-8", "replace"))
    return f"hsl({number % 45 + 10},{number // 45 % 25 + 65}%,{number // 1125 % 12 + 66}%)"


def _text(text: str) -> str:
    """Text that XML may have, which excludes most control characters."""
    return escape("".join(c if c.isprintable() else "?" for c in text), quote=False)
