"""Lines of logs that somebody else has written, patterns of them, and which condition a line shows.

A pattern is text that a line has, in any case of letters.  `*` stands for any text, `%` for text
without blanks, and `{code}` demands one of the codes of the condition in the line.  There are no
regular expressions: a line of untrusted text is searched for texts, one after the other.
"""

from __future__ import annotations

import codecs
import errno
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Annotated

from buildtool.core.fastrpc_codes import DSP_OFFSET
from buildtool.core.value import Described, Value
from buildtool.diagnose.crash_lines import CrashBlock, CrashLines, LineTime, line_time
from buildtool.diagnose.knowledge import (
    BENIGN,
    CAUSE,
    CONSEQUENCE,
    PLAIN_CODES,
    UNKNOWN,
    Condition,
)

ORDER = {CONSEQUENCE: 0, UNKNOWN: 1, CAUSE: 2, BENIGN: 2}
"""Of several conditions that a line shows, one of the highest class counts."""
_NUMBER = re.compile(r"(?<![0-9a-z_.])(?:0x[0-9a-f]{1,8}|-?[0-9]{1,10})(?![0-9a-z_])")
_DSP_CODE = re.compile(
    r"(?<![0-9a-z_])(?:(?:0x)?80000[4-7][0-9a-f]{2}|-21474[0-9]{5})(?![0-9a-z_])"
)
_HOST_CODE = re.compile(
    r"(?<![a-z_])(?:n?err|error|failed|returned|code|status)(?: with)?[ :=(,]{1,3}"
    r"(0x[0-9a-f]{1,8})\b"
)
_ERRNO_TEXTS = {number: {os.strerror(number).lower()} for number in errno.errorcode}
"""The texts of errors of the system, by their numbers; those of other C libraries below."""
for _number, _text in (
    *((errno.EIO, "i/o error"), (errno.EAGAIN, "try again"), (errno.ENOMEM, "out of memory")),
    *((errno.EBADF, "bad file number"), (errno.ENOTTY, "not a tty"), (errno.ENOTTY, "typewriter")),
    (errno.ETIMEDOUT, "operation timed out"),
):
    _ERRNO_TEXTS[_number].add(_text)
MAX_BYTES = 64 << 20
"""Of a larger file only the end is read, and of a longer pipe only the start."""
MAX_LINE = 4000
"""Characters of a line that are looked at."""
BLOCK = 1 << 20
ALL, START, END = "all", "start", "end"
_ESCAPE = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*\x07?)")
_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
"""Byte order marks; PowerShell's `>` writes UTF-16."""
CRASHED = frozenset((0x0D, 0x2E, 0x27, 0x72, 0x8000040D))
"""Codes that calls return then: AEE_EBADSTATE, AEE_EINTERRUPTED, AEE_ENOSUCH, AEE_ECONNREFUSED."""
MAX_CALLS = 1000
MAX_DISTANCE = 200
"""Lines between a crash and a call of which no time is known."""
# Source: qualcomm/fastrpc, src/fastrpc_apps_user.c, remote_handle64_invoke.
_METHOD = re.compile(r"failed for module (\S{1,200}?), handle \w{1,18}, method (\d{1,3}) on domain")
_OF_THE_DSP = ("remote_", "fastrpc", "rpcmem", "dspqueue", "dsprpc", "ggml-hex", "skel", "qnn_open")
SHORTEST = 8
"""Characters of the shortest line that shows something: patterns and codes have as many."""


class Pattern(Value):
    """One pattern: its texts in order, each with whether blanks may be before it."""

    condition: Condition
    number: int
    texts: tuple[tuple[bool, str], ...]
    needs_code: bool

    @property
    def rank(self) -> tuple[int, int]:
        """Of the patterns that a line matches, the one with the highest rank counts: the class
        first, then the length of the texts."""
        return ORDER[self.condition.kind], sum(len(text) for _, text in self.texts)

    def place(self, line: str) -> int:
        """Where the pattern begins in `line`, which is in lower case; -1 if it does not match."""
        (_, first), *rest = self.texts
        start = line.find(first)
        while start >= 0:
            end = start + len(first)
            for blanks, text in rest:
                found = line.find(text, end)
                if found < 0:
                    return -1  # neither is it after any later start
                if not blanks and any(character.isspace() for character in line[end:found]):
                    break
                end = found + len(text)
            else:
                return start if not self.needs_code or self._has_code(line) else -1
            start = line.find(first, start + 1)
        return -1

    def _has_code(self, line: str) -> bool:
        numbers = {int(number, 0) % 2**32 for number in _numbers(line)}
        return not numbers.isdisjoint(self.condition.codes)


