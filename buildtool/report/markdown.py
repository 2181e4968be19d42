"""Markdown of GitHub and GitLab, for pull requests and summaries of CI jobs: a report; the matrix
of devices and suites, with logs beside it.

The matrices of a project that were made before have the outcome of each test on each device.
"""

from __future__ import annotations

import html
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from buildtool.core.escape import escape, escape_line
from buildtool.core.files import write_if_changed
from buildtool.core.history import MATRICES, append_history
from buildtool.core.value import Value
from buildtool.project.model import Project
from buildtool.report.blocks import (
    Block,
    Cell,
    Finding,
    Section,
    Table,
    Text,
    Time,
    moment,
    plural,
    reader,
    records,
)
from buildtool.report.report import Report
from buildtool.testing.results import BAD, DEVICE_SUITE, Outcome, TestResult, TestRun, title

MARKS = {"good": "✅", "bad": "❌", "warn": "⚠️"}
MAX_CELL = 200
FINDINGS = 5
FILE, LOGS = "matrix.md", "logs"
SHOWN, LINES = 10, 20
"""Failures that are shown, and lines at the end of the output of each."""
_BAD_WORDS = frozenset(outcome.value for outcome in BAD)


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


def write_matrix(project: Project, runs: Sequence[TestRun], directory: Path, url: str) -> None:
    """Write the matrix of `runs` and their logs to `directory`, with links to the logs at `url`,
    or relative ones, and what has changed since the last matrix of the project."""
    for run in runs:
        for suite, tests in by_suite(run).items():
            write_if_changed(directory / log_of(run, suite), "".join(map(_logged, tests)))
    now = Matrix(time.time(), tuple(Row.of(run) for run in runs))
    before = last_matrix(project.state)
    text = matrix_markdown(project.name, runs, url.rstrip("/"), changes(before, now))
    write_if_changed(directory / FILE, text)
    if not any(run.interrupted for run in runs):
        keep_matrix(project.state, now)


def by_suite(run: TestRun) -> dict[str, list[TestResult]]:
    """The results of a run, by suite."""
    found: dict[str, list[TestResult]] = {}
    for test in run.tests:
        found.setdefault(test.suite, []).append(test)
    return found


def log_of(run: TestRun, suite: str) -> str:
    """The path of a log in the directory of the matrix."""
    device, name = (re.sub(r"[^\w.-]+", "-", text).strip(".") for text in (run.device, suite))
    return f"{LOGS}/{device or '-'}/{name or '-'}.log"


def matrix_markdown(
    project: str, runs: Sequence[TestRun], url: str, changed: Sequence[str] = ()
) -> str:
    """The matrix of `runs`; `changed` are the lines about the last one."""
    suites = [*dict.fromkeys(test.suite for run in runs for test in run.tests)]
    columns = [suite for suite in suites if suite != DEVICE_SUITE] or suites
    bad = [(run, test) for run in runs for test in run.bad]
    titles = ["device", "SoC", "DSP", "firmware", *columns]
    lines = [f"## Tests of {_text(project)}", "", _fact(runs), ""]
    lines += [f"| {' | '.join(map(_text, titles))} |", f"|{'---|' * len(titles)}"]
    lines += [_row(run, columns, url) for run in runs]
    if changed:
        lines += ["", *changed]
    if unsupported := [*_unsupported(runs)]:
        lines += ["", "### Not supported", "", *unsupported]
    if bad:
        lines += ["", "### Failures"]
        for run, test in bad[:SHOWN]:
            lines += ["", *_failure(run, test, url)]
        if len(bad) > SHOWN:
            lines += ["", f"… and {len(bad) - SHOWN:,} more"]
    return "\n".join(lines) + "\n"


def _fact(runs: Sequence[TestRun]) -> str:
    """The result in a line."""
    tests = [test for run in runs for test in run.tests if test.suite != DEVICE_SUITE]
    failed = [test for test in tests if test.outcome in BAD]
    untested = sum(run.tests[0].suite == DEVICE_SUITE for run in runs if run.bad)
    where = plural(len(runs), "device")
    mark = MARKS["bad" if failed or untested else "good"]
    fact = f"{mark} {plural(len(tests), 'test')} on {where}"
    if failed:
        count = len({test.device for test in failed})
        where = f", on {count} of {where}" if len(runs) > 1 else ""
        fact = f"{mark} {len(failed)} of {plural(len(tests), 'test')} failed{where}"
    return fact + (f"; {plural(untested, 'device')} not tested" if untested else "")


def _unsupported(runs: Sequence[TestRun]) -> Iterator[str]:
    """Why tests, or all of them, are not supported by a device."""
    for run in runs:
        reasons: dict[str, int] = {}
        for test in run.tests:
            if test.outcome is Outcome.EXPECTED_FAILURE:
                reason = re.sub(r" \([^()]*\)$", "", test.message)  # how it failed
                reasons[reason] = reasons.get(reason, 0) + 1
        for reason, count in reasons.items():
            what = "all tests" if run.tests[0].suite == DEVICE_SUITE else plural(count, "test")
            yield f"- {_text(run.device)}, {what}: {_text(reason)}"


