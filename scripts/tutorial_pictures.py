"""Draw the pictures of docs/tutorial.md: tutorial_pictures.py PROJECT FOLDER <OUTPUT

PROJECT is the tutorial's, after its commands; OUTPUT is what a terminal shows of the crash there.
The pictures are SVG files in FOLDER, narrow enough for a telephone.  BUILDTOOL_UPDATE_GOLDEN=1 with
the test of the tutorial draws those of the page again.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path

from buildtool.project.read import read_project
from buildtool.report.blocks import Finding
from buildtool.report.report import make_report
from buildtool.run.profile.files import flame_graph

WIDTH, GRAPH_WIDTH, MARGIN, LINE = 500, 400, 16, 20
"""Pixels."""
COLUMNS, CHARACTER = 55, 8.43
"""Characters in a line of the terminal, and the width of each."""
WORDS = 48
"""Characters in a line of the card."""
TEXT = 90
"""Where texts of the card begin."""
MONO = 'font-family="ui-monospace,\'DejaVu Sans Mono\',Menlo,Consolas,monospace" font-size="14"'
SANS = 'font-family="system-ui,\'DejaVu Sans\',sans-serif" font-size="14"'
Line = tuple[float, str, str]
"""A line of text: from the left, its attributes, and the text."""


def main(project: str, folder: str, output: str) -> None:
    pictures = {
        "terminal": terminal(output),
        "report": card(Path(project)),
        "flame-graph": graph(Path(project)),
    }
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, picture in pictures.items():
        (Path(folder) / f"{name}.svg").write_text(picture, "utf-8")


def terminal(output: str) -> str:
    lines = [part for line in output.splitlines() for part in folded(line, COLUMNS)]
    colours = {"$": 'fill="#fff" font-weight="bold"', "✗": 'fill="#ff8f86"', "✓": 'fill="#6fd08c"'}
    indents = (len(line) - len(line.lstrip()) for line in lines)
    shown = (
        (MARGIN + indent * CHARACTER, colours.get(line[:1], 'fill="#d7dce2"'), line.lstrip())
        for indent, line in zip(indents, lines, strict=True)
    )
    return drawing("A terminal", MONO, "#14171c", "", shown)


def card(project: Path) -> str:
    """The first card of a failed run in the report of the project."""
    report = make_report(read_project(project / "buildtool.toml"), 0)
    blocks = (block for section in report.sections for block in section.blocks)
    finding = next(b for b in blocks if isinstance(b, Finding) and b.title.startswith("run "))
    lines: list[Line] = [
        *(
            (28, 'fill="#b3261e" font-weight="bold"', part)
            for part in folded(f"✗ {finding.title}", WORDS)
        ),
        (28, 'fill="#59636e"', finding.when),
    ]
    for word, text in finding.lines:
        first, *others = [part for line in text.splitlines() for part in folded(line, WORDS)]
        lines.append((28, 'fill="#59636e"', f"{word}\n{first}"))
        lines += ((TEXT, 'fill="#1b1f24"', part.lstrip()) for part in others)
    edge = '<rect x="12" y="12" width="4" height="{}" fill="#d1453b"/>'
    return drawing("A card of a report", SANS, "#fff", edge, lines)


def graph(project: Path) -> str:
    """The last profile of the project."""
    lines = (project / ".buildtool/profile/dsp.folded").read_text("utf-8").splitlines()
    stacks = {
        tuple(path.split(";")): int(n) for path, _, n in (line.rpartition(" ") for line in lines)
    }
    title = "buildtool run sim --profile -- bin/brighten"
    subtitle = "boxes: as wide as their share of the samples"
    return flame_graph(title, subtitle, stacks, width=GRAPH_WIDTH)


def folded(line: str, columns: int) -> list[str]:
    """A line as a terminal of that width shows it, but broken between words."""
    margin = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.wrap(line, columns, subsequent_indent=margin) or [""]


def drawing(title: str, font: str, paper: str, extra: str, lines: Iterable[Line]) -> str:
    """The document."""
    rows = list(lines)
    height = 2 * MARGIN + LINE * len(rows)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}"'
            f' width="{WIDTH}" height="{height}" {font}>',
            f"<title>{title}</title>",
            f'<rect width="{WIDTH}" height="{height}" rx="8" fill="{paper}"/>',
            *([extra.format(height - 24)] if extra else []),
            *(part for at, row in enumerate(rows) for part in written(at, row)),
            "</svg>\n",
        ]
    )


def written(at: int, line: Line) -> Iterator[str]:
    left, attributes, text = line
    y = MARGIN + LINE * at + 15
    word, _, more = text.partition("\n")
    yield f'<text x="{left:g}" y="{y}" {attributes}>{escape(word)}</text>'
    if more:
        yield f'<text x="{TEXT}" y="{y}" fill="#1b1f24">{escape(more)}</text>'


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.stdin.read())
