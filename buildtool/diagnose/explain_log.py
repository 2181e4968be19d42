"""What logs say: causes apart from what follows from them and from noise, in order of the lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

from buildtool.core.value import Described, Value
from buildtool.diagnose.crash_lines import CrashBlock, CrashLines
from buildtool.diagnose.knowledge import (
    ANY_ERROR,
    BENIGN,
    CAUSE,
    CONSEQUENCE,
    PLAIN_CODES,
    SURE,
    UNKNOWN,
    Code,
    Condition,
    Knowledge,
    find_code,
)
from buildtool.diagnose.line_patterns import (
    SHORTEST,
    HostCall,
    HostCalls,
    LogLines,
    LogSummary,
    best_match,
    codes_in,
    make_patterns,
    may_have_codes,
    possible,
)

if TYPE_CHECKING:
    from buildtool.documents.explanations import (
        EventObject,
        LogFindingObject,
        LogsObject,
    )

MAX_EVENTS = 1000
MAX_EVIDENCE = 4
"""Lines that are kept of a condition: the first one of each of its patterns."""
_OPENED = re.compile(
    r"Successfully opened file (/\S+\.so[.\d]*)"
    r"|fopen_fd done for (/\S+\.so[.\d]*) with .* error_code 0x0\b"
)
"""What libcdsprpc logs of a library that the DSP asked for; the first directory with the name wins.
Source: qualcomm/fastrpc at 29851fde, src/apps_std_imp.c."""
BEFORE, EXCERPT = 40, 240
"""Characters of a long line that are kept before the text that was found, and in all."""


class Evidence(Described):
    """A line that shows a condition."""

    log: Annotated[str, "the file; `-` is standard input, `line` an argument"]
    line: Annotated[int, "number of the line, from 1, in the part that was read"]
    text: Annotated[str, "the line; of a long one the part around what was found"]


class Opened(Described):
    """A library for the DSP that libcdsprpc has opened, which says in which directory."""

    path: Annotated[str, "its path on the device"]
    log: Annotated[str, "as in `evidence`"]
    line: Annotated[int, "number of the first line that says so"]


class Finding(Value):
    """A condition that lines show, with the first of these lines and their number."""

    condition: Condition
    evidence: tuple[Evidence, ...]
    lines: int

    def as_json(self) -> LogFindingObject:
        """The finding as an object of the document of `explain`."""
        evidence = [each.as_json() for each in self.evidence]
        return {**self.condition.as_json(), "evidence": evidence, "lines": self.lines}


class Event(Value):
    """Lines from `first` to `last` that show a condition one after the other."""

    log: str
    first: int
    last: int
    condition: Condition
    lines: int

    def as_json(self) -> EventObject:
        """The event as an object of the document of `explain`."""
        return {
            "log": self.log,
            "first_line": self.first,
            "last_line": self.last,
            "lines": self.lines,
            "name": self.condition.name,
            "class": self.condition.kind,
        }


class LogExplanation(Value):
    """What logs say.

    `causes` are ordered by evidence: those that explain an error code of the log come first, then
    those from the surest source, then the earliest; `ANY_ERROR` is the last.  `symptoms`
    have several causes, and none of them is in the log.  `codes` are those that nothing found
    explains, `all_codes` those of all lines that are not benign.
    """

    logs: tuple[LogSummary, ...]
    causes: tuple[Finding, ...]
    symptoms: tuple[Finding, ...]
    consequences: tuple[Finding, ...]
    benign: tuple[Finding, ...]
    codes: tuple[tuple[Code, Evidence], ...]
    events: tuple[Event, ...]
    opened: tuple[Opened, ...] = ()
    all_codes: frozenset[int] = frozenset()

    def as_json(self) -> LogsObject:
        """The explanation as an object of the document of `explain`."""
        return {
            "inputs": [log.as_json() for log in self.logs],
            "causes": [finding.as_json() for finding in self.causes],
            "symptoms": [finding.as_json() for finding in self.symptoms],
            "consequences": [finding.as_json() for finding in self.consequences],
            "benign": [finding.as_json() for finding in self.benign],
            "codes": [
                {**code.as_json(), "evidence": evidence.as_json()} for code, evidence in self.codes
            ],
            "events": [event.as_json() for event in self.events],
            "opened": [each.as_json() for each in self.opened],
        }

    @property
    def says_something(self) -> bool:
        """Whether anything in the logs is known."""
        return bool(self.events or self.benign or self.codes or self.opened)


class LogExplainer:
    """Collects what the lines of logs show."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._patterns = make_patterns(knowledge.conditions.values())
        self._logs: list[LogSummary] = []
        self._found: dict[str, dict[int, Evidence]] = {}
        self._counts: dict[str, int] = {}
        self._starts: list[tuple[Evidence, Condition]] = []
        self._ends: list[tuple[int, int]] = []  # the last line of each, and the number of lines
        self._codes: set[int] = set()
        self._open_codes: dict[int, Evidence] = {}  # of lines that do not show a cause
        self._opened: dict[str, Opened] = {}
        self._crash_lines = CrashLines()
        self._host_calls = HostCalls()

    def read(self, log: LogLines) -> None:
        """Read a log to its end.  Raises `OSError`."""
        name = log.summary.name
        for number, lines in log.blocks():
            text = "\n".join(lines).lower()
            self._crash_lines.read(name, number, lines, text)
            if "opened file" in text or "fopen_fd done" in text:
                self._note_opened(name, number, lines)
            patterns = possible(self._patterns, text)
            if not patterns and not may_have_codes(text):
                continue
            for offset, line in enumerate(text.split("\n")):
                if len(line) < SHORTEST:
                    continue
                match = best_match(patterns, line)
                condition = match.pattern.condition if match else None
                if condition is None or condition.kind != BENIGN:
                    shows_cause = condition is not None and condition.kind == CAUSE
                    for code in codes_in(line):
                        if condition and condition.errno and code < PLAIN_CODES:
                            continue
                        self._codes.add(code)
                        self._host_calls.add(name, number + offset, lines[offset], code)
                        if not shows_cause and code not in self._open_codes:
                            text = _excerpt(lines[offset], 0)
                            self._open_codes[code] = Evidence(name, number + offset, text)
                if match and condition:
                    text = _excerpt(lines[offset], match.place)
                    evidence = Evidence(name, number + offset, text)
                    self._add(condition, match.pattern.number, evidence)
        self._logs.append(log.summary)

    def _note_opened(self, name: str, number: int, lines: list[str]) -> None:
        for offset, line in enumerate(lines):
            found = _OPENED.search(line)
            if found and len(self._opened) < MAX_EVENTS:
                path = found[1] or found[2]
                self._opened.setdefault(path, Opened(path, name, number + offset))

    def _add(self, condition: Condition, number: int, evidence: Evidence) -> None:
        found = self._found.setdefault(condition.name, {})
        if len(found) < MAX_EVIDENCE:
            found.setdefault(number, evidence)
        self._counts[condition.name] = self._counts.get(condition.name, 0) + 1
        if condition.kind == BENIGN:
            return
        start, previous = self._starts[-1] if self._starts else (None, None)
        if start and start.log == evidence.log and previous is condition:
            self._ends[-1] = (evidence.line, self._ends[-1][1] + 1)
        elif len(self._starts) < MAX_EVENTS:
            self._starts.append((evidence, condition))
            self._ends.append((evidence.line, 1))

    def crashes(self) -> list[tuple[CrashBlock, HostCall | None]]:
        """The crashes that a device has logged, each with the call that failed because of it."""
        return [(block, self._host_calls.of(block)) for block in self._crash_lines.blocks()]

    def explanation(self) -> LogExplanation:
        """What all logs together say."""
        findings = [
            Finding(condition, tuple(self._found[name].values()), self._counts[name])
            for name in self._found  # in the order of the lines
            if self._counts_here(condition := self._knowledge.conditions[name])
        ]
        kept = {finding.condition.name for finding in findings}
        causes = [finding for finding in findings if finding.condition.kind == CAUSE]
        causes.sort(key=lambda finding: _rank(finding.condition, self._codes))
        explained = {code for finding in causes for code in finding.condition.codes}
        symptoms = [
            finding
            for finding in findings
            if finding.condition.kind == UNKNOWN and explained.isdisjoint(finding.condition.codes)
        ]
        listed = {
            code for f in findings if f.condition.kind != BENIGN for code in f.condition.codes
        }
        return LogExplanation(
            tuple(self._logs),
            tuple(causes),
            tuple(symptoms),
            tuple(
                finding
                for finding in findings
                if finding.condition.kind in (CONSEQUENCE, UNKNOWN) and finding not in symptoms
            ),
            tuple(finding for finding in findings if finding.condition.kind == BENIGN),
            tuple(
                (find_code(code, self._knowledge.content), evidence)
                for code, evidence in self._open_codes.items()
                if code not in listed
            ),
            tuple(
                Event(start.log, start.line, last, condition, lines)
                for (start, condition), (last, lines) in zip(self._starts, self._ends, strict=True)
                if condition.name in kept
            ),
            tuple(self._opened.values()),
            frozenset(self._codes),
        )

    def _counts_here(self, condition: Condition) -> bool:
        """Whether the lines of `condition` count in these logs."""
        if condition.needs_code and self._codes.isdisjoint(condition.codes):
            return False
        return self._found.keys().isdisjoint(condition.unless)


def _rank(condition: Condition, codes: set[int]) -> tuple[bool, bool, bool, int]:
    explains = not codes.isdisjoint(condition.codes)
    return (
        condition.name == ANY_ERROR,
        not explains,
        condition.needs_code,
        SURE.index(condition.sure),
    )


def _excerpt(line: str, place: int) -> str:
    """The part of a long line around `place`."""
    if len(line) <= EXCERPT:
        return line
    start = min(max(0, place - BEFORE), len(line) - EXCERPT)
    end = start + EXCERPT
    return ("…" if start else "") + line[start:end] + ("…" if end < len(line) else "")
