"""A report as Markdown of GitHub and GitLab: for pull requests, and summaries of CI jobs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from buildtool.report.blocks import Block, Cell, Finding, Section, Table, Text
from buildtool.report.report import Report

MARKS = {"good": "✅", "bad": "❌", "warn": "⚠️"}
MAX_CELL = 200
FINDINGS = 5


def markdown_text(report: Report) -> str:
    """The results of `report` in a list, then the tables of the sections that have any."""
    lines = [f"## {plain_text(report.project)}", ""]
    lines += [f"- {plain_text(s.title)}: {_marked(s.fact, s.state)}" for s in report.sections]
    for section in report.sections:
        lines += _section(section)
    return "\n".join(lines) + "\n"


def _section(section: Section) -> Iterator[str]:
    findings = [block for block in section.blocks if isinstance(block, Finding)]
    kept = [block for block in section.blocks if block not in findings[FINDINGS:]]
    lines = [line for block in kept for line in _block(block)]
    if lines:
        yield from ("", f"### {plain_text(section.title)}", *lines)


def _block(block: Block) -> Iterator[str]:
    match block:
        case Table():
            yield from _table(block)
        case Text(text, state, code):
            if not code:
                yield from ("", _marked(text, state))
        case Finding(title, when, lines):
            yield from ("", f"- **{plain_text(title)}** ({plain_text(when)})")
            yield from (f"  - {plain_text(word)}: {plain_text(text)}" for word, text in lines)


def _table(table: Table) -> Iterator[str]:
    """The first rows, without the columns that are pictures."""
    rows = table.rows[: table.brief]
    pictures = {at for row in rows for at, cell in enumerate(row) if cell.graphic}
    columns = [at for at in range(len(table.columns)) if at not in pictures]
    if not rows:
        return
    yield from ("", f"**{plain_text(table.caption)}**", "")
    yield f"| {' | '.join(plain_text(table.columns[at]) for at in columns)} |"
    yield f"|{'---|' * len(columns)}"
    for row in rows:
        yield f"| {' | '.join(_cell(row[at]) for at in columns)} |"
    if len(table.rows) > len(rows):
        yield from ("", f"… and {len(table.rows) - len(rows):,} more")


def _cell(cell: Cell) -> str:
    return _marked(cell.text, cell.state)


def _marked(text: str, state: str) -> str:
    plain = plain_text(text)
    return f"{MARKS[state]} {plain}" if state and text else plain


def plain_text(text: str) -> str:
    """`text` on one line, without what Markdown or HTML would make of it."""
    text = text.replace("\n", " ")
    text = text if len(text) <= MAX_CELL else f"{text[:MAX_CELL]}…"
    text = text.replace("&", "&amp;").replace("<", "&lt;")
    return re.sub(r"([\\`*_{}\[\]#|~@!])", r"\\\1", text)
