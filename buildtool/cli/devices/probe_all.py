"""Prints and writes the result of `buildtool probe --all`."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from buildtool.cli.show import print_json, show
from buildtool.cli.table import Table
from buildtool.core.files import write_if_changed
from buildtool.measure.probe.losses import Comparison, Loss, document
from buildtool.measure.probe.qualify import (
    FASTRPC_TEST,
    NO,
    TOO_OLD,
    UNKNOWN,
    YES,
    Qualification,
    Row,
)
from buildtool.testing.results import Outcome, TestResult, TestRun

if TYPE_CHECKING:
    from buildtool.cli.devices.probe import AllOptions

COLUMNS = {
    "session": "sess",
    "hvx-integer": "HVX",
    "hmx": "HMX",
    "vtcm": "VTCM",
    "dspqueue": "queue",
    "map-size": "map",
    "restart": "crash",
    "search": "dir",
    "opening": "open",
    "latency": "call",
    "clock": "MHz",
}
"""The heading of the column of each capability."""
TOGETHER = {"session": "parallel", "hvx-integer": "hvx-float", "map-size": "zero-copy"}
"""What a column shows besides: `-` if that is missing."""
NUMBERS = frozenset({"hvx-integer", "vtcm", "map-size", "opening", "latency", "clock"})
UNITS = (
    "sess: at once, or the arch if that is older than all skels; VTCM, map: MiB; open: ms;"
    " call: us. -: not there, ?: not known"
)


def report(
    found: Qualification,
    comparison: Comparison | None,
    options: AllOptions,
    output: Path | None,
    *,
    as_json: bool,
) -> int:
    """Print what was found, and write it to the files of the options; returns the exit status."""
    if output:
        write_if_changed(output.absolute(), json.dumps(document(found), indent=2) + "\n")
    if options.junit:
        from buildtool.testing.junit import write_junit

        write_junit([_tests(found, comparison)], options.junit)
    if as_json:
        compared = comparison.as_json() if comparison else None
        print_json({**found.as_json(), "comparison": compared})
    elif options.lava:
        for test in _tests(found, comparison).tests:
            show(_signal(test))
    else:
        for part in _parts(found, comparison, markdown=options.markdown):
            if isinstance(part, str):
                show(f"{part}\n" if options.markdown else part)
            else:
                show(f"{part.markdown()}\n" if options.markdown else part.text())
    if comparison:
        return int(not comparison.ok)
    return int(not any(row.capability == "session" and row.state == YES for row in found.rows))


def _parts(
    found: Qualification, comparison: Comparison | None, *, markdown: bool
) -> Iterator[str | Table]:
    """Sentences and tables."""
    if markdown:
        yield f"## DSPs of {found.device}, {found.soc or found.model}"
    for finding in found.findings:
        yield f"! {finding.what}\n  → {finding.remedy}"
    if found.rows:
        yield _grid(found)
        yield UNITS
        if table := _fastrpc_test(found):
            yield table
    yield from _reasons(found.rows, markdown=markdown)
    versions: dict[tuple[str, ...], list[str]] = {}
    for each in found.versions:
        key = each.kind, each.version, each.sha256[:12]
        versions.setdefault(key, []).append(each.name)
    for (kind, version, digest), names in versions.items():
        line = " ".join(filter(None, (f"{kind}:", _names(names), version, digest)))
        yield f"- {line}" if markdown else line
    yield f"image {found.image}, probed {found.date}"
    if comparison:
        yield from _compared(comparison)


def _grid(found: Qualification) -> Table:
    """A row for each kind of process of each DSP; only columns in which there is something."""
    groups = dict.fromkeys((row.domain, row.process) for row in found.rows)
    by_place = {(row.domain, row.process, row.capability): row for row in found.rows}
    lines = []
    for group in groups:
        rows = {name: by_place.get((*group, name)) for name in (*COLUMNS, *TOGETHER.values())}
        lines.append(
            [_cell(name, rows[name], rows.get(TOGETHER.get(name, ""))) for name in COLUMNS]
        )
    used = [at for at, column in enumerate(zip(*lines, strict=True)) if any(column)]
    headings = [*COLUMNS.values()]
    return Table(
        ["DSP", "process", *(headings[at] for at in used)],
        [[*group, *(line[at] for at in used)] for group, line in zip(groups, lines, strict=True)],
    )


def _fastrpc_test(found: Qualification) -> Table | None:
    """What fastrpc_test says of its tests; None if it is not installed."""
    rows = [row for row in found.rows if row.capability.startswith(FASTRPC_TEST)]
    names = dict.fromkeys(row.capability for row in rows)
    lines: dict[tuple[str, str], dict[str, str]] = {}
    for row in rows:
        said = {YES: "pass", NO: "fail"}.get(row.state, "skip")
        lines.setdefault((row.domain, row.process), {})[row.capability] = said
    if not rows:
        return None
    return Table(
        ["DSP", "process", *names],
        [[*where, *(line.get(name, "") for name in names)] for where, line in lines.items()],
    )


def _cell(name: str, row: Row | None, beside: Row | None) -> str:
    if not row:
        return ""
    if row.state == UNKNOWN:
        old = TOO_OLD.match(row.found)
        return old[1] if old else "?"
    if row.state == NO or (beside and beside.state == NO):
        return "-"
    if name == "session":
        return f"{beside.value:g}" if beside and beside.state == YES else "1"
    return f"{row.value:.0f}" if name in NUMBERS else "ok"


def _reasons(rows: Sequence[Row], *, markdown: bool) -> Iterator[str]:
    """Why something is not there, once for all processes of which it is true."""
    where: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if row.state != YES:
            reason = row.capability, row.found
            where.setdefault(reason, []).append(f"{row.domain} {row.process}")
    for (name, found), places in where.items():
        yield (
            f"- {', '.join(places)}: {name}: {found}"
            if markdown
            else (f"{', '.join(places)}\n  {name}: {found}")
        )


def _names(names: Sequence[str]) -> str:
    return names[0] + (f" and {len(names) - 1} more" if len(names) > 1 else "")


def _compared(comparison: Comparison) -> Iterator[str]:
    since = f"since {comparison.date} (image {comparison.image})"
    losses = comparison.losses
    yield f"lost {since}:" if losses else f"nothing is lost {since}"
    for loss in losses:
        yield f"! {loss.place}\n    was: {loss.before}\n    now: {loss.now}"
    for text in comparison.untested:
        yield f"? {text}"
    if losses and not comparison.changes:
        yield "no library, shell, firmware, kernel or package has changed that is known"
    elif comparison.changes:
        yield "changed:"
    changes: dict[tuple[str, ...], list[str]] = {}
    for change in comparison.changes:
        changes.setdefault((change.kind, change.before, change.now), []).append(change.name)
    for (kind, was, now), names in changes.items():
        yield f"  {kind} {_names(names)}\n    {was or 'not there'} → {now or 'not there'}"


def _tests(found: Qualification, comparison: Comparison | None) -> TestRun:
    """Each capability as a test, which has failed if it was lost."""
    lost = {
        (loss.domain, loss.process, loss.what): loss
        for loss in (comparison.losses if comparison else ())
    }
    tests = []
    for row in found.rows:
        loss = lost.pop((row.domain, row.process, row.capability), None)
        tests.append(_test(found, f"{row.domain}.{row.process}", row, loss))
    for loss in lost.values():
        suite = ".".join(filter(None, (loss.domain, loss.process))) or "device"
        tests.append(_failed(found, suite, loss))
    if not tests:
        text = "; ".join(finding.what for finding in found.findings) or "nothing could run"
        tests.append(_failed(found, "device", Loss("", "", "session", "", text)))
    return TestRun(
        device=found.device,
        target=found.platform,
        release=found.release,
        deployment="",
        arch="",
        soc=found.soc,
        firmware="; ".join(v.version for v in found.versions if v.kind == "firmware"),
        started=time.time(),
        seconds=0.0,
        interrupted=False,
        tests=tuple(tests),
    )


def _test(found: Qualification, suite: str, row: Row, loss: Loss | None) -> TestResult:
    if loss:
        return _failed(found, suite, loss)
    outcome = Outcome.PASSED if row.state == YES else Outcome.SKIPPED
    said = f"{row.value:g} {row.unit}".strip() if row.value else ""
    message = "" if row.state == YES else row.found
    return TestResult(suite, row.capability, found.device, outcome, 0.0, message, said=said)


def _failed(found: Qualification, suite: str, loss: Loss) -> TestResult:
    message = f"was: {loss.before}; now: {loss.now}" if loss.before else loss.now
    return TestResult(suite, loss.what, found.device, Outcome.FAILED, 0.0, message)


def _signal(test: TestResult) -> str:
    """The line by which LAVA knows a test."""
    name = re.sub(r"[^\w.-]", "-", f"{test.suite}.{test.name}")
    results = {Outcome.PASSED: "pass", Outcome.FAILED: "fail"}
    number, _, unit = test.said.partition(" ")
    measured = f" MEASUREMENT={number} UNITS={unit or 'number'}" if number else ""
    result = results.get(test.outcome, "skip")
    return f"<LAVA_SIGNAL_TESTCASE TEST_CASE_ID={name} RESULT={result}{measured}>"
