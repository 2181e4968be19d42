"""The section of failures: builds, tests and runs that failed, with what is known of the cause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from buildtool.core.history import RUNS
from buildtool.report.blocks import Block, Finding, Folded, Section, Text
from buildtool.report.records import moment, object_of, plural, records, text_of, time_of

SHOWN, MOST = 9, 100


def finding_lines(row: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """A first finding as lines; raises `LookupError` and `ValueError`."""
    if not row:
        return ()
    lines = ((key, text_of(row, key)) for key in ("cause", "evidence", "remedy"))
    return tuple(line for line in lines if line[1])


def read_failed_runs(state: Path) -> tuple[list[tuple[float, Finding]], tuple[Text, ...]]:
    """The runs of programs that failed, each with its time, and what could not be read."""
    return records(state, RUNS, _run)


def _run(line: Mapping[str, Any]) -> tuple[float, Finding]:
    command, status = line["command"], line["status"]
    if not isinstance(command, list) or not isinstance(status, int):
        raise ValueError("it is no run")
    words = " ".join(text_of({"": word}, "", 200) for word in command[:20])
    started, crash = time_of(line, "started"), text_of(line, "dsp_crash", 500)
    lines = [("DSP", crash)] if crash else []
    lines += finding_lines(object_of(line, "finding"))
    title = f"run {words} on {text_of(line, 'device', 100)}: exit status {status}"
    return started, Finding(title, moment(started), tuple(lines))


def failures_section(
    failures: Sequence[tuple[float, Finding]], problems: Sequence[Text]
) -> Section:
    """The section of the newest of `failures`."""
    newest = sorted(failures, key=lambda each: each[0], reverse=True)
    if not newest:
        none = Text("Nothing that failed is recorded.")
        return Section("failures", "Failures", "none recorded", "good", (*problems, none))
    alike: dict[tuple[str, tuple[tuple[str, str], ...]], list[Finding]] = {}
    for _, finding in newest:
        alike.setdefault((finding.title, finding.lines), []).append(finding)
    found = [_with_count(each) for each in alike.values()]
    blocks: tuple[Block, ...] = (*problems, *found[:SHOWN])
    if earlier := tuple(found[SHOWN:MOST]):
        blocks += (Folded(plural(len(earlier), "earlier failure"), earlier),)
    fact = f"{plural(len(newest), 'failure')}, last {newest[0][1].when}"
    return Section("failures", "Failures", fact, "", blocks)


def _with_count(alike: Sequence[Finding]) -> Finding:
    """The newest of findings that are alike, with how many there are."""
    first, last = alike[0], alike[-1]
    if len(alike) == 1:
        return first
    return first._replace(when=f"{len(alike)} times, from {last.when} to {first.when}")
