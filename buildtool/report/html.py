"""A report as one HTML file, which loads nothing: styles, script and plots are inside."""

from __future__ import annotations

import base64
import hashlib
import itertools
import os
from collections.abc import Iterable
from html import escape
from pathlib import Path
from urllib.parse import quote

from buildtool.report.blocks import (
    Block,
    Cell,
    Finding,
    Folded,
    Links,
    Plot,
    Plots,
    Section,
    Table,
    Text,
)
from buildtool.report.records import moment
from buildtool.report.report import Report
from buildtool.report.svg import cell_svg, plot_svg

HERE = Path(__file__).parent
MARKS = {"good": "✓", "bad": "✗", "warn": "!"}
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
style-src 'unsafe-inline'; script-src 'sha256-{digest}'">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<header><h1>{project}</h1><p>Report of {made}</p></header>
<nav aria-label="Sections"><ul>{facts}</ul></nav>
<main>
{sections}
</main>
<script>{script}</script>
</body>
</html>
"""


def html_page(report: Report, folder: Path) -> str:
    """The page of `report`, for a file in `folder`, to which its links are relative."""
    script = (HERE / "report.js").read_text(encoding="utf-8")
    digest = hashlib.sha256(script.encode()).digest()
    return PAGE.format(
        digest=base64.b64encode(digest).decode(),
        title=escape(f"{report.project}: report"),
        project=escape(report.project),
        made=escape(moment(report.made)),
        style=(HERE / "report.css").read_text(encoding="utf-8"),
        facts="".join(map(_fact, report.sections)),
        sections="\n".join(_section(each, folder) for each in report.sections),
        script=script,
    )


def _fact(section: Section) -> str:
    return (
        f'<li><a href="#{section.name}"><span>{escape(section.title)}</span>'
        f"<strong>{_marked(section.fact, section.state)}</strong></a></li>"
    )


def _section(section: Section, folder: Path) -> str:
    name = section.name
    return (
        f'<section id="{name}" aria-labelledby="{name}-title"><h2 id="{name}-title">'
        f"{escape(section.title)}</h2>\n{_blocks(section.blocks, folder)}</section>"
    )


def _blocks(blocks: Iterable[Block], folder: Path) -> str:
    parts = []
    for is_finding, group in itertools.groupby(blocks, lambda block: isinstance(block, Finding)):
        text = "\n".join(_block(block, folder) for block in group)
        parts.append(f'<div class="findings">{text}</div>' if is_finding else text)
    return "\n".join(parts)


def _block(block: Block, folder: Path) -> str:
    match block:
        case Table():
            return _table(block)
        case Plots(plots):
            return f'<div class="plots">{"".join(map(_plot, plots))}</div>' if plots else ""
        case Text(text, state, code):
            command = f" <code>{escape(code)}</code>" if code else ""
            return f"<p>{_marked(text, state)}{command}</p>"
        case Finding(title, when, lines):
            rows = "".join(f"<dt>{escape(k)}</dt>{_known(text)}" for k, text in lines)
            known = f"<dl>{rows}</dl>" if rows else ""
            return (
                f'<article class="finding"><h3>{_marked(title, "bad")}</h3>'
                f"<p>{escape(when)}</p>{known}</article>"
            )
        case Links(links):
            rows = "".join(f"<li>{_link(text, path, folder)}</li>" for text, path in links)
            return f"<ul>{rows}</ul>"
        case Folded(title, inner):
            return _folded(title, _blocks(inner, folder))


def _folded(title: str, inner: str) -> str:
    return f"<details><summary>{escape(title)}</summary>\n{inner}</details>"


def _known(text: str) -> str:
    """What is known of a failure; the lines of a compiler are aligned."""
    kind = ' class="output"' if "\n" in text else ""
    return f"<dd{kind}>{escape(text)}</dd>"


def _link(text: str, path: str, folder: Path) -> str:
    return f'<a href="{escape(quote(os.path.relpath(path, folder)))}">{escape(text)}</a>'


def _plot(plot: Plot) -> str:
    first, last = plot.points[0].label, plot.points[-1].label
    ends = f"<span>{escape(first)}</span>" + (f"<span>{escape(last)}</span>" if last else "")
    return (
        f"<figure><figcaption>{escape(plot.title)} <small>in {escape(plot.unit)}</small>"
        f'</figcaption><div class="plot">{plot_svg(plot)}</div><div class="ends">{ends}</div>'
        "</figure>"
    )


def _table(table: Table) -> str:
    shown = _rows(table, table.caption, table.rows[: table.shown])
    rest = table.rows[table.shown :]
    if not rest:
        return shown
    title = f"{table.caption}: {len(rest):,} more"
    return shown + _folded(title, _rows(table, title, rest))


def _rows(table: Table, caption: str, rows: Iterable[tuple[Cell, ...]]) -> str:
    heads = "".join(
        f'<th scope="col">{escape(column)}</th>' if column else "<td></td>"
        for column in table.columns
    )
    body = "".join(f"<tr>{_row(row)}</tr>\n" for row in rows)
    kind = ' class="sortable"' if table.sortable else ""
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(caption)}">'
        f"<table{kind}><caption><span>{escape(caption)}</span></caption>"
        f"<thead><tr>{heads}</tr></thead><tbody>\n{body}</tbody></table></div>"
    )


def _row(row: tuple[Cell, ...]) -> str:
    first, *others = row
    return f'<th scope="row">{escape(first.text)}</th>' + "".join(map(_cell, others))


def _cell(cell: Cell) -> str:
    number = "" if cell.number is None else f' data-n="{cell.number:.6g}"'
    hover = cell.hover if cell.hover not in ("", cell.text) and not cell.graphic else ""
    title = f' title="{escape(hover)}"' if hover else ""
    inner = cell_svg(cell.graphic, cell.hover) if cell.graphic else _marked(cell.text, cell.state)
    return f"<td{number}{title}>{inner}</td>"


def _marked(text: str, state: str) -> str:
    if not state or not text:
        return escape(text)
    return f'<span class="{state}">{MARKS[state]} {escape(text)}</span>'