class Match(Value):
    """A line that shows a condition: where in the line, and the codes in the line."""

    pattern: Pattern
    place: int


def make_patterns(conditions: Iterable[Condition]) -> tuple[Pattern, ...]:
    """The patterns of `conditions`, those that count most first."""
    found = [
        _pattern(condition, index, text.lower())
        for condition in conditions
        for index, text in enumerate(condition.patterns)
    ]
    return tuple(sorted(found, key=lambda pattern: pattern.rank, reverse=True))


def _pattern(condition: Condition, index: int, text: str) -> Pattern:
    plain = text.replace("{code}", "")
    pieces = re.split(r"([*%])", plain)
    blanks = [True, *(gap == "*" for gap in pieces[1::2])]
    texts = tuple(pair for pair in zip(blanks, pieces[::2], strict=True) if pair[1])
    return Pattern(condition, index, texts, plain != text)


def possible(patterns: Iterable[Pattern], block: str) -> list[tuple[str, Pattern]]:
    """Those of `patterns` of which all texts are in `block`, in lower case, each after its longest
    text: lines of the block need to be compared with these only."""
    return [
        (max((text for _, text in pattern.texts), key=len), pattern)
        for pattern in patterns
        if all(text in block for _, text in pattern.texts)
    ]


def best_match(patterns: Iterable[tuple[str, Pattern]], line: str) -> Match | None:
    """The match that counts of a line, in lower case; `patterns` are those that are `possible`, in
    the order of `make_patterns`."""
    for longest, pattern in patterns:
        if longest in line and (place := pattern.place(line)) >= 0:
            return Match(pattern, place)
    return None


def codes_in(line: str) -> Iterator[int]:
    """The error codes of FastRPC in a line, in lower case.

    Codes of the DSP count everywhere; those of the host, which are small numbers, only after a word
    such as "error" in a line about FastRPC.  A small number beside the text of that errno is an
    errno: older versions of libcdsprpc log those in the same words.
    """
    for text in _DSP_CODE.findall(line) if _may_have_dsp_codes(line) else ():
        value = int(text) % 2**32 if text.startswith("-") else int(text, 16)
        if DSP_OFFSET < value < DSP_OFFSET + PLAIN_CODES:
            yield value
    if any(word in line for word in _OF_THE_DSP):
        for text in _HOST_CODE.findall(line):
            value = int(text, 16)
            is_errno = any(text in line for text in _ERRNO_TEXTS.get(value, ()))
            if 0 < value < PLAIN_CODES and not is_errno:
                yield value


def may_have_codes(text: str) -> bool:
    """Whether lines of `text`, in lower case, can have error codes; quicker than to look for them
    in each line."""
    return _may_have_dsp_codes(text) or any(word in text for word in _OF_THE_DSP)


def _may_have_dsp_codes(text: str) -> bool:
    return "80000" in text or "-21474" in text


def _numbers(line: str) -> Iterator[str]:
    for text in _NUMBER.findall(line):
        yield text if text.startswith("0x") else str(int(text))


class LogSummary(Described):
    """What was read of a log: `part` is ALL, START or END."""

    name: Annotated[str, "the file; `-` is standard input, `line` an argument"]
    lines: Annotated[int, "number of lines that were read"] = 0
    bytes: Annotated[int, "number of bytes that were read"] = 0
    part: Annotated[str, "which part was read", ("all", "start", "end")] = ALL
    cut_lines: Annotated[int, "number of lines that were too long to be read to their end"] = 0
    has_nul: Annotated[bool, "whether it has NUL bytes, so that it may not be a log"] = False


