"""Patterns of lines of logs, and which condition a line shows.

A pattern is text that a line has, in any case of letters.  `*` stands for any text, `%` for text
without blanks, and `{code}` demands one of the codes of the condition in the line.  There are no
regular expressions: a line of untrusted text is searched for texts, one after the other.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Iterator

from buildtool.core.value import Value
from buildtool.diagnose.knowledge import (
    BENIGN,
    CAUSE,
    CONSEQUENCE,
    DSP_OFFSET,
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