def _row(run: TestRun, columns: Sequence[str], url: str) -> str:
    suites = by_suite(run)
    alone = suites.get(DEVICE_SUITE)
    cells = [_matrix_cell(run, suite, suites.get(suite) or alone or [], url) for suite in columns]
    known = [run.device, run.soc, run.arch, run.firmware]
    return f"| {' | '.join([*(_text(text) or '–' for text in known), *cells])} |"


def _matrix_cell(run: TestRun, suite: str, tests: Sequence[TestResult], url: str) -> str:
    """How the tests of a suite ended, as a link to their log."""
    if not tests:
        return "–"
    ended = [test.outcome for test in tests]
    bad, good = sum(each in BAD for each in ended), ended.count(Outcome.PASSED)
    unsupported, skipped = ended.count(Outcome.EXPECTED_FAILURE), ended.count(Outcome.SKIPPED)
    if tests[0].suite == DEVICE_SUITE:
        suite = DEVICE_SUITE
        text = f"{MARKS['bad']} not run" if bad else "not supported"
    else:
        parts = [f"{bad} of {len(tests)} failed"] if bad else [str(good)] if good else []
        parts += [f"{unsupported} not supported"] if unsupported else []
        parts += [f"{skipped} skipped"] if skipped else []
        mark = MARKS["bad"] if bad else MARKS["good"] if good else ""
        text = f"{mark} {', '.join(parts)}".strip()
    return f"[{text}]({_link(run, suite, url)})"


def _link(run: TestRun, suite: str, url: str) -> str:
    path = quote(log_of(run, suite))
    return f"{quote(url, safe=':/?&=%#~@+,;')}/{path}" if url else path


def _failure(run: TestRun, test: TestResult, url: str) -> Iterator[str]:
    """A failure, folded, with the end of its output in a block that the output cannot end."""
    name = f"{run.device}: {title(test.suite, test.name)}"
    name = run.device if test.suite == DEVICE_SUITE else name
    why = escape_line(f"{name} {test.outcome.value}: {test.message}")
    yield f"<details><summary>{html.escape(why[:MAX_CELL])}</summary>"
    lines = escape(test.output).splitlines()[-LINES:]
    output = "\n".join(line[:500] for line in lines)
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", output)), default=0))
    if output:
        yield from ("", f"{fence}text", output, fence)
    yield from ("", f"[log]({_link(run, test.suite, url)})", "", "</details>")


def _logged(test: TestResult) -> str:
    head = f"{title(test.suite, test.name)}: {test.outcome.value}"
    why = f": {test.message}" if test.message else ""
    return escape(f"== {head} ({test.seconds:.1f} s){why}\n{test.output}".rstrip() + "\n\n")


def changes(before: Matrix | None, now: Matrix) -> list[str]:
    """What is other than in the last matrix, in lines of Markdown; nothing without one."""
    if not before:
        return []
    rows = {row.device: row for row in before.rows}
    lines = []
    for row in now.rows:
        old = rows.get(row.device)
        device = _text(row.device)
        if not old:
            lines.append(f"- {device} is new")
            continue
        if old.firmware != row.firmware:
            was, new = (_text(text) or "unknown" for text in (old.firmware, row.firmware))
            lines.append(f"- {MARKS['warn']} {device}: firmware {was} → {new}")
        for name, outcome in row.tests.items():
            was = old.tests.get(name, "")
            if was != outcome and (was or outcome in _BAD_WORDS):
                mark = MARKS["bad" if outcome in _BAD_WORDS else "good"]
                earlier = f"was {_text(was)}" if was else "new"
                lines.append(f"- {mark} {device}: {_text(name)} {outcome} ({earlier})")
    lines += [
        f"- {_text(name)} is missing" for name in rows if name not in {r.device for r in now.rows}
    ]
    head = f"### Since the matrix of {moment(before.made)}"
    return [head, "", *(lines or ["No test has another outcome."])]


def _text(text: str) -> str:
    return plain_text(escape_line(text))


class Row(Value):
    """A device, and the outcomes of its tests by `SUITE/NAME`."""

    device: str
    firmware: str
    tests: Mapping[str, str]

    @classmethod
    def of(cls, run: TestRun) -> Row:
        tests = {title(test.suite, test.name): test.outcome.value for test in run.tests}
        return cls(run.device, run.firmware, tests)


class Matrix(Value):
    """The rows of a matrix that was made at `made`, in seconds since the epoch."""

    made: Time
    rows: tuple[Row, ...]


def keep_matrix(state: Path, matrix: Matrix) -> None:
    """Append `matrix` to the history in the directory `state`."""
    rows = [row._asdict() for row in matrix.rows]
    append_history(state, MATRICES, {"made": round(matrix.made), "rows": rows})


def last_matrix(state: Path) -> Matrix | None:
    """The newest matrix in the history that can be read; None if there is none."""
    found, _ = records(state, MATRICES, reader(Matrix))
    return found[-1] if found else None
