"""Explanations as text: first what happened, then causes, each with its check and its remedy."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from buildtool.diagnose.knowledge import (
    BENIGN,
    BOARD,
    CAUSE,
    CONSEQUENCE,
    PHONE,
    SIM,
    SURE,
    UNKNOWN,
    WINDOWS,
    Cause,
    Code,
    Condition,
    Knowledge,
)

if TYPE_CHECKING:
    from buildtool.diagnose.explain_block import DeviceCrash
    from buildtool.diagnose.explain_log import Evidence, Finding, LogExplanation
    from buildtool.diagnose.line_patterns import LogSummary

SIDES = {
    "dsp": "from the DSP",
    "host": "from the ARM64 side",
    "qnn": "from QNN",
    "kernel": "from the kernel",
}
PLACES = {
    SIM: "on the emulated device",
    BOARD: "on Linux boards",
    PHONE: "on Android phones",
    WINDOWS: "on Windows",
}
EVIDENCE = {"code": "read in code", "maintainer": "said by maintainers", "user": "seen by users"}
MIN_WIDTH, MAX_WIDTH = 50, 100
MAX_EVENTS = 20
PARTS = {"start": "the first", "end": "the last"}


def code_text(codes: Sequence[Code], knowledge: Knowledge, device: str = "") -> str:
    """What codes are called, and the conditions with which they appear: first those that only
    devices of that kind have."""
    lines = [line for code in codes for line in _wrapped(_code_title(code), 2, "")]
    if meaning := codes[0].meaning:
        lines += _wrapped(meaning, 2)
    found = {c.name: c for code in codes for c in knowledge.with_code(code.value)}
    lines += _conditions_of_a_code(list(found.values()), device)
    return "\n".join(lines)


def _code_title(code: Code) -> str:
    if not code.names:
        return f"{code.text}: not a known code"
    return f"{code.text}: {' or '.join(code.names)}, {SIDES[code.side]}"


def _conditions_of_a_code(conditions: list[Condition], device: str) -> Iterator[str]:
    # Without patterns, a symptom is the code itself.
    itself = [c for c in conditions if c.kind == UNKNOWN and not c.patterns]
    for condition in itself:
        yield from _wrapped(condition.meaning, 2)
    causes = [each for condition in itself for each in condition.causes]
    names = {condition.name for condition in conditions}
    # What counts only without the lines of others has the same causes as these.
    named = [c for c in conditions if c.kind == CAUSE and names.isdisjoint(c.unless)]
    named += [c for c in conditions if c.kind == UNKNOWN and c.patterns]
    count = len(causes) + len(named)
    if count > 1:
        yield ""
        yield from _wrapped(f"The code alone has {count} causes. What tells them apart:", 0)
    for number, cause in enumerate(causes, 1):
        yield ""
        yield from _cause(cause, f"{number:>2}. ", 4)
    number = len(causes)
    for title, group, is_elsewhere in _groups(named, device):
        if count > 1:
            yield ""
            yield from _wrapped(title, 2, "")
        for condition in group:
            number += 1
            if not is_elsewhere:
                yield ""
            label = f"{number:>2}. " if count > 1 else "    "
            yield from _wrapped(f"{condition.name}: {condition.meaning}", 4, label)
            if not is_elsewhere:
                yield from _causes(condition.causes, 4)
    for kind, title in (
        (CONSEQUENCE, "It also follows from another failure:"),
        (BENIGN, "It is harmless in these cases:"),
    ):
        if others := [condition for condition in conditions if condition.kind == kind]:
            yield f"\n{title}"
            for condition in others:
                yield from _wrapped(f"{condition.name}: {condition.meaning}", 4, "  - ")
    if not conditions:
        yield from _wrapped("No condition with this code is known; a log can say more.", 2)


def _groups(
    conditions: Sequence[Condition], device: str
) -> Iterator[tuple[str, Sequence[Condition], bool]]:
    """Conditions with a title, by where and how surely they are seen; the last value says whether
    only devices of other kinds have them."""
    place = PLACES.get(device, "")
    if here := [condition for condition in conditions if device in condition.devices]:
        yield f"Only {place}, where the last run failed:", here, False
    for sure in SURE:
        if found := [c for c in conditions if not c.devices and c.sure == sure]:
            yield f"On any device, {EVIDENCE[sure]}:", found, False
    for other, where in PLACES.items():
        found = [c for c in conditions if other in c.devices and device not in c.devices]
        if found:
            yield f"Only {where} (more: buildtool explain NAME):", found, not _is_alone(conditions)


def _is_alone(conditions: Sequence[Condition]) -> bool:
    return all(condition.devices for condition in conditions)


def condition_text(condition: Condition) -> str:
    """A condition with its causes."""
    classes = {
        CAUSE: "a cause",
        CONSEQUENCE: "a consequence of another failure",
        BENIGN: "harmless",
        UNKNOWN: "a symptom with several causes",
    }
    lines = [f"{condition.name}: {classes[condition.kind]}", *_wrapped(condition.meaning, 2)]
    lines += _causes(condition.causes, 2)
    lines += _wrapped(f"source ({condition.sure}): {', '.join(condition.source)}", 4, "  ")
    return "\n".join(lines)


def condition_list(conditions: Iterable[Condition]) -> str:
    """One line or several for each condition."""
    lines: list[str] = []
    for c in conditions:
        lines += _wrapped(f"{c.name} ({c.kind}): {c.meaning}", 2, "")
    return "\n".join(lines)


def log_text(log: LogExplanation, crashes: Sequence[DeviceCrash], knowledge: Knowledge) -> str:
    """What logs say: crashes, causes, symptoms, events in order, noise, codes that are left."""
    lines = [text for summary in log.logs for text in _read(summary)]
    for crash in crashes:
        lines += _crash(crash)
    for number, finding in enumerate(log.causes, 1):
        label = f"cause {number}" if len(log.causes) > 1 else "cause"
        lines += _finding(finding, f"{label}: ")
    for finding in log.symptoms:
        lines += _finding(finding, "cause not in the log: ")
    if not log.causes and not log.symptoms and log.consequences and not log.codes:
        lines += _finding(log.consequences[0], "only consequences are in the log: ")
    open_codes = list(log.codes)
    if open_codes and not log.causes:
        code, evidence = open_codes.pop(0)
        lines += ["", *_evidence(evidence), *code_text([code], knowledge).splitlines()]
    if open_codes:
        named = ", ".join(f"0x{code.value:x}" for code, _ in open_codes)
        lines += ["", *_wrapped(f"also in the log: {named} (buildtool explain CODE)", 2, "")]
    lines += _events(log)
    if log.opened:
        lines += ["", "opened for the DSP, from the first directory that has the name:"]
        lines += [f"  {each.log}:{each.line}  {each.path}" for each in log.opened]
    if log.benign:
        lines += ["", "harmless:"]
        for finding in log.benign:
            counted = f"{finding.condition.name} ({_count(finding.lines)}): "
            lines += _wrapped(counted + finding.condition.meaning, 4, "  ")
    if not log.says_something and not crashes:
        lines += ["", "nothing in it is known"]
    return "\n".join(lines)


def _read(summary: LogSummary) -> Iterator[str]:
    said = f"{summary.name}: {_count(summary.lines)}"
    if summary.part in PARTS:
        said += f" of {PARTS[summary.part]} {summary.bytes >> 20} MiB, the rest was not read"
    if summary.cut_lines:
        said += f"; {_count(summary.cut_lines)} cut at 4,000 characters"
    if summary.has_nul:
        said += "; it has NUL bytes: is it a log?"
    yield from _wrapped(said, 2, "")


def _crash(crash: DeviceCrash) -> Iterator[str]:
    from buildtool.diagnose.explain_block import crash_text

    block = crash.block
    lines = f"{block.first}-{block.last}" if block.last != block.first else f"{block.first}"
    yield f"\n{block.log}:{lines}"
    for line in crash_text(crash).splitlines():
        yield from _wrapped(line, 6, "  " if line[0].isspace() else "")


def _finding(finding: Finding, label: str) -> Iterator[str]:
    condition = finding.condition
    yield ""
    yield from _wrapped(f"{label}{condition.name}", 2, "")
    yield from _wrapped(condition.meaning, 2)
    for evidence in finding.evidence:
        yield from _evidence(evidence)
    if finding.lines > len(finding.evidence):
        yield f"    {_count(finding.lines)} in all"
    yield from _causes(condition.causes, 2)


def _evidence(evidence: Evidence) -> list[str]:
    text = " ".join(evidence.text.split())
    return _wrapped(f"{evidence.log}:{evidence.line}: {text}", 6, "    ")


def _events(log: LogExplanation) -> Iterator[str]:
    if len(log.events) < 2:
        return
    yield "\nin order:"
    for event in log.events[:MAX_EVENTS]:
        lines = f"{event.first}-{event.last}" if event.last != event.first else f"{event.first}"
        yield f"  {event.log}:{lines}  {event.condition.kind}: {event.condition.name}"
    if len(log.events) > MAX_EVENTS:
        yield f"  … {len(log.events) - MAX_EVENTS} more: --json lists them"


def _causes(causes: Sequence[Cause], indent: int) -> Iterator[str]:
    for cause in causes:
        yield from _cause(cause, " " * indent + "- ", indent + 2)


def _cause(cause: Cause, label: str, indent: int) -> Iterator[str]:
    yield from _wrapped(cause.cause, indent, label)
    for name, text in (("check:  ", cause.check), ("remedy: ", cause.remedy)):
        yield from _wrapped(text, indent + len(name), " " * indent + name)


def _wrapped(text: str, indent: int, label: str | None = None) -> list[str]:
    """`text` in lines that fit the terminal, after `label` or `indent` blanks.

    To import textwrap and shutil for this would take as long as all the rest of `explain CODE`.
    """
    width = _width()
    lines, line, blanks = [], " " * indent if label is None else label, ""
    for word in text.split():
        rest = word
        while len(line) + len(blanks) + len(rest) > width:
            if blanks:
                lines.append(line)
            else:  # the word alone does not fit
                lines.append(line + rest[: width - len(line)])
                rest = rest[width - len(line) :]
            line, blanks = " " * indent, ""
        line, blanks = line + blanks + rest, " "
    return [*lines, line]


def _width() -> int:
    try:
        columns = int(os.environ["COLUMNS"])
    except (KeyError, ValueError):
        try:
            columns = os.get_terminal_size(sys.stdout.fileno()).columns
        except OSError:
            columns = 80
    return min(max(columns, MIN_WIDTH), MAX_WIDTH)


def _count(lines: int) -> str:
    return f"{lines:,} line{'' if lines == 1 else 's'}"