class LogLines:
    """Reads a log in one pass; `summary` says afterwards what was read."""

    def __init__(self, name: str, stream: IO[bytes], max_bytes: int = MAX_BYTES) -> None:
        self.summary = LogSummary(name)
        self._stream = stream
        self._max_bytes = max_bytes

    def blocks(self) -> Iterator[tuple[int, list[str]]]:
        """Some lines at a time, with the number of the first.  The lines have no escape sequences,
        and are cut at `MAX_LINE`.  Raises `OSError`."""
        first = self._stream.read(2)
        decoder = codecs.getincrementaldecoder(_MARKS.get(first, "utf-8"))("replace")
        skips = self._skip_to_the_end()
        data = b"" if skips or first in _MARKS else first
        rest, count = "", len(first)
        while True:
            read = self._stream.read(min(BLOCK, self._max_bytes - count))
            count += len(read)
            text = rest + decoder.decode(data + read, final=not read)
            lines, data = text.split("\n"), b""
            if read:
                # A line without an end is kept no longer than it is looked at.
                rest = lines.pop()[: 2 * MAX_LINE]
            elif lines[-1] == "":
                lines.pop()
            if skips and lines:
                del lines[0]  # its start was skipped
                skips = False
            # To look at each of millions of short lines would take minutes.
            odd = any(mark in text for mark in "\0\x1b\r")
            seen = [self._seen(line) if odd or len(line) > MAX_LINE else line for line in lines]
            yield self.summary.lines + 1, seen
            self.summary = self.summary._replace(lines=self.summary.lines + len(lines), bytes=count)
            if not read:
                break
        if count >= self._max_bytes and self.summary.part == ALL and self._stream.read(1):
            self.summary = self.summary._replace(part=START)

    def _skip_to_the_end(self) -> bool:
        """Skip the start of a file that is too large."""
        if not self._stream.seekable():
            return False
        size = self._stream.seek(0, 2)
        skipped = size - self._max_bytes + 2
        skipped += skipped % 2  # a character of UTF-16 stays whole
        self._stream.seek(max(2, skipped) if size > self._max_bytes else min(2, size))
        if size > self._max_bytes:
            self.summary = self.summary._replace(part=END)
        return size > self._max_bytes

    def _seen(self, line: str) -> str:
        """`line` as people see it in a terminal, up to `MAX_LINE` characters."""
        if "\0" in line:
            self.summary = self.summary._replace(has_nul=True)
            line = line.replace("\0", "")
        if len(line) > MAX_LINE:
            self.summary = self.summary._replace(cut_lines=self.summary.cut_lines + 1)
            line = line[:MAX_LINE]
        if "\x1b" in line:
            line = _ESCAPE.sub("", line)
        return line.rstrip("\r")


class HostCall(Value):
    """A line about a call that failed with `code`; `skel` and `method` are "" and None if it does
    not name them."""

    log: str
    line: int
    text: str
    time: LineTime | None
    code: int
    skel: str
    method: int | None


class HostCalls:
    """Collects the calls that failed with a code of `CRASHED`."""

    def __init__(self) -> None:
        self._calls: list[HostCall] = []

    def add(self, log: str, line: int, text: str, code: int) -> None:
        """Add a line that has `code`."""
        if code not in CRASHED or len(self._calls) >= MAX_CALLS:
            return
        found = _METHOD.search(text)
        skel, method = (found[1].rpartition("/")[2], int(found[2])) if found else ("", None)
        self._calls.append(HostCall(log, line, text, line_time(text), code, skel, method))

    def of(self, block: CrashBlock) -> HostCall | None:
        """The call that failed because of the crash, if its line is of the same second, or close to
        it and without a time; lines that name a method of a library in the crash come first."""
        modules = {call.module for call in block.calls}
        if block.module:
            modules.add(block.module.name)
        calls = [call for call in self._calls if _belongs(call, block)]
        return min(calls, key=lambda call: _rank(call, block, modules), default=None)


def _belongs(call: HostCall, block: CrashBlock) -> bool:
    if call.time and block.time:
        return call.time.is_near(block.time)
    return call.log == block.log and abs(call.line - block.last) <= MAX_DISTANCE


def _rank(
    call: HostCall, block: CrashBlock, modules: Iterable[str]
) -> tuple[bool, bool, bool, int]:
    after = call.log != block.log or call.line > block.first
    return call.skel not in modules, call.method is None, not after, abs(call.line - block.last)


def crashes_in_lines(
    log: str, lines: Sequence[str]
) -> tuple[tuple[CrashBlock, HostCall | None], ...]:
    """The crashes in all `lines` of `log`, each with the call that failed because of it."""
    blocks, calls = CrashLines(), HostCalls()
    lowered = [line.lower() for line in lines]
    blocks.read(log, 1, lines, "\n".join(lowered))
    for number, line in enumerate(lowered, 1):
        for code in codes_in(line):
            calls.add(log, number, lines[number - 1], code)
    return tuple((block, calls.of(block)) for block in blocks.blocks())
