"""Assignments in shell scripts: also those after `export` and `env`, in here-documents, and in
quoted commands that another shell runs, such as `adb shell "…"`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from buildtool.core.value import Value

_PIECE = r"""
    (?P<comment>(?<![^\s;&|()])\#[^\n]*)
  | (?P<heredoc><<-?[ \t]*(?P<quote>['"\\]?)(?P<end>[A-Za-z_]\w*)(?P=quote)?)
  | (?P<newline>\n)
  | (?P<blank>[ \t\r]+|\\\n)
  | (?P<operator>[;&|()<>])
  | (?P<single>'[^']*+'?)
  | (?P<double>"(?:[^"\\]|\\.)*+"?)
  | (?P<expansion>\$\{(?:[^{}\\]|\\.|\{[^{}]*\})*+\}?|\$\w+|\$\([^()]*+\)?|`[^`]*+`?|\$.)
  | (?P<plain>\\.|[^\s;&|()<>'"$`\\]+|.)
"""
_ASSIGNMENT = r"([A-Za-z_]\w*)\+?="
_DEFAULT = r"\$\{\w+:?[-+=](.*)\}"
_PART = r"(\$\{(?:[^{}\\]|\\.|\{[^{}]*\})*+\}|\$\w+|\$\([^()]*+\)|`[^`]*+`)"
MAX_DEPTH = 3
EXPANSION = "\0"
"""Stands for a value that is not known."""


class Assignment(Value):
    """`name=value` at `offset`; in the value, expansions are `EXPANSION`."""

    name: str
    value: str
    offset: int


class ShellComment(Value):
    text: str
    offset: int


class _Word:
    def __init__(self, offset: int) -> None:
        self.offset = offset
        self.raw = ""
        self.value = ""
        self.quoted: list[tuple[str, int]] = []


def read_script(text: str, start: int = 0, depth: int = 0) -> Iterator[Assignment | ShellComment]:
    """The assignments and comments of a script, which begins at offset `start` of its file."""
    word: _Word | None = None
    ends, position = list[str](), 0
    for match in re.finditer(_PIECE, text, re.VERBOSE | re.DOTALL):
        if match.start() < position:
            continue  # in a here-document
        kind, piece = match.lastgroup or "plain", match.group()
        if kind in ("single", "double", "expansion", "plain"):
            word = word or _Word(start + match.start())
            _add(word, kind, piece, start + match.start())
            continue
        if word:
            yield from _of_word(word, depth)
            word = None
        if kind == "comment":
            yield ShellComment(piece, start + match.start())
        elif kind == "heredoc":
            ends.append(match["end"])
        elif kind == "newline" and ends:
            position = match.end()
            for end in ends[:8]:
                found = re.compile(rf"^\t*{end}$", re.MULTILINE).search(text, position)
                body = text[position : found.start() if found else len(text)]
                if depth < MAX_DEPTH:
                    yield from read_script(body, start + position, depth + 1)
                position = found.end() if found else len(text)
            ends.clear()
    if word:
        yield from _of_word(word, depth)


def _add(word: _Word, kind: str, piece: str, offset: int) -> None:
    word.raw += piece
    if kind in ("single", "double"):
        inner = piece[1:-1] if len(piece) > 1 and piece[-1] == piece[0] else piece[1:]
        word.quoted.append((inner, offset + 1))
        word.value += inner if kind == "single" else _known(inner)
    else:
        word.value += _known(piece)


def _known(text: str, depth: int = 0) -> str:
    """The text with `EXPANSION` for what is not known; of `${x:+text}` the text is known."""
    if "$" not in text and "`" not in text:
        return text
    parts = re.split(_PART, text)
    for index in range(1, len(parts), 2):
        default = re.fullmatch(_DEFAULT, parts[index], re.DOTALL)
        inner = _known(default[1], depth + 1) if default and depth < MAX_DEPTH else ""
        parts[index] = EXPANSION + inner
    return "".join(parts)


def _of_word(word: _Word, depth: int) -> Iterator[Assignment | ShellComment]:
    found = re.match(_ASSIGNMENT, word.raw)
    if found:
        yield Assignment(found[1], word.value[found.end() :], word.offset)
    elif depth < MAX_DEPTH:
        for text, offset in word.quoted:
            if "=" in text:
                inner = read_script(text, offset, depth + 1)
                yield from (each for each in inner if isinstance(each, Assignment))
